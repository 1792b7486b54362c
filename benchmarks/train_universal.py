"""Trains the weights of the method `universal`, or a variant of them that leaves sources out, and measures it.

    python benchmarks/train_universal.py walker  --out walker.safetensors --steps 1800
    python benchmarks/train_universal.py walker  --out tuned.safetensors --start walker.safetensors --steps 350 ...
    python benchmarks/train_universal.py ranker  --walker tuned.safetensors --out completion.safetensors
    python benchmarks/train_universal.py measure --weights completion.safetensors --on icews14:valid

Sources are names of the catalog, folders that `tgap data import` made, or `generated-7` (a world of that seed;
`generated-7-past`: cut by time). `--without-held-out a+b` takes what a and b hold out from every other source.
docs/study-universal.md says what the shipped weights were trained on. One thread; nothing else is random but the seeds.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from tgap.data import Dataset, load_dataset
from tgap.evaluation import HEADLINE
from tgap.evaluation.protocols import Filters
from tgap.evaluation.ranks import rank_answers
from tgap.evaluation.true_answers import TrueAnswers
from tgap.graph.task import TASKS, find_task
from tgap.kernels import set_threads
from tgap.scorer import QueryBatch
from tgap.universal.learning import (
    Lesson,
    Schedule,
    Told,
    collect_lesson,
    fit_temperature,
    train_reranker,
    train_walker,
    usual_ratios,
)
from tgap.universal.model import UniversalModel
from tgap.universal.reranker import Reranker
from tgap.universal.scorer import UniversalScorer
from tgap.universal.sources import Source
from tgap.universal.weights_file import write_weights
from tgap.universal.worlds import generate_world

WORLDS = "+".join(f"generated-{seed}" for seed in (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
WALKER_SOURCES = f"wikidata11k-clean+wikidata12k+yago11k+yago-forecast+world+{WORLDS}"


def source_data(name: str, held: frozenset[tuple[str, str, str, str]] = frozenset()) -> Dataset:
    """A dataset by name, without training facts that others hold out."""
    if name.startswith("generated-"):
        seed, *rest = name.removeprefix("generated-").split("-")
        return generate_world(int(seed), past=bool(rest))
    dataset = load_dataset(name)
    if not held:
        return dataset
    facts = dataset.train
    keep = np.array([row not in held for row in named_facts(dataset, "train")])
    return replace(dataset, train=facts[keep])


def named_facts(dataset: Dataset, split: str) -> list[tuple[str, str, str, str]]:
    """Facts as texts, with blanks for underscores."""
    entities, relations = (
        [name.replace("_", " ") for name in names.names] for names in (dataset.entities, dataset.relations)
    )
    facts = dataset.splits[split]
    times = dataset.timeline.texts(facts.time)
    return [(entities[s], relations[r], entities[o], t) for (s, r, o, _), t in zip(facts, times, strict=True)]


def held_out(names: str) -> frozenset[tuple[str, str, str, str]]:
    """Facts of valid and test of some datasets."""
    found: set[tuple[str, str, str, str]] = set()
    for name in filter(None, names.split("+")):
        dataset = load_dataset(name)
        found.update(*(named_facts(dataset, split) for split in ("valid", "test")))
    return frozenset(found)


def sources_of(names: str, without: str) -> list[Dataset]:
    """The datasets to learn from."""
    apart = set(filter(None, without.split("+")))
    held = held_out(without)
    return [source_data(name, frozenset() if name in apart else held) for name in names.split("+")]


def tell(begin: float) -> Told:
    """A listener that prints."""

    def told(step: int, values: dict[str, float]) -> None:
        shown = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        print(f"{time.perf_counter() - begin:6.0f} s  {step:5d}  {shown}", flush=True)

    return told


def read_model(path: Path) -> UniversalModel:
    """Weights as they were written here."""
    model = UniversalModel()
    model.load_state_dict({name: tensor.float() for name, tensor in load_file(path).items()})
    return model


def walker(options: argparse.Namespace) -> None:
    """Train or tune the walker."""
    past = options.task == "forecast"
    model = read_model(options.start) if options.start else UniversalModel(options.seed)
    datasets = sources_of(options.sources, options.without_held_out)
    if not options.start:
        statistics = [Source.of(dataset, model, past).statistics for dataset in datasets]
        model.prior.copy_(torch.from_numpy(usual_ratios(statistics, past)))
    sources = [Source.of(dataset, model, past) for dataset in datasets]
    schedule = Schedule(options.steps, options.rate, options.batch, seed=options.seed)
    train_walker(model, sources, schedule, tell(time.perf_counter()))
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, options.out)


def ranker(options: argparse.Namespace) -> None:
    """Train the re-ranker on a walker's cases; write the whole model as it is shipped."""
    past, model, told = options.task == "forecast", read_model(options.walker), tell(time.perf_counter())
    datasets = sources_of(options.sources, options.without_held_out)
    lessons: list[Lesson] = [
        collect_lesson(Source.of(dataset, model, past), options.questions, options.seed) for dataset in datasets
    ]
    model.reranker = read_model(options.start).reranker if options.start else Reranker(options.seed)
    fresh = options.start is None
    train_reranker(
        model.reranker,
        lessons,
        options.epochs,
        options.rate,
        options.seed,
        told,
        fresh,
    )
    if options.calibrate_on:
        others = sources_of(options.calibrate_on, "")
        unseen = [collect_lesson(Source.of(dataset, model, past), 1000, options.seed) for dataset in others]
        model.reranker.temperature.fill_(fit_temperature(model.reranker, unseen))
    write_weights(model, options.out)


def measure(options: argparse.Namespace) -> None:
    """Time-filtered MRR and Hits@1 of random queries in both directions."""
    model = read_model(options.weights)
    for name, split in (part.split(":") for part in options.on.split(",")):
        dataset = source_data(name)
        scorer = UniversalScorer(model, dataset, find_task(options.task).setting)
        filters = Filters.build(TrueAnswers.of(dataset))
        facts, relations = dataset.splits[split], dataset.num_relations
        subject, relation = (
            np.append(facts.subject, facts.object),
            np.append(facts.relation, facts.relation + relations),
        )
        answer, when = np.append(facts.object, facts.subject), np.append(facts.time, facts.time)
        chosen = np.random.default_rng(options.seed).permutation(len(subject))[: options.questions]
        chosen = chosen[np.lexsort((when[chosen], relation[chosen]))]
        ranks = []
        for begin in range(0, len(chosen), 256):
            part = chosen[begin : begin + 256]
            queries = QueryBatch(subject[part], relation[part], when[part])
            found = rank_answers(scorer.score(queries), queries, np.arange(len(part)), answer[part], filters)
            ranks.append(found.of(HEADLINE.name))
        every = np.concatenate(ranks)
        print(f"{name} {split} {options.task}: {len(every)} queries, MRR {(1 / every).mean():.4f}, "
              f"Hits@1 {(every < 1.5).mean():.4f}", flush=True)  # fmt: skip


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--task", choices=list(TASKS), default="completion")
    shared.add_argument("--seed", type=int, default=0)
    shared.add_argument("--sources", default=WALKER_SOURCES)
    shared.add_argument("--without-held-out", default="", metavar="A+B")
    shared.add_argument("--rate", type=float, default=2e-3)
    commands = parser.add_subparsers(required=True)
    for name, work in (("walker", walker), ("ranker", ranker), ("measure", measure)):
        command = commands.add_parser(name, parents=[shared])
        command.set_defaults(work=work)
        if name == "walker":
            command.add_argument("--out", type=Path, required=True)
            command.add_argument("--start", type=Path)
            command.add_argument("--steps", type=int, default=1800)
            command.add_argument("--batch", type=int, default=64)
        elif name == "ranker":
            command.add_argument("--out", type=Path, required=True)
            command.add_argument("--walker", type=Path, required=True)
            command.add_argument("--start", type=Path, help="weights whose re-ranker goes on learning")
            command.add_argument("--epochs", type=int, default=4)
            command.add_argument("--questions", type=int, default=2500)
            command.add_argument("--calibrate-on", default="", metavar="A+B")
        else:
            command.add_argument("--weights", type=Path, required=True)
            command.add_argument("--on", required=True, metavar="NAME:SPLIT,...")
            command.add_argument("--questions", type=int, default=2000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    set_threads(1)
    options.work(options)


if __name__ == "__main__":
    main()
