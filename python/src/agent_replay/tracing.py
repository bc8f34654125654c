"""Puts what tells one replay from another on its spans. Structural: nothing of OpenTelemetry is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from .turn import ReplayTurn, Tracing, attributes_of

_running: ContextVar[Tracing | None] = ContextVar("agent_replay_running", default=None)
_SAMPLED = 1
TRACE_SPANS = "agent_replay.trace_spans"
_by_trace: dict[int, Tracing] = {}


def trace_attributes(turn: ReplayTurn) -> dict[str, str]:
    """Attributes for the root span of a turn, if no :class:`ReplaySpanProcessor` sets them."""
    return attributes_of(turn.session_id, turn.metadata)


def running_replay() -> str | None:
    """The id of the replay whose turn runs in this context; otherwise None."""
    tracing = _running.get()
    return tracing.replay_run_id if tracing else None


class ReplaySpanProcessor:
    """A span processor of OpenTelemetry's shape, for its own SDK and for Langfuse's, which is built on it.

    Puts the metadata of a replay on every span that is started while its turn runs, whichever library starts it, and
    counts those that are handed to the exporter; the last of them says how many. What the agent says of its trace itself wins::

        provider.add_span_processor(ReplaySpanProcessor())

    ``exports`` tells which spans the exporting processor sends, where it leaves some out. The answer of a replay says how
    many spans there are; where it says too many, agent-replay waits for the rest as if it did not say.
    """

    def __init__(self, exports: Callable[[Any], bool] = lambda span: True) -> None:
        self._exports = exports

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        context = span.get_span_context()
        tracing = _running.get() or _by_trace.get(context.trace_id)
        if tracing is None:
            return
        tracing.reached = True
        tracing.trace_ids.add(context.trace_id)
        tracing.open_spans.add(context.span_id)
        _by_trace[context.trace_id] = tracing
        said = getattr(span, "attributes", None) or {}
        span.set_attributes({key: value for key, value in tracing.attributes.items() if key not in said})

    def on_end(self, span: Any) -> None:
        context = span.get_span_context()
        tracing = _by_trace.get(context.trace_id)
        if tracing is None or context.span_id not in tracing.open_spans:
            return
        if context.trace_flags & _SAMPLED and self._exports(span):
            tracing.sent_spans.add(context.span_id)
        tracing.open_spans.discard(context.span_id)
        if not tracing.open_spans:
            # The SDK's own attributes are sealed for callers once a span has ended, and exported after this.
            with suppress(AttributeError, TypeError):
                getattr(span, "_attributes", span.attributes)[TRACE_SPANS] = len(tracing.sent_spans)

    def _on_ending(self, span: Any) -> None:
        """Newer SDKs require it of every processor."""

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


@contextmanager
def replaying(turn: ReplayTurn) -> Iterator[ReplayTurn]:
    """While it is open, spans and tools that start in this context belong to the turn."""
    token = _running.set(turn.tracing)
    try:
        yield turn
    finally:
        _running.reset(token)
        for trace_id in turn.tracing.trace_ids:
            _by_trace.pop(trace_id, None)
