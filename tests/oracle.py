"""The slow oracle: T-GAP with plain Python loops over edges and entities, in float64, one function an equation.

Written from ``docs/model.md`` alone; it shares no code with the kernels or the model, so that agreement means
something. One question at a time, no batches, no tricks: every row of the graph is scored, also those without mass.
The caps for large graphs (``walk_cap``, ``gather_cap``) are refused; ``lazy`` changes no result and is ignored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tgap.model.settings import TGAPSettings

if TYPE_CHECKING:
    from tgap.graph.temporal import TemporalGraph

Vector = NDArray[np.float64]
PAST, PRESENT, FUTURE = 0, 1, 2
MASK = 2**64 - 1


@dataclass(frozen=True)
class Edge:
    """(i, r, j, t_e) with its index in the graph; ``time`` is None for a self-loop."""

    index: int
    source: int
    relation: int
    target: int
    time: int | None
    copy: int = 0  # of a fact that is there more than once: 0, 1, ...


@dataclass(frozen=True)
class OracleStep:
    """One step t. Edges are indices in the graph; H flows."""

    transition: dict[int, Vector]  # T_e [H] of every visible edge
    attention: dict[int, Vector]  # a~_e^(t) [H] of every visible edge
    mass: dict[int, Vector]  # a_j^(t) [H] of every entity
    flow_features: dict[int, Vector]  # g [d] as the flow of this step sees it, on the entities of G^(t-1)
    core: list[int]  # core nodes, best first; empty at the last step and without subgraph
    candidates: list[int]  # sampled edges of all core nodes, best first: the first z are the oracle's own choice
    added: list[int]  # edges that join: the oracle's choice, or those handed in; some may have been there already
    edges: list[int]  # edges of G^(t), sorted (last step: of G^(t-1), which stays)
    entities: list[int]  # entities of G^(t), sorted (likewise)
    features: dict[int, Vector]  # g^(t) [d] after SGNN, on the entities of G^(t) (last step: flow_features)


@dataclass(frozen=True)
class OracleResult:
    """All that happened for one question."""

    steps: list[OracleStep]
    h: Vector  # [N, d] features after PGNN
    q: Vector  # [d] query vector
    scores: Vector  # [N] a-bar^(T)

    @property
    def subgraphs(self) -> list[list[int]]:
        """Added edges of every step, in the form that ``Oracle.run`` takes."""
        return [step.added for step in self.steps]


# ---------------------------------------------------------------------------------------------------- small functions


def mix(x: int) -> int:
    """Finaliser of splitmix64, its increment included."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def step_key(seed: int, subject: int, relation: int, time: int, step: int) -> int:
    """Key of step t of a question; a negative time enters as two's complement."""
    key = mix(seed)
    for part in (subject, relation, time):
        key = mix((key + part) & MASK)
    return mix((key + step) & MASK)


def edge_hash(key: int, edge: Edge) -> int:
    """Hash of an edge under the key of a step."""
    pair = mix((key + (edge.source << 32) + edge.target) & MASK)
    return (mix((pair + (edge.relation << 32) + (edge.time or 0)) & MASK) + edge.copy) & MASK


def place_hash(key: int, place: int) -> int:
    """Hash of an edge by its place in the graph, as caps use it."""
    return mix((key + 2 * place) & MASK)


def entity_hash(key: int, entity: int) -> int:
    """Hash of an entity under the key of a step."""
    return mix((key + 2 * entity + 1) & MASK)


def bucket(size: int, exact: int, octave: int) -> int:
    """Row of a displacement's size. b_k = ceil(X 2^(k/o)) is found in whole numbers: the least b, b^o >= X^o 2^k."""
    if size < exact:
        return size
    bounds: set[int] = set()
    k, bound = 1, exact
    while True:
        while bound**octave < exact**octave * 2**k:
            bound += 1
        if bound > size:
            return exact + len(bounds)
        bounds.add(bound)
        k += 1


def pieces(dimension: int, count: int) -> list[slice]:
    """Where each head's numbers stand; the first ``dimension % count`` heads are one longer."""
    cuts = [0]
    for head in range(count):
        cuts.append(cuts[-1] + dimension // count + (1 if head < dimension % count else 0))
    return [slice(cuts[head], cuts[head + 1]) for head in range(count)]


def act(x: Vector, slope: float) -> Vector:
    """LeakyReLU."""
    return np.array([value if value > 0 else slope * value for value in x])


def softmax(scores: Sequence[Vector]) -> list[Vector]:
    """Softmax over the list, separately for each head (a place in the vectors)."""
    if not scores:
        return []
    shares = [np.empty(len(scores[0])) for _ in scores]
    for head in range(len(scores[0])):
        top = max(score[head] for score in scores)
        powers = [math.exp(score[head] - top) for score in scores]
        for share, power in zip(shares, powers, strict=True):
            share[head] = power / math.fsum(powers)
    return shares


def parameter_shapes(
    config: TGAPSettings, num_entities: int, num_relations: int, span: int
) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter, in the order of the table in docs/model.md."""
    d, heads = config.dimension, config.heads
    width = -(-d // heads)
    relative_rows = bucket(span, config.displacement_exact, config.displacement_octave) + 1
    absolute_rows = bucket(span + 1, config.displacement_exact, config.displacement_octave) + 1
    absolute = config.displacement == "absolute"
    signs = 1 if absolute else 3
    shapes: dict[str, tuple[int, ...]] = {
        "entity": (num_entities, d),
        "relation": (2 * num_relations + 1, d),
        "displacement.size": (absolute_rows if absolute else relative_rows, d),
    }
    if config.flow_displacement == "size" and absolute:
        shapes["displacement.flow"] = (relative_rows, d)
    if config.flow_displacement == "signed":
        shapes["displacement.flow"] = (2 * relative_rows - 1, d)
    if config.flow_displacement == "absolute" and not absolute:
        shapes["displacement.flow"] = (absolute_rows, d)
    for layer in [f"pgnn.{number}" for number in range(config.pgnn_layers)] + ["sgnn"]:
        shapes[f"{layer}.message"] = (signs, d, d)
        if config.bias:
            shapes[f"{layer}.message_bias"] = (signs, d)
        shapes[f"{layer}.query"] = (d, d)
        if config.key_map:
            shapes[f"{layer}.key"] = (heads, width, width)
    if config.arrival_term:
        shapes["sgnn.arrival"] = (d, d)
    shapes["query.weight"] = (d, d) if config.query_vector == "paper" else (d, 2 * d)
    shapes["enter.weight"] = (d, 2 * d)
    if config.bias:
        shapes["query.bias"] = (d,)
        shapes["enter.bias"] = (d,)
    shapes["flow.query"] = (d, d)
    shapes["flow.key"] = (d, d)
    return shapes


def edges_of(graph: TemporalGraph) -> list[Edge]:
    """All edges of a graph, in its order."""
    edges: list[Edge] = []
    seen: Counter[tuple[int, int, int, int | None]] = Counter()
    for source in range(graph.num_entities):
        for index in range(int(graph.row[source]), int(graph.row[source + 1])):
            time = None if int(graph.fact[index]) < 0 else int(graph.time[index])
            says = (source, int(graph.relation[index]), int(graph.neighbour[index]), time)
            edges.append(Edge(index, *says, copy=seen[says]))
            seen[says] += 1
    return edges


# --------------------------------------------------------------------------------------------------------- the model


class Oracle:
    """T-GAP for one graph, one set of parameters and one view of the edges.

    ``first`` is the first instant of the timeline, ``span`` its length in units, ``visible`` a mask over the edges.
    ``answering``: every edge of a core node is a candidate, else, as in training, the sampled ones.
    """

    def __init__(
        self,
        config: TGAPSettings,
        parameters: Mapping[str, ArrayLike],
        graph: TemporalGraph,
        first: int,
        span: int,
        visible: NDArray[np.generic] | None,
        seed: int,
        answering: bool = False,
    ) -> None:
        self.answering = answering
        if config.walk_cap or config.gather_cap:
            raise ValueError("the oracle knows no caps; set walk_cap and gather_cap to 0")
        self.config = config
        self.p = {name: np.asarray(value, dtype=np.float64) for name, value in parameters.items()}
        self.first = first
        self.span = span
        self.seed = seed
        self.entities = range(graph.num_entities)
        self.edges = {
            edge.index: edge for edge in edges_of(graph) if edge.time is None or visible is None or visible[edge.index]
        }
        self.out_of: dict[int, list[Edge]] = {entity: [] for entity in self.entities}
        for edge in self.edges.values():
            self.out_of[edge.source].append(edge)
        self.flows = config.heads if config.flow_heads else 1

    def run(
        self, subject: int, relation: int, time: int, subgraphs: Sequence[Iterable[int]] | None = None
    ) -> OracleResult:
        """Walk T steps from ``subject``. ``subgraphs[t-1]`` are the edges to add at step t, in place of sampling."""
        config = self.config
        h = self.preliminary(time)
        q = self.query_vector(subject, relation, h)
        members = {subject} if config.subgraph else set(self.entities)
        edges: set[int] = set() if config.subgraph else set(self.edges)
        g = {entity: h[entity] for entity in members}
        mass = {entity: np.full(self.flows, 1.0 if entity == subject else 0.0) for entity in self.entities}
        steps: list[OracleStep] = []
        for t in range(1, config.steps + 1):
            g = {entity: self.enter(g[entity], q) for entity in members}
            transition = self.transition(g, h, time)
            attention = {e: transition[e] * mass[edge.source] for e, edge in self.edges.items()}
            before, mass = mass, self.arrive(attention)
            core: list[int] = []
            candidates: list[int] = []
            added: list[int] = []
            flow_features = g
            if t < config.steps:
                if config.subgraph:
                    key = step_key(self.seed, subject, relation, time, t)
                    core = self.core_nodes(before, key)
                    candidates = self.candidates(core, attention, key)
                    added = (
                        candidates[: config.added_edges] if subgraphs is None else [int(e) for e in subgraphs[t - 1]]
                    )
                    edges = edges | set(added)
                    members = members.union(*({self.edges[e].source, self.edges[e].target} for e in added))
                g = self.subgraph_network(
                    {entity: g.get(entity, h[entity]) for entity in members}, edges, h, mass, time=time
                )
            steps.append(
                OracleStep(
                    transition,
                    attention,
                    mass,
                    flow_features,
                    core,
                    candidates,
                    added,
                    sorted(edges),
                    sorted(members),
                    g,
                )
            )
        scores = np.array([mean(mass[entity]) for entity in self.entities])
        return OracleResult(steps, np.array([h[entity] for entity in self.entities]), q, scores)

    def loss(self, result: OracleResult, answer: int) -> float:
        """-log(a-bar_o + 1e-12)."""
        return -math.log(result.scores[answer] + 1e-12)

    # Time.

    def row(self, size: int, longest: int) -> int:
        """Row of a size; sizes beyond the longest of the table use its last row."""
        exact, octave = self.config.displacement_exact, self.config.displacement_octave
        return min(bucket(size, exact, octave), bucket(longest, exact, octave))

    def sign(self, edge: Edge, time: int) -> int:
        """Which of the sign-specific maps serves an edge."""
        if self.config.displacement == "absolute":
            return 0
        dt = displacement(edge, time)
        return PAST if dt < 0 else FUTURE if dt > 0 else PRESENT

    def absolute_row(self, edge: Edge) -> int:
        """Row of an edge's date; row 0 is the self-loops'."""
        return 0 if edge.time is None else self.row(edge.time - self.first + 1, self.span + 1)

    def tau(self, edge: Edge, time: int) -> Vector:
        """tau of PGNN and SGNN."""
        if self.config.displacement == "absolute":
            return vector(self.p["displacement.size"][self.absolute_row(edge)])
        return vector(self.p["displacement.size"][self.row(abs(displacement(edge, time)), self.span)])

    def flow_tau(self, edge: Edge, time: int) -> Vector:
        """tau of the flow."""
        kind, shared = self.config.flow_displacement, self.config.displacement
        if kind == "absolute":
            table = "displacement.size" if shared == "absolute" else "displacement.flow"
            return vector(self.p[table][self.absolute_row(edge)])
        dt = displacement(edge, time)
        size = self.row(abs(dt), self.span)
        if kind == "signed":
            middle = self.row(self.span, self.span)  # D - 1
            return vector(self.p["displacement.flow"][middle + size if dt >= 0 else middle - size])
        table = "displacement.size" if shared == "relative" else "displacement.flow"
        return vector(self.p[table][size])

    # PGNN and SGNN.

    def message(self, layer: str, edge: Edge, feature: Vector, time: int) -> Vector:
        """m_e = W_sign (h_i + rho_r + tau) + b_sign."""
        sign = self.sign(edge, time)
        m = self.p[f"{layer}.message"][sign] @ (feature + self.p["relation"][edge.relation] + self.tau(edge, time))
        return vector(m + self.p[f"{layer}.message_bias"][sign] if self.config.bias else m)

    def message_score(self, layer: str, message: Vector, receiver: Vector) -> Vector:
        """alpha_e [K] = act( scale(K) (W_Q h_j)_k . (W_K,k m_e,k) )."""
        asked = self.p[f"{layer}.query"] @ receiver
        alpha = np.empty(self.config.heads)
        for head, piece in enumerate(pieces(self.config.dimension, self.config.heads)):
            key = message[piece]
            if self.config.key_map:
                key = self.p[f"{layer}.key"][head, : len(key), : len(key)] @ key
            alpha[head] = self.scale(self.config.heads) * (asked[piece] @ key)
        return act(alpha, self.config.leaky_slope)

    def aggregate(self, layer: str, edges: Iterable[Edge], g: Mapping[int, Vector], time: int) -> dict[int, Vector]:
        """Sum of softmax-weighted messages for every entity of ``g``, heads side by side; 0 without an edge into it."""
        messages = {edge: self.message(layer, edge, g[edge.source], time) for edge in edges}
        result: dict[int, Vector] = {}
        for entity, feature in g.items():
            arriving = [message for edge, message in messages.items() if edge.target == entity]
            shares = softmax([self.message_score(layer, message, feature) for message in arriving])
            result[entity] = np.zeros(self.config.dimension)
            for message, share in zip(arriving, shares, strict=True):
                for head, piece in enumerate(pieces(self.config.dimension, self.config.heads)):
                    result[entity][piece] += share[head] * message[piece]
        return result

    def preliminary(self, time: int) -> dict[int, Vector]:
        """PGNN: h of every entity."""
        h = {entity: vector(self.p["entity"][entity]) for entity in self.entities}
        for layer in range(self.config.pgnn_layers):
            h = self.aggregate(f"pgnn.{layer}", self.edges.values(), h, time)
            if self.config.activation:
                h = {entity: act(feature, self.config.leaky_slope) for entity, feature in h.items()}
        return h

    def subgraph_network(
        self,
        g: Mapping[int, Vector],
        edges: Iterable[int],
        h: Mapping[int, Vector],
        mass: Mapping[int, Vector],
        *,
        time: int,
    ) -> dict[int, Vector]:
        """SGNN: g^(t) of every entity of G^(t) from g^(t-1), newcomers' h included."""
        new = self.aggregate("sgnn", [self.edges[e] for e in sorted(edges)], g, time)
        for entity in new:
            if self.config.arrival_term:
                new[entity] = new[entity] + mean(mass[entity]) * (self.p["sgnn.arrival"] @ h[entity])
            if self.config.activation:
                new[entity] = act(new[entity], self.config.leaky_slope)
        return new

    # The question.

    def query_vector(self, subject: int, relation: int, h: Mapping[int, Vector]) -> Vector:
        """q, through SGNN's W_present (paper) or from raw embeddings."""
        rho = self.p["relation"][relation]
        if self.config.query_vector == "embedding":
            seen = np.concatenate([self.p["entity"][subject], rho])
        else:
            present = 0 if self.config.displacement == "absolute" else PRESENT
            seen = self.p["sgnn.message"][present] @ (h[subject] + rho)
            if self.config.bias:
                seen = seen + self.p["sgnn.message_bias"][present]
            seen = act(seen, self.config.leaky_slope)
        q = self.p["query.weight"] @ seen
        return vector(q + self.p["query.bias"] if self.config.bias else q)

    def enter(self, feature: Vector, q: Vector) -> Vector:
        """W [ g || q ] + b: how the question joins a feature (W_g of the paper, or W_n)."""
        entered = self.p["enter.weight"] @ np.concatenate([feature, q])
        return vector(entered + self.p["enter.bias"] if self.config.bias else entered)

    # Flow.

    def scale(self, count: int) -> float:
        """1 / sqrt(d / n), if scores are scaled."""
        return 1.0 / math.sqrt(self.config.dimension / count) if self.config.scaled else 1.0

    def flow_score(self, edge: Edge, g: Mapping[int, Vector], h: Mapping[int, Vector], time: int) -> Vector:
        """score_e [H]: the neighbour as the subgraph sees it plus the neighbour as PGNN sees it."""
        nothing = np.zeros(self.config.dimension)
        asked = self.p["flow.query"] @ g.get(edge.source, nothing)
        common = self.p["flow.key"] @ (self.p["relation"][edge.relation] + self.flow_tau(edge, time))
        total = np.zeros(self.flows)
        for neighbour in (g.get(edge.target, nothing), h[edge.target]):
            key = self.p["flow.key"] @ neighbour
            score = [asked[piece] @ key[piece] + asked[piece] @ common[piece] for piece in self.flow_pieces()]
            total = total + act(self.scale(self.flows) * np.array(score), self.config.leaky_slope)
        return total

    def flow_pieces(self) -> list[slice]:
        """Numbers of a feature that each flow reads."""
        return pieces(self.config.dimension, self.flows)

    def transition(self, g: Mapping[int, Vector], h: Mapping[int, Vector], time: int) -> dict[int, Vector]:
        """T_e: softmax of the scores over the edges out of each entity."""
        result: dict[int, Vector] = {}
        for row in self.out_of.values():
            shares = softmax([self.flow_score(edge, g, h, time) for edge in row])
            result.update({edge.index: share for edge, share in zip(row, shares, strict=True)})
        return result

    def arrive(self, attention: Mapping[int, Vector]) -> dict[int, Vector]:
        """a_j: sum of a~_e over the edges into j."""
        mass = {entity: np.zeros(self.flows) for entity in self.entities}
        for e, share in attention.items():
            mass[self.edges[e].target] = mass[self.edges[e].target] + share
        return mass

    # Sampling.

    def core_nodes(self, mass: Mapping[int, Vector], key: int) -> list[int]:
        """The x entities of highest a-bar^(t-1), zeros excluded; equal values by hash."""
        reached = [entity for entity in self.entities if mean(mass[entity]) > 0]
        reached.sort(key=lambda entity: (-mean(mass[entity]), entity_hash(key, entity)))
        return reached[: self.config.core_nodes]

    def candidates(self, core: Iterable[int], attention: Mapping[int, Vector], key: int) -> list[int]:
        """The out-edges of each core node, all or the y of lowest hash; by falling a-bar~^(t), equal ones by hash."""
        chosen: list[Edge] = []
        for entity in core:
            row = sorted(self.out_of[entity], key=lambda edge: edge_hash(key, edge))
            chosen.extend(row if self.answering else row[: self.config.sampled_edges])
        chosen.sort(key=lambda edge: (-mean(attention[edge.index]), edge_hash(key, edge)))
        return [edge.index for edge in chosen]


def displacement(edge: Edge, time: int) -> int:
    """dt = t_e - t_q; 0 for a self-loop."""
    return 0 if edge.time is None else edge.time - time


def mean(flows: Vector) -> float:
    """Mean over flows (the bar)."""
    return math.fsum(flows) / len(flows)


def vector(values: ArrayLike) -> Vector:
    """Fresh float64 array."""
    return np.array(values, dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------- gradients


def numeric_gradient(
    config: TGAPSettings,
    parameters: Mapping[str, ArrayLike],
    graph: TemporalGraph,
    *,
    span: int,
    query: tuple[int, int, int],
    answer: int,
    entries: Mapping[str, Iterable[tuple[int, ...]]],
    first: int = 0,
    visible: NDArray[np.generic] | None = None,
    seed: int = 0,
    subgraphs: Sequence[Iterable[int]] | None = None,
    width: float = 1e-5,
) -> dict[str, dict[tuple[int, ...], float]]:
    """Central differences of the loss at chosen entries of chosen parameters, the sampled subgraph frozen.

    Without ``subgraphs`` the oracle samples once, at the given parameters, and keeps that choice.
    """
    base = {name: np.array(value, dtype=np.float64) for name, value in parameters.items()}
    if subgraphs is None:
        subgraphs = Oracle(config, base, graph, first, span, visible, seed).run(*query).subgraphs
    frozen = [list(added) for added in subgraphs]

    def loss_at(name: str, entry: tuple[int, ...], by: float) -> float:
        moved = base[name].copy()
        moved[entry] += by
        oracle = Oracle(config, {**base, name: moved}, graph, first, span, visible, seed)
        return oracle.loss(oracle.run(*query, subgraphs=frozen), answer)

    return {
        name: {entry: (loss_at(name, entry, width) - loss_at(name, entry, -width)) / (2 * width) for entry in chosen}
        for name, chosen in entries.items()
    }
