"""Prometheus metrics of one app, in a registry of its own so that several apps can live in one process."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

import tgap
from tgap.server.work_queue import WorkQueue

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Requests by route and status, their seconds, and how the work queue is doing."""

    def __init__(self, queue: WorkQueue) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        Info("tgap", "The program", registry=self.registry).info({"version": tgap.__version__})
        self.requests = Counter(
            "tgap_requests", "Answered requests", ("route", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "tgap_request_seconds", "Time to the whole answer", ("route",), buckets=_BUCKETS, registry=self.registry
        )
        self.connections = Gauge("tgap_connections", "Open connections", registry=self.registry)
        self.in_flight = Gauge("tgap_requests_in_flight", "Requests being answered", registry=self.registry)
        waiting = Gauge("tgap_queue_waiting", "Requests that compute or wait for it", registry=self.registry)
        waiting.set_function(lambda: queue.waiting)
        turn = Gauge(
            "tgap_queue_turn_seconds", "Running mean of the time to compute one answer", registry=self.registry
        )
        turn.set_function(lambda: queue.turn)
        kept = Gauge("tgap_answer_cache_bytes", "Memory of answers kept ready", registry=self.registry)
        kept.set_function(lambda: queue.cache.nbytes)
        self.registry.register(_QueueCounts(queue))


class _QueueCounts(Collector):
    """Counts that the work queue and its cache keep themselves."""

    def __init__(self, queue: WorkQueue) -> None:
        self._queue = queue

    def collect(self) -> list[CounterMetricFamily]:
        """Current values."""
        queue = self._queue
        return [
            CounterMetricFamily("tgap_queue_refused", "Requests refused because all places were taken", queue.refused),
            CounterMetricFamily("tgap_answer_cache_hits", "Answers that were kept ready", queue.cache.hits),
            CounterMetricFamily("tgap_answer_cache_misses", "Answers that had to be computed", queue.cache.misses),
        ]
