"""One turn to take again."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ._request import MAX_METADATA_LENGTH, Message, ReplayRequest
from ._wire import WireNames
from .messages import last_user_text


@dataclass
class Tracing:
    """What is known about the traces of a running turn."""

    replay_run_id: str | None
    attributes: Mapping[str, str]
    reached: bool = False
    trace_ids: set[int] = field(default_factory=set)
    open_spans: set[int] = field(default_factory=set)
    sent_spans: set[int] = field(default_factory=set)

    @property
    def spans(self) -> int | None:
        """Spans handed to the exporter; None if more may come, or if nobody counts."""
        return len(self.sent_spans) if self.trace_ids and not self.open_spans else None


class ReplayTurn:
    """One turn to take again, with the function that takes a normal turn."""

    messages: list[Message]
    """The recorded conversation. For a request with only ``input``: that one user message."""
    input: str
    """The user's text in this turn. Empty if the recorded messages contain none."""
    model: str | None
    """The recorded model. Usually ignored, because the agent under test has its own."""
    include_prior_context: bool | None
    """Whether ``messages`` include the session's earlier turns; None if the request does not say."""
    replay_run_id: str | None
    original_session_id: str | None
    session_id: str
    """The same for every replay of a recorded session, and never that of a real session."""
    run_id: str
    """Unique per call."""

    def __init__(self, request: ReplayRequest, names: WireNames, agent_id: str | None) -> None:
        self.messages = request.messages or [{"role": "user", "content": request.input or ""}]
        self.input = last_user_text(self.messages) or request.input or ""
        self.model = request.model
        self.include_prior_context = request.include_prior_context
        self.replay_run_id = request.replay_run_id
        self.original_session_id = request.original_session_id
        self.session_id = _short(f"replay-{request.original_session_id or 'session'}")
        self.run_id = str(uuid.uuid4())
        prior = request.include_prior_context
        metadata = {
            names.is_replay: "true",
            names.replay_run_id: request.replay_run_id,
            names.original_session_id: request.original_session_id,
            names.turn_trace_id: request.turn_trace_id,
            names.include_prior_context: None if prior is None else str(prior).lower(),
            "agent_id": agent_id,
            "session_id": self.session_id,
            "run_id": self.run_id,
        }
        self._metadata = MappingProxyType({key: _short(value) for key, value in metadata.items() if value is not None})
        self.tracing = Tracing(self.replay_run_id, attributes_of(self.session_id, self._metadata))

    @property
    def metadata(self) -> Mapping[str, str]:
        """For the replay's trace, at trace level: strings of at most 200 characters, which every SDK accepts."""
        self.tracing.reached = True
        return self._metadata


def attributes_of(session_id: str, metadata: Mapping[str, str]) -> dict[str, str]:
    """As OpenTelemetry attributes: ``langfuse.trace.metadata.*`` and ``session.id``."""
    return {**{f"langfuse.trace.metadata.{key}": value for key, value in metadata.items()}, "session.id": session_id}


def _short(value: str) -> str:
    """Long values keep their start, plus a digest that keeps different ones apart."""
    if len(value) <= MAX_METADATA_LENGTH:
        return value
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{value[: MAX_METADATA_LENGTH - len(digest) - 1]}-{digest}"
