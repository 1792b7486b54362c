"""Published figures: the T-GAP paper's table of results and those of forecasting, where from and how ranked.

The lines of the table come from three papers with protocols of their own, and none says everything. They stand beside
results that were measured here; never subtract one from the other without reading the source.
"""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """A paper, and how its ranks are filtered."""

    paper: str
    protocol: str
    from_paper: bool = True  # the T-GAP paper's table has it


class Quoted(NamedTuple):
    """A line of a published table; hits in percent, None where it gives no number."""

    mrr: float
    hits1: float | None = None
    hits3: float | None = None
    hits10: float | None = None


_GARCIA = Source("Garcia-Duran et al. 2018", "filtered; whether by time is not said")
_GOEL = Source("Goel et al. 2020", "time-filtered")
_LACROIX = Source("Lacroix et al. 2020", "filtered; its public code filters by time")
_JUNG = Source("Jung et al. (T-GAP)", "not said; its public code ranks raw")
_GASTINGER = Source("Gastinger et al. 2024", "single step, time-filtered", from_paper=False)

SOURCES: dict[str, Source] = {
    "transe": _GARCIA,
    "distmult": _GARCIA,
    "cont": _GOEL,
    "ttranse": _GARCIA,
    "hyte": _GOEL,
    "ta-transe": _GARCIA,
    "ta-distmult": _GARCIA,
    "de-simple": _GOEL,
    "tcomplex": _LACROIX,
    "tntcomplex": _LACROIX,
    "tgap": _JUNG,
    "recurrency": _GASTINGER,
}
# Lines of others that the T-GAP authors measured themselves: dataset -> methods.
_OWN = {
    "wikidata11k": ("de-simple", "tcomplex", "tntcomplex"),
    "icews14-unseen": ("de-simple", "tcomplex", "tntcomplex"),
}

QUOTED: dict[str, dict[str, Quoted]] = {
    "icews14": {
        "transe": Quoted(0.280, 9.4, None, 63.7),
        "distmult": Quoted(0.439, 32.3, None, 67.2),
        "cont": Quoted(0.185, 11.7, 20.5, 31.5),
        "ttranse": Quoted(0.255, 7.4, None, 60.1),
        "hyte": Quoted(0.297, 10.8, 41.6, 65.5),
        "ta-transe": Quoted(0.275, 9.5, None, 62.5),
        "ta-distmult": Quoted(0.477, 36.3, None, 68.6),
        "de-simple": Quoted(0.526, 41.8, 59.2, 72.5),
        "tcomplex": Quoted(0.56, 47.0, 61.0, 73.0),
        "tntcomplex": Quoted(0.56, 46.0, 61.0, 74.0),
        "tgap": Quoted(0.610, 50.9, 67.7, 79.0),
    },
    "icews14-ablation": {  # names of variants, see ``compare.variants``
        "full": Quoted(0.607, 50.4, 67.5, 78.7),
        "no-displacement": Quoted(0.477, 35.7, 53.9, 71.5),
        "no-subgraph": Quoted(0.598, 49.3, 66.8, 78.5),
        "no-pgnn": Quoted(0.590, 49.9, 66.5, 78.4),
        "two-layer-pgnn": Quoted(0.605, 50.2, 67.3, 78.9),
    },
    "icews14-unseen": {
        "de-simple": Quoted(0.434, 33.3, 49.2, 62.4),
        "tcomplex": Quoted(0.443, 34.8, 49.2, 62.5),
        "tntcomplex": Quoted(0.444, 34.6, 49.4, 63.5),
        "tgap": Quoted(0.483, 37.2, 54.6, 69.0),
    },
    "icews05-15": {
        "transe": Quoted(0.294, 9.0, None, 66.3),
        "distmult": Quoted(0.456, 33.7, None, 69.1),
        "cont": Quoted(0.163, 10.5, 18.9, 27.2),
        "ttranse": Quoted(0.271, 8.4, None, 61.6),
        "hyte": Quoted(0.316, 11.6, 44.5, 68.1),
        "ta-transe": Quoted(0.299, 9.6, None, 66.8),
        "ta-distmult": Quoted(0.474, 34.6, None, 72.8),
        "de-simple": Quoted(0.513, 39.2, 57.8, 74.8),
        "tcomplex": Quoted(0.58, 49.0, 64.0, 76.0),
        "tntcomplex": Quoted(0.60, 50.0, 65.0, 78.0),
        "tgap": Quoted(0.670, 56.8, 74.3, 84.5),
    },
    "icews14-forecast": {"recurrency": Quoted(0.374)},
    "yago-forecast": {"recurrency": Quoted(0.909)},
    "wikidata11k": {
        "transe": Quoted(0.316, 18.1, None, 65.9),
        "distmult": Quoted(0.316, 18.1, None, 66.1),
        "ttranse": Quoted(0.488, 33.9, None, 80.6),
        "ta-transe": Quoted(0.484, 32.9, None, 80.7),
        "ta-distmult": Quoted(0.700, 65.2, None, 78.5),
        "de-simple": Quoted(0.310, 18.4, 31.8, 62.5),
        "tcomplex": Quoted(0.731, 67.3, 76.2, 84.5),
        "tntcomplex": Quoted(0.718, 65.4, 74.9, 85.6),
        "tgap": Quoted(0.778, 69.7, 84.4, 90.3),
    },
}

# Published for the same split and protocol (single step, time-filtered) by methods that are not here.
ELSEWHERE: dict[str, dict[str, Quoted]] = {
    "icews14-forecast": {
        "xERTE": Quoted(0.408),
        "TITer": Quoted(0.417),
        "RE-GCN": Quoted(0.420),
        "TLogic": Quoted(0.430),
        "TiRGN": Quoted(0.440),
        "TPAR": Quoted(0.469),
        "LogCL": Quoted(0.489, 37.8),
    },
    "yago-forecast": {"TPAR": Quoted(0.915)},
}


def quoted(dataset: str, method: str) -> tuple[Quoted, Source] | None:
    """The line for a method or a variant of T-GAP, on exactly that dataset; None where there is none."""
    line = QUOTED.get(dataset, {}).get(method) or QUOTED.get(f"{dataset}-ablation", {}).get(method)
    if line is None:
        return None
    return line, _JUNG if method in _OWN.get(dataset, ()) else SOURCES.get(method, _JUNG)
