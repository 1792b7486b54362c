"""The work queue by itself: who comes when, who gives way, what ends."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tgap.pauses import pause
from tgap.server.errors import StoppingError, TimeoutApiError
from tgap.server.limits import Limits
from tgap.server.work_queue import WorkQueue


@pytest.mark.parametrize(("length", "places"), [(1.0, [0, 5]), (2.0, [0, 9])])
def test_patient_work_has_a_fifth_of_the_time_while_prompt_work_waits(
    monkeypatch: pytest.MonkeyPatch, length: float, places: list[int]
) -> None:
    """However long a patient turn is, prompt ones have four times as long before the next; and it is never starved."""
    clock = [0.0]

    def work(done: list[str], name: str, seconds: float) -> None:
        done.append(name)
        clock[0] += seconds

    async def order() -> list[str]:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: None)
        hold, done = threading.Event(), list[str]()

        async def turn(name: str, patient: bool) -> None:
            await queue.run(lambda: work(done, name, length if patient else 1.0), patient=patient)

        blocked = asyncio.create_task(queue.run(hold.wait))
        await asyncio.sleep(0)
        turns = [asyncio.create_task(turn(f"patient {number}", True)) for number in range(2)]
        await asyncio.sleep(0)
        turns += [asyncio.create_task(turn(f"prompt {number}", False)) for number in range(10)]
        await asyncio.sleep(0)
        hold.set()
        await asyncio.gather(blocked, *turns)
        return done

    monkeypatch.setattr("tgap.server.work_queue.time.perf_counter", lambda: clock[0])
    found = asyncio.run(order())
    assert [found.index(f"patient {number}") for number in range(2)] == places
    assert len(found) == 12


def test_a_patient_answer_gives_way_before_every_forward_pass_and_is_cached() -> None:
    async def order() -> list[str]:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: None)
        done, begun, go = list[str](), threading.Event(), threading.Event()

        def study() -> bytes:
            for number in range(3):
                pause()
                done.append(f"pass {number}")
                if number == 0:
                    begun.set()
                    assert go.wait(60)
            return b"three passes"

        answer = asyncio.create_task(queue.answer("study", study, patient=True))
        await asyncio.to_thread(begun.wait, 60)
        question = asyncio.create_task(queue.run(lambda: done.append("question")))
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(answer, question)
        assert answer.result() == b"three passes"
        assert await queue.answer("study", study, patient=True) == b"three passes"  # nothing is computed again
        return done

    assert asyncio.run(order()) == ["pass 0", "question", "pass 1", "pass 2"]


def test_a_patient_answer_has_the_time_of_one_request() -> None:
    async def passes() -> int:
        queue = WorkQueue(Limits(seconds=0.2))
        await queue.warm_up(lambda: None)
        done, go = list[int](), threading.Event()

        def study() -> bytes:
            for number in range(1000):
                pause()
                done.append(number)
                assert go.wait(60)
            return b"never"

        with pytest.raises(TimeoutApiError):
            await queue.answer("study", study, patient=True)
        go.set()
        await queue.run(lambda: None)
        return len(done)

    assert asyncio.run(passes()) == 1


def test_patient_work_lets_questions_through_before_every_forward_pass() -> None:
    """One long turn of four passes, and questions that come while it is at the first: they do not wait for its end."""

    async def order() -> list[str]:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: None)
        done, begun, go = list[str](), threading.Event(), threading.Event()

        def long() -> None:
            for number in range(4):
                pause()
                done.append(f"pass {number}")
                if number == 0:
                    begun.set()
                    assert go.wait(60)

        turn = asyncio.create_task(queue.run(long, patient=True))
        await asyncio.to_thread(begun.wait, 60)
        questions = [asyncio.create_task(queue.run(lambda: done.append("question"))) for _ in range(3)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(turn, *questions)
        return done

    assert asyncio.run(order()) == ["pass 0", *["question"] * 3, "pass 1", "pass 2", "pass 3"]


@pytest.mark.parametrize("patient", [False, True])
def test_work_that_nobody_waits_for_ends_before_its_next_forward_pass(patient: bool) -> None:
    async def passes() -> int:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: None)
        done, begun, go = list[int](), threading.Event(), threading.Event()

        def long() -> None:
            for number in range(1000):
                pause()
                done.append(number)
                begun.set()
                assert go.wait(60)

        turn = asyncio.create_task(queue.run(long, patient=patient))
        await asyncio.to_thread(begun.wait, 60)
        turn.cancel()
        await asyncio.wait({turn})
        go.set()
        await queue.run(lambda: None)  # the next one has its turn
        return len(done)

    assert asyncio.run(passes()) == 1


def test_a_turn_under_way_ends_at_its_next_pause_once_the_queue_has_stopped() -> None:
    async def outcome() -> tuple[str, bool]:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: None)
        begun, go = threading.Event(), threading.Event()

        def long() -> None:
            begun.set()
            assert go.wait(60)
            pause()
            raise AssertionError("it went on")

        turn = asyncio.create_task(queue.run(long))
        await asyncio.to_thread(begun.wait, 60)
        queue.stop()
        go.set()
        with pytest.raises(StoppingError) as told:
            await turn
        return told.value.code, await asyncio.to_thread(queue.close, 60)

    assert asyncio.run(outcome()) == ("stopping", True)
