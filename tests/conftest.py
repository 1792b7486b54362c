"""For all tests: no spinning threads, no chance in `make test`, denormal numbers stay after every test, and what takes
long and is not the point of a test is done once or not at all."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tgap.waiting import wait_briefly

if TYPE_CHECKING:
    from fastapi import FastAPI
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

    from tgap.asking.model import Model
    from tgap.asking.operation import Operation
    from tgap.data import Fact
    from tgap.explain.schema import Question

wait_briefly()  # before torch is loaded, as our commands do

# The default suite draws the same examples every time, so that it fails for a change and not by luck;
# `make test-slow` searches at random.
settings.register_profile("tgap", derandomize=True)
settings.load_profile("tgap")


# Folders and files whose tests one worker does, one after the other: a browser, or a process with all libraries loaded
# from which others are forked, is started once for all of them. They come first, since they take longest.
TOGETHER = {
    "the page": ("tests/web/",),
    "forked": (
        "tests/cli/test_train.py",
        "tests/docs/test_generated.py",
        "tests/kernels/test_notice.py",
        "tests/kernels/test_threads.py",
        "tests/model/test_determinism.py",
        "tests/training/test_loop.py",
        "tests/tuning/test_tune.py",
    ),
}


def _company(nodeid: str) -> str:
    """The name of those that a test belongs to, else its file."""
    return next((name for name, begins in TOGETHER.items() if nodeid.startswith(begins)), nodeid.partition("::")[0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is done together comes first: at the end it would keep a core idle."""
    order = list(TOGETHER)
    items.sort(key=lambda item: order.index(name) if (name := _company(item.nodeid)) in order else len(order))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """By file, and ``TOGETHER``."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # untyped
        def _split_scope(self, nodeid: str) -> str:
            return _company(nodeid)

    return Scheduling(config, log)


def pytest_collection() -> None:
    """What is imported stays: nothing is garbage, and to look for it takes as long as some imports."""
    gc.disable()


def pytest_collection_finish() -> None:
    """All modules are there."""
    gc.freeze()
    gc.enable()
    _blank_curves()
    _describe_once()


def _blank_curves() -> None:
    """To draw the curve of a training takes longer than most trainings here; see ``drawn_curve`` in training."""
    curve = sys.modules.get("tgap.training.curve")
    if curve is not None:
        vars(curve)["draw_curve"] = lambda *_: b""


def _describe_once() -> None:
    """The description of the API takes most of the time to make an app, whose routes are always the same: apps of one
    dataset have one description."""
    app = sys.modules.get("tgap.server.app")
    if app is None:
        return
    describe = app.describe
    known: dict[tuple[tuple[Question, ...], Fact], dict[str, Any]] = {}

    def described(served: FastAPI, model: Model, operations: Iterable[Operation[Any, Any]]) -> dict[str, Any]:
        key = (model.example_questions.questions, model.dataset.train[0])  # what its examples are made of
        if key not in known:
            known[key] = describe(served, model, operations)
        return deepcopy(known[key])  # whoever asks may change it

    vars(app)["describe"] = described


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """One thread for torch's own operations: on small tensors more of them only cost. The kernels keep all cores."""
    threads, torch = sys.modules.get("tgap.kernels.threads"), sys.modules.get("torch")
    if threads is not None and torch is not None:
        threads.num_threads()  # whoever asks first sets torch's too
        torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _denormal_numbers_stay() -> Iterator[None]:
    """Commands that run in this process set the flush for a process of their own; hypothesis needs denormals."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
