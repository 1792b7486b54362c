"""Settings of a run: frozen, checked by pydantic where they are written down, TOML in and out.

A field carries its default, its bounds and one line of description; docs/settings.md is made of them. What a method
needs besides is its own ``Settings`` class, which stands beside the method and fills the section ``model``; the table
of methods (``tgap.methods``) knows which. Presets and reading a config back need that table, so they live there.

>>> TrainingConfig(epochs=2).epochs
2.0
>>> TrainingConfig(epochs=-1)
Traceback (most recent call last):
tgap.errors.ConfigError: training.epochs is -1; expected more than 0
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, TypeAdapter, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tgap.errors import ConfigError

_REACH = 2**31  # whole numbers fit 32 bits: kernels and libraries count on it


class Settings(BaseModel):
    """A section of settings. A wrong name, type or value is a ``ConfigError`` of one line."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
    section: ClassVar[str] = "model"

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError(self._explain(error.errors()[0])) from None

    @field_validator("*")
    @classmethod
    def _within_reach(cls, value: Any) -> Any:
        if isinstance(value, int) and abs(value) >= _REACH:
            raise ValueError(f"less than {_REACH}")
        return value

    def replace(self, **values: Any) -> Self:
        """Copy with other values, checked like new ones.

        >>> TrainingConfig().replace(seed=3).seed
        3
        """
        return type(self)(**{**dict(self), **values})

    @classmethod
    def _explain(cls, error: ErrorDetails) -> str:
        """One line about the first thing that pydantic found wrong."""
        if not error["loc"]:  # a rule about several fields, which words its own message
            return str(error["ctx"]["error"])
        name = f"{cls.section}.{error['loc'][0]}"
        if error["type"] == "extra_forbidden":
            return f"unknown setting {name!r}; {_nearest(name, [f'{cls.section}.{key}' for key in cls.model_fields])}"
        return f"{name} is {error['input']!r}; expected {_expected(error)}"


class TrainingConfig(Settings):
    """Optimiser, schedule, validation, and when to stop and save: the same for every method that learns."""

    section: ClassVar[str] = "training"

    epochs: float = Field(3.0, gt=0, description="passes over the training queries (both directions); 0.5 is half one")
    batch_size: int = Field(32, ge=1, description="most queries in a batch")
    learning_rate: float = Field(1e-3, gt=0, description="the optimiser's step size at its highest")
    warmup_steps: int = Field(100, ge=0, description="steps of linear rise to learning_rate")
    schedule: Literal["plateau", "linear", "cosine", "constant"] = Field("linear", description="how the rate falls")
    decay_share: float = Field(
        0.5, gt=0, le=1, description="linear: share of all epochs, at the end, over which the rate falls to 0"
    )
    plateau_factor: float = Field(
        0.1, gt=0, lt=1, description="plateau: what the rate is multiplied with when validation stops improving"
    )
    plateau_patience: int = Field(
        1, ge=0, description="plateau: validations without improvement that are tolerated before that"
    )
    clip_norm: float = Field(3.0, ge=0, description="gradients longer than this are scaled down to it; 0 = never")
    average_decay: float = Field(
        0.0, ge=0, lt=1, description="decay of the exponential moving average of weights used for evaluation; 0 = off"
    )
    patience: int = Field(
        5, ge=0, description="validations in a row without a better score before stopping early; 0 = never"
    )
    validate_every: float = Field(0.5, gt=0, description="epochs between validations")
    select_by: Literal["mrr", "hits1"] = Field(
        "mrr", description="validation metric (time-filtered) that decides which weights are best"
    )
    validation_queries: int = Field(2000, ge=0, description="random validation queries scored each time; 0 = all")
    seed: int = Field(0, ge=0, description="of initial weights, batch order and sampling")
    log_steps: int = Field(20, ge=1, description="steps that one line of metrics.jsonl is the mean of")
    checkpoint_minutes: float = Field(5.0, gt=0, description="a checkpoint is written at least this often")
    max_minutes: float = Field(
        0.0, ge=0, description="stop after this much training time, counted over resumes; 0 = no limit"
    )


class EvaluationConfig(Settings):
    """How queries are scored when nothing is learned."""

    section: ClassVar[str] = "evaluation"

    batch_size: int = Field(
        64, ge=1, description="queries scored at once; for T-GAP memory and speed only, for others also last bits"
    )
    hub_edges: int = Field(
        0,
        ge=0,
        description="T-GAP: of a core node with more out-edges than this a sample is looked at; 0 = all, always",
    )
    sampling_seed: int = Field(0, ge=0, description="key of the hash that decides samples and ties")
    cache_megabytes: int = Field(256, ge=0, description="bound on cached PGNN features (one entry per timestamp)")


class RunConfig(Settings):
    """Everything that defines a run."""

    section: ClassVar[str] = ""

    dataset: str = Field(description="name in the catalog, or a folder written by `tgap data import`")
    method: str = Field(description="which method answers, by its name in the table of methods")
    task: str = Field("completion", description="what is asked for: completion, or forecast (only the past is seen)")
    model: SerializeAsAny[Settings] = Field(description="settings of that method")
    training: TrainingConfig = TrainingConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    def to_dict(self) -> dict[str, Any]:
        """Nested plain dictionary, as written to TOML and JSON."""
        return self.model_dump()

    def to_toml(self) -> str:
        """TOML text that ``tgap.methods.parse_config`` reads back to an equal config."""
        return tomli_w.dumps(self.to_dict())

    @property
    def sections(self) -> dict[str, Settings]:
        """The three sections by name."""
        return {"model": self.model, "training": self.training, "evaluation": self.evaluation}

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Copy with dotted names set to values, as in ``{"model.steps": 4}``. The section may be left out."""
        changes: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for key, value in values.items():
            section, name = self._find(key)
            target = own if section is None else changes.setdefault(section, {})
            target[name] = value
        for section, part in changes.items():
            own[section] = self.sections[section].replace(**part)
        return self.replace(**own)

    def values_of(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Values for ``with_values`` from texts, as ``--set model.steps=4`` gives them."""
        return {key: _from_text(text, self._field(key), key) for key, text in texts.items()}

    def changes(self, after: RunConfig) -> dict[str, list[Any]]:
        """Dotted name -> [value here, value there] of every setting that differs."""
        here, there = dict(_flat(self.to_dict())), dict(_flat(after.to_dict()))
        return {key: [here.get(key), there.get(key)] for key in {**here, **there} if here.get(key) != there.get(key)}

    def _field(self, key: str) -> FieldInfo:
        section, name = self._find(key)
        owner: Settings = self if section is None else self.sections[section]
        return type(owner).model_fields[name]

    def _find(self, key: str) -> tuple[str | None, str]:
        """Section and field of ``model.steps``, ``steps`` (when unambiguous) or ``dataset``."""
        if key == "dataset":
            return None, key
        section, dot, name = key.partition(".")
        if dot and section in self.sections and name in type(self.sections[section]).model_fields:
            return section, name
        homes = [] if dot else [home for home, owner in self.sections.items() if key in type(owner).model_fields]
        if len(homes) == 1:
            return homes[0], key
        if homes:
            choices = ", ".join(f"{home}.{key}" for home in homes)
            raise ConfigError(f"setting {key!r} is ambiguous; write one of {choices}")
        known = [f"{home}.{field}" for home, owner in self.sections.items() for field in type(owner).model_fields]
        raise ConfigError(f"unknown setting {key!r}; {_nearest(key, known)}")


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"did you mean {', '.join(near)}?" if near else "tgap train --show-config lists all settings"


def _from_text(text: str, field: FieldInfo, key: str) -> Any:
    assert field.annotation is not None, "every setting has a type"
    literal = get_origin(field.annotation) is Literal
    named = {str(choice): choice for choice in get_args(field.annotation)} if literal else {}
    if text in named:  # pydantic takes the text "3" for no choice of Literal[3, 4]
        return named[text]
    adapter: TypeAdapter[Any] = TypeAdapter(field.annotation)
    try:
        return adapter.validate_strings(text)
    except ValidationError as error:
        raise ConfigError(f"{key} is {text!r}; expected {_expected(error.errors()[0])}") from None


def _expected(error: ErrorDetails) -> str:
    """What would have been right, in the words of this house."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return f"at least {limits['ge']:g}"
        case "greater_than":
            return f"more than {limits['gt']:g}"
        case "less_than_equal":
            return f"at most {limits['le']}"
        case "less_than":
            return f"less than {limits['lt']}"
        case "literal_error":
            return f"one of {str(limits['expected']).replace(chr(39), '').replace(' or ', ', ')}"
        case "int_type" | "int_parsing" | "int_from_float" | "int_parsing_size":
            return "a whole number"
        case "float_type" | "float_parsing":
            return "a number"
        case "finite_number":
            return "a finite number"
        case "bool_type" | "bool_parsing":
            return "true or false"
        case "string_type":
            return "a text"
        case "value_error":
            return str(limits["error"])
        case "missing":
            return "a value"
        case _:
            return str(error["msg"]).lower()
