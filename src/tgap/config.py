"""All settings of a run: frozen dataclasses, TOML in and out. No default lives anywhere else.

``preset("recommended")`` is what we would use ourselves; ``preset("paper", "icews14")`` is the paper to the letter
with its settings for that dataset. ``docs/decisions`` tells why the recommended choices are what they are.

>>> config = preset("recommended").with_values({"model.core_nodes": "50"})
>>> config.model.core_nodes
50
>>> RunConfig.from_toml(config.to_toml()) == config
True
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import tomli_w

from tgap.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """T-GAP: sizes (the paper's symbols in brackets), ablations, variants and limits for large graphs."""

    # Sizes.
    dimension: int = 100  # [d] width of embeddings and features
    heads: int = 5  # [K] attention heads; d need not be divisible by K
    steps: int = 3  # [T] steps that attention flows
    core_nodes: int = 20  # [x] entities of highest attention that the subgraph grows from, a step
    sampled_edges: int = 200  # [y] random out-edges looked at for each core node
    added_edges: int = 200  # [z] of those, the edges of highest attention that join the subgraph, a step
    pgnn_layers: int = 1  # layers of the preliminary GNN: 0, 1 or 2 (the paper ablates 0 and 2)

    # Ablations of the paper (section 5.3).
    displacement: Literal["relative", "absolute"] = "relative"  # absolute: tau by date, one weight matrix, no sign
    subgraph: bool = True  # False: features for all entities, every row of the graph is scored

    # Where the paper leaves room, or practice departs from it. docs/decisions/0004 has the measured reasons.
    flow_heads: bool = False  # one attention flow for each head, averaged at the end; one in all learns faster
    flow_displacement: Literal["size", "signed", "absolute"] = "size"  # how a flow key sees time: |dt|, dt or date
    query_vector: Literal["paper", "embedding"] = "embedding"  # q from W_present(h_q + rho_q), or [e_s || rho_q]
    arrival_term: bool = True  # SGNN adds a_j W_h h_j: an entity feels the attention that has arrived at it
    key_map: bool = False  # own map W_K on the messages of PGNN and SGNN (the paper); W_Q alone can express it
    bias: bool = True  # the sign-specific maps have biases
    scaled: bool = False  # scores are divided by the root of the head width; undivided they learn faster
    activation: bool = True  # LeakyReLU after PGNN and SGNN
    leaky_slope: float = 0.01  # slope of every LeakyReLU below zero
    initial_scale: float = 0.3  # standard deviation of entity, relation and displacement embeddings at the start

    # Displacement table.
    displacement_exact: int = 4096  # sizes |dt| below this have an embedding of their own
    displacement_octave: int = 8  # sizes beyond share this many embeddings per doubling

    # Large graphs.
    walk_cap: int = 0  # most out-edges walked per entity and step; 0 = all
    gather_cap: int = 0  # most in-edges that PGNN aggregates per entity; 0 = all
    cap_choice: Literal["uniform", "near"] = "uniform"  # near: edges close to the query's time are likelier to stay
    lazy: bool = False  # compute PGNN features only for entities that a walk scores

    def __post_init__(self) -> None:
        _within_reach("model", self)
        _at_least("model.dimension", self.dimension, 1)
        _at_least("model.heads", self.heads, 1)
        if self.heads > 16:
            raise ConfigError(f"model.heads is {self.heads}; at most 16 are supported")
        if self.heads > self.dimension:
            raise ConfigError(
                f"model.heads is {self.heads}, more than model.dimension {self.dimension}; use fewer heads"
            )
        _at_least("model.steps", self.steps, 1)
        for name in ("core_nodes", "sampled_edges", "added_edges"):
            _at_least(f"model.{name}", getattr(self, name), 1)
            if getattr(self, name) > 1_000_000:
                raise ConfigError(f"model.{name} is {getattr(self, name)}; at most 1000000 are supported")
        if self.pgnn_layers not in (0, 1, 2):
            raise ConfigError(f"model.pgnn_layers is {self.pgnn_layers}; expected 0, 1 or 2")
        _at_least("model.displacement_exact", self.displacement_exact, 1)
        _at_least("model.displacement_octave", self.displacement_octave, 1)
        _at_least("model.walk_cap", self.walk_cap, 0)
        _at_least("model.gather_cap", self.gather_cap, 0)
        _positive("model.initial_scale", self.initial_scale)
        if not 0 <= self.leaky_slope < 1:
            raise ConfigError(f"model.leaky_slope is {self.leaky_slope}; expected 0 <= slope < 1")
        if self.lazy and (self.pgnn_layers == 2 or not self.subgraph):
            raise ConfigError("model.lazy needs model.pgnn_layers 0 or 1 and model.subgraph true; set model.lazy=false")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Batches, objective, optimiser, schedule, and when to stop and save."""

    epochs: float = 3.0  # passes over the training queries (both directions); 0.5 is half a pass
    batch_size: int = 32  # most queries in a batch
    days_per_batch: int = 1  # distinct timestamps in a batch (thin ones are pooled, see hidden_share); 0 = any
    hidden_share: float = 0.5  # about the most of a timestamp's facts that one batch may hide; 1 = no limit
    directions: Literal["apart", "together"] = "together"  # together: a fact's two queries share a batch, it hides half
    siblings: Literal["apart", "together"] = "apart"  # together: all answers of one (s, r, t) share a batch, walk once
    learning_rate: float = 1e-3  # Adam's step size at its highest
    warmup_steps: int = 100  # steps of linear rise to learning_rate
    schedule: Literal["plateau", "linear", "cosine", "constant"] = "linear"  # how the rate falls
    decay_share: float = 0.5  # linear: share of all epochs, at the end, over which the rate falls to 0
    plateau_factor: float = 0.1  # plateau: what the rate is multiplied with when validation stops improving
    plateau_patience: int = 1  # plateau: validations without improvement that are tolerated before that
    clip_norm: float = 3.0  # gradients longer than this are scaled down to it; 0 = never
    average_decay: float = 0.0  # decay of the exponential moving average of weights used for evaluation; 0 = off
    patience: int = 5  # validations in a row without a better score before stopping early; 0 = never
    validate_every: float = 0.5  # epochs between validations
    select_by: Literal["mrr", "hits1"] = "mrr"  # validation figure (time-filtered) that decides which weights are best
    validation_queries: int = 2000  # random validation queries scored each time; 0 = all
    seed: int = 0  # of initial weights, batch order and sampling
    log_steps: int = 20  # steps that one line of metrics.jsonl is the mean of
    checkpoint_minutes: float = 5.0  # a checkpoint is written at least this often
    max_minutes: float = 0.0  # stop after this much training time, counted over resumes; 0 = no limit

    def __post_init__(self) -> None:
        _within_reach("training", self)
        _positive("training.epochs", self.epochs)
        _at_least("training.batch_size", self.batch_size, 1)
        _at_least("training.days_per_batch", self.days_per_batch, 0)
        if not 0 < self.hidden_share <= 1:
            raise ConfigError(f"training.hidden_share is {self.hidden_share}; expected 0 < share <= 1")
        _positive("training.learning_rate", self.learning_rate)
        _at_least("training.warmup_steps", self.warmup_steps, 0)
        if not 0 < self.decay_share <= 1:
            raise ConfigError(f"training.decay_share is {self.decay_share}; expected 0 < share <= 1")
        if not 0 < self.plateau_factor < 1:
            raise ConfigError(f"training.plateau_factor is {self.plateau_factor}; expected 0 < factor < 1")
        _at_least("training.plateau_patience", self.plateau_patience, 0)
        _at_least("training.clip_norm", self.clip_norm, 0)
        if not 0 <= self.average_decay < 1:
            raise ConfigError(f"training.average_decay is {self.average_decay}; expected 0 <= decay < 1")
        _at_least("training.patience", self.patience, 0)
        _at_least("training.validation_queries", self.validation_queries, 0)
        _at_least("training.seed", self.seed, 0)
        _positive("training.validate_every", self.validate_every)
        _at_least("training.log_steps", self.log_steps, 1)
        _positive("training.checkpoint_minutes", self.checkpoint_minutes)
        _at_least("training.max_minutes", self.max_minutes, 0)


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """How queries are scored when nothing is learned."""

    batch_size: int = 64  # queries scored at once; changes memory and speed, never a result
    sampling_seed: int = 0  # key of the hash that decides samples and ties
    cache_megabytes: int = 256  # bound on cached PGNN features (one entry a timestamp)

    def __post_init__(self) -> None:
        _within_reach("evaluation", self)
        _at_least("evaluation.batch_size", self.batch_size, 1)
        _at_least("evaluation.sampling_seed", self.sampling_seed, 0)
        _at_least("evaluation.cache_megabytes", self.cache_megabytes, 0)


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Everything that defines a run."""

    dataset: str = "world"  # name in the catalog, or a folder written by `tgap data import`
    scorer: str = "tgap"  # which method answers: tgap, or the name of a baseline
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def to_dict(self) -> dict[str, Any]:
        """Nested plain dictionary, as written to TOML and JSON."""
        return dataclasses.asdict(self)

    def to_toml(self) -> str:
        """TOML text that ``from_toml`` reads back to an equal config."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from nested dictionaries; unknown keys and wrong types are errors, missing keys take the default."""
        built: Self = _build(cls, values, "")
        return built

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Build from TOML text."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"the configuration is not valid TOML: {error}") from error
        return cls.from_dict(values)

    def with_values(self, values: Mapping[str, str]) -> Self:
        """Copy with dotted keys set from text, as ``--set model.steps=4`` gives them. The section may be left out."""
        tree = self.to_dict()
        for key, text in values.items():
            section, name = _find_key(key)
            target = tree if section is None else tree[section]
            owner = type(self) if section is None else type(getattr(self, section))
            target[name] = _parse(text, get_type_hints(owner)[name], key)
        return type(self).from_dict(tree)


_SECTIONS = {"model": ModelConfig, "training": TrainingConfig, "evaluation": EvaluationConfig}

# The paper's model to the letter, every choice named, so that no change of ours changes it. x, y, z: see below.
_PAPER_MODEL: dict[str, Any] = {
    "dimension": 100,
    "heads": 5,
    "steps": 3,
    "pgnn_layers": 1,
    "displacement": "relative",
    "subgraph": True,
    "flow_heads": False,
    "flow_displacement": "size",
    "query_vector": "paper",
    "arrival_term": False,
    "key_map": True,
    "bias": False,
    "scaled": False,
    "activation": False,
    "leaky_slope": 0.01,
    "initial_scale": 0.3,
}
_PAPER_TRAINING: dict[str, Any] = {
    "epochs": 10.0,
    "days_per_batch": 1,
    "hidden_share": 0.5,
    "directions": "apart",
    "siblings": "apart",
    "learning_rate": 5e-4,
    "warmup_steps": 0,
    "schedule": "plateau",
    "plateau_factor": 0.1,
    "plateau_patience": 1,
    "average_decay": 0.0,
    "patience": 5,
    "validate_every": 1.0,
    "select_by": "hits1",
}
# Appendix of the paper: x, y, z, batch size and clipping for each dataset.
_PAPER_DATASETS: dict[str, tuple[int, int, int, int, float]] = {
    "icews14": (100, 500, 500, 16, 3.0),
    "icews05-15": (10, 100, 100, 8, 3.0),
    "wikidata11k": (50, 200, 200, 8, 5.0),
}
PRESETS = ("recommended", "paper")


def preset(name: str, dataset: str = "world") -> RunConfig:
    """The settings called ``name`` (recommended or paper) for a dataset; variants share their parent's settings."""
    if name == "recommended":
        return RunConfig(dataset=dataset)
    if name != "paper":
        raise ConfigError(f"unknown preset {name!r}; expected one of {', '.join(PRESETS)}")
    parent = max((known for known in _PAPER_DATASETS if dataset.startswith(known)), key=len, default="icews14")
    core, sampled, added, batch, clip = _PAPER_DATASETS[parent]
    model = replace(ModelConfig(), **_PAPER_MODEL, core_nodes=core, sampled_edges=sampled, added_edges=added)
    training = replace(TrainingConfig(), **_PAPER_TRAINING, batch_size=batch, clip_norm=clip)
    return RunConfig(dataset=dataset, model=model, training=training)


def _within_reach(section: str, settings: object) -> None:
    """Whole numbers fit 32 bits, others are finite: kernels and libraries count on it."""
    for name, value in vars(settings).items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{section}.{name} is {value}; expected a finite number")
        if isinstance(value, int) and abs(value) >= 2**31:
            raise ConfigError(f"{section}.{name} is {value}; expected less than {2**31}")


def _at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise ConfigError(f"{name} is {value}; expected at least {least}")


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise ConfigError(f"{name} is {value}; expected more than 0")


def _find_key(key: str) -> tuple[str | None, str]:
    """Section and field of ``model.steps``, ``steps`` (when unambiguous) or ``dataset``."""
    if key in ("dataset", "scorer"):
        return None, key
    section, dot, name = key.partition(".")
    if dot and section in _SECTIONS and name in _names(_SECTIONS[section]):
        return section, name
    homes = [] if dot else [known for known, owner in _SECTIONS.items() if key in _names(owner)]
    if len(homes) == 1:
        return homes[0], key
    if homes:
        raise ConfigError(f"setting {key!r} is ambiguous; write one of {', '.join(f'{home}.{key}' for home in homes)}")
    import difflib  # noqa: PLC0415  only on the way to an error

    known_keys = [f"{known}.{entry.name}" for known, owner in _SECTIONS.items() for entry in fields(owner)]
    near = difflib.get_close_matches(key, known_keys, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else "tgap train --show-config lists all settings"
    raise ConfigError(f"unknown setting {key!r}; {hint}")


def _names(owner: type[Any]) -> set[str]:
    return {entry.name for entry in fields(owner)}


def _parse(text: str, kind: Any, key: str) -> Any:
    """Value of ``text`` for a field of type ``kind``."""
    options = get_args(kind) if get_origin(kind) is Literal else ()
    if options:
        if text in options:
            return text
        raise ConfigError(f"{key} is {text!r}; expected one of {', '.join(map(str, options))}")
    if kind is bool:
        lowered = text.lower()
        if lowered in ("true", "false"):
            return lowered == "true"
        raise ConfigError(f"{key} is {text!r}; expected true or false")
    try:
        return kind(text)
    except ValueError:
        raise ConfigError(f"{key} is {text!r}; expected {'a whole number' if kind is int else 'a number'}") from None


def _build(owner: type[Any], values: Mapping[str, Any], prefix: str) -> Any:
    """Dataclass ``owner`` from a mapping, each value checked against the field's type."""
    kinds = get_type_hints(owner)
    known = _names(owner)
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise ConfigError(f"unknown setting {name!r}; expected one of {', '.join(sorted(known))}")
        kind = kinds[key]
        if dataclasses.is_dataclass(kind):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{name} is {value!r}; expected a table of settings")
            arguments[key] = _build(kind, value, f"{name}.")  # type: ignore[arg-type]
        else:
            arguments[key] = _check_type(name, value, kind)
    return owner(**arguments)


def _check_type(name: str, value: Any, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(map(str, get_args(kind)))}")
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ConfigError(f"{name} is {value!r}; expected a value of type {kind.__name__}")
    return value
