"""``POST /replay``: agent-replay sends a recorded turn again, and your agent takes it as any other.

Make an endpoint of the function that takes a turn, and mount it::

    from agent_replay.endpoint import ReplayTurn, asgi_app, replay_endpoint

    async def take_again(turn: ReplayTurn) -> str:
        return await take_turn(turn.messages)

    replay = replay_endpoint(take_again, token=os.environ.get("REPLAY_TOKEN"))

    app.add_route("/replay", asgi_app(replay))                              # FastAPI, Starlette
    app.add_url_rule("/replay", "replay", lambda: wsgi_app(replay), ...)    # Flask
    answer_http(replay, self)                                               # http.server, in do_POST
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final

from ._http import Answer, Head, Refusal, Respond, json_answer
from ._request import check_head, read_request
from ._servers import answer_http, asgi_app, wsgi_app
from ._wire import is_same_token, start_proof, wire_names
from .tracing import replaying
from .turn import ReplayTurn

__all__ = [
    "ReplayEndpoint",
    "ReplayTurn",
    "Respond",
    "TurnAnswer",
    "answer_http",
    "asgi_app",
    "replay_endpoint",
    "wsgi_app",
]


@dataclass(frozen=True)
class TurnAnswer:
    """The agent's answer, with the ids that it gave the turn in its own trace."""

    output: Any
    session_id: str | None = None
    run_id: str | None = None


Handler = Callable[[ReplayTurn], Any]

# Enough for a long conversation with a few pictures in base64.
MAX_BODY_BYTES = 16 * 2**20

_UNSET: Final[Any] = object()


def replay_endpoint(
    handler: Handler,
    *,
    flush: Callable[[], object] | None = None,
    token: str | None = _UNSET,
    enabled: bool | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
    agent_id: str | None = None,
    brand: str = "svc",
    on_error: Callable[[BaseException], object] | None = None,
) -> ReplayEndpoint:
    """Makes ``POST /replay`` of a function that takes one turn of the agent.

    ``handler`` is a plain or an ``async`` function. It calls what a normal turn calls; there is no replay mode behind it.
    It returns the output, or a :class:`TurnAnswer`. It may raise :class:`Respond`; any other exception becomes a 500.

    - ``flush`` sends what tracing still holds, before the answer: ``provider.force_flush``, ``langfuse.flush``.
    - ``token``: callers must send ``Authorization: Bearer <token>``.
    - ``enabled``: whom it answers, everybody (True) or nobody (False). By default the agent-replay that started this
      process, by the token of its run; and, outside of production (see :func:`in_production`), callers on this machine
      with no proxy between.
    - ``agent_id`` goes on the trace; by default the environment's ``SVC_AGENT_ID``.
    - ``brand`` is the brand part of all names on the wire.
    - ``on_error`` is told why a 500 was a 500; by default the log ``agent_replay``.

    Raises ``ValueError`` if its token is empty, or ``None`` where it is enabled in production.
    """
    return ReplayEndpoint(handler, flush, token, enabled, max_body_bytes, agent_id, brand, on_error)


class ReplayEndpoint:
    """Answers replays on any server: pass it to ``asgi_app``, ``wsgi_app`` or ``answer_http``."""

    def __init__(
        self,
        handler: Handler,
        flush: Callable[[], object] | None,
        token: str | None,
        enabled: bool | None,
        max_body_bytes: int,
        agent_id: str | None,
        brand: str,
        on_error: Callable[[BaseException], object] | None,
    ) -> None:
        self.max_body_bytes = max_body_bytes
        self._handler = handler
        self._is_async = inspect.iscoroutinefunction(handler)
        self._flush = _OneAtATime(flush or (lambda: None))
        self._enabled = enabled
        self._is_production = in_production()
        self._token = _usable(token, bool(enabled) and self._is_production)
        self._agent_id = agent_id
        self._names = wire_names(brand)
        self._on_error = on_error or _log
        self._is_off_explained = enabled is not None

    def check(self, head: Head) -> None:
        """Raises the answer if the body need not be read for it."""
        try:
            self._check(head)
        except Refusal as refusal:
            raise refusal.with_headers(self._start_headers(head)) from None

    def _check(self, head: Head) -> None:
        if not self._is_open_to(head):
            if not self._is_off_explained:
                _LOG.warning(_CLOSED)
            self._is_off_explained = True
            why = "closed" if self._enabled is None else "disabled"
            raise Refusal(404, "NOT_FOUND", "There is nothing here.", headers={self._names.off_header: why})
        check_head(head, self._token, self.max_body_bytes)

    def answer(self, head: Head, body: bytes) -> Answer:
        """Takes the turn that a checked request asks for. It never raises."""
        try:
            with replaying(self._turn_of(head, body)) as turn:
                try:
                    given, failure = self._take(turn), None
                except Exception as error:
                    given, failure = None, error
                return self._answered(turn, given, failure, self._flushed())
        except Exception as error:
            return self.failed(error)

    async def answer_async(self, head: Head, body: bytes) -> Answer:
        """The same within an event loop: a handler that is not ``async`` runs in a thread."""
        try:
            with replaying(self._turn_of(head, body)) as turn:
                try:
                    given, failure = await self._take_async(turn), None
                except Exception as error:
                    given, failure = None, error
                return self._answered(turn, given, failure, await asyncio.to_thread(self._flushed))
        except Exception as error:
            return self.failed(error)

    def failed(self, error: Exception, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer for an exception."""
        if isinstance(error, Respond) or (isinstance(error, Refusal) and error.answer.status < 500):
            return error.answer
        self._on_error(error)
        return (error if isinstance(error, Refusal) else Refusal(500, "TURN_FAILED", _FAILED, headers=headers)).answer

    def _is_open_to(self, head: Head) -> bool:
        if self._enabled is not None:
            return self._enabled
        token = os.environ.get(self._names.run_token_variable)
        given = head.headers.get(self._names.run_token_header, "")
        is_own_run = bool(token) and is_same_token(given, token or "")
        return is_own_run or (not self._is_production and _is_from_here(head))

    def _start_headers(self, head: Head) -> dict[str, str]:
        """Whether agent-replay started this process, for a run that asks."""
        nonce = head.headers.get(self._names.start_header)
        if nonce is None or head.method == "POST":
            return {}
        token = os.environ.get(self._names.run_token_variable)
        return {self._names.start_header: start_proof(nonce, token) if token else _NOT_STARTED}

    def _turn_of(self, head: Head, body: bytes) -> ReplayTurn:
        request = read_request(body, head.headers, self._names)
        agent_id = self._agent_id or os.environ.get(self._names.agent_id_variable)
        return ReplayTurn(request, self._names, agent_id)

    def _take(self, turn: ReplayTurn) -> Any:
        given = self._handler(turn)
        return asyncio.run(_awaited(given)) if inspect.isawaitable(given) else given

    async def _take_async(self, turn: ReplayTurn) -> Any:
        given = self._handler(turn) if self._is_async else await asyncio.to_thread(self._handler, turn)
        return await given if inspect.isawaitable(given) else given

    def _flushed(self) -> Exception | None:
        """Also after a failed turn, whose trace shows why."""
        try:
            # OpenTelemetry's flush returns False if its time was up.
            return TimeoutError("The flush returned False: its time was up.") if self._flush() is False else None
        except Exception as error:
            return error

    def _answered(self, turn: ReplayTurn, given: Any, failure: Exception | None, unsent: Exception | None) -> Answer:
        spans = turn.tracing.spans
        if unsent is not None:
            self._on_error(unsent)
        if failure is not None:
            # Then nobody waits for a trace that cannot come.
            return self.failed(failure, None if turn.tracing.reached else {self._names.spans_header: "0"})
        if not turn.tracing.reached:
            raise Refusal(500, "TURN_NOT_TRACED", _NOT_TRACED)
        if unsent is not None:
            raise Refusal(500, "TRACE_NOT_SENT", _NOT_SENT)
        said = given if isinstance(given, TurnAnswer) else TurnAnswer(given)
        body = {"session_id": said.session_id or turn.session_id, "run_id": said.run_id or turn.run_id}
        if turn.replay_run_id is not None:
            body[self._names.replay_run_id] = turn.replay_run_id
        headers = {} if spans is None else {self._names.spans_header: str(spans)}
        return json_answer(200, {**body, "output": said.output}, headers)


_LOG = logging.getLogger("agent_replay")
# The asked process was not started by a run.
_NOT_STARTED = "none"
_CLOSED = (
    "The replay endpoint refused a call. By default it answers the agent-replay that started this process and, outside of "
    "production, callers that it sees to be on this machine. Pass enabled=True to replay_endpoint to answer all, with a token."
)
_FAILED = "The turn failed. The agent's own log says why."
_NOT_SENT = "The turn was taken, but its trace could not be sent. The agent's own log says why."
_NOT_TRACED = (
    "The turn was taken, but nothing puts turn.metadata on its trace, so agent-replay cannot find it. "
    "Add ReplaySpanProcessor() to the tracer provider, or hand turn.metadata to what traces a turn."
)

# Python has no such variable of its own; hosts and frameworks set these.
_ENVIRONMENT_VARIABLES = ("ENVIRONMENT", "APP_ENV", "ENV", "PYTHON_ENV", "FLASK_ENV", "NODE_ENV")


def in_production() -> bool:
    """Whether ENVIRONMENT, APP_ENV, ENV, PYTHON_ENV, FLASK_ENV or NODE_ENV is ``production`` or ``prod``."""
    said = (os.environ.get(name, "").strip().lower() for name in _ENVIRONMENT_VARIABLES)
    return any(value in ("production", "prod") for value in said)


_HERE = re.compile(r"(localhost|(::ffff:)?127(\.\d+){3}|\[?::1\]?)(:\d+)?", re.IGNORECASE | re.ASCII)
_FORWARDED = re.compile(r"x-forwarded-.*|x-real-ip|forwarded|via")


def _is_from_here(head: Head) -> bool:
    """A page says where it comes from, or rebinds its own name to this machine. A proxy is shown by what it adds."""
    origin = re.sub("^https?://", "", head.headers.get("origin", "localhost"))
    hosts = (head.caller, head.headers.get("host", ""), origin)
    return all(map(_HERE.fullmatch, hosts)) and not any(map(_FORWARDED.fullmatch, head.headers))


def _usable(token: str | None, is_required: bool) -> str | None:
    if token is _UNSET:
        return None
    if token == "" or (token is None and is_required):
        raise ValueError(
            "The token of the replay endpoint is not set. Set the variable that it is read from, or leave the argument "
            "out where something else protects the endpoint. (CONFIG_INVALID)"
        )
    return token


def _log(error: BaseException) -> None:
    _LOG.error("A replay failed: %s", error, exc_info=error)


async def _awaited(given: Awaitable[Any]) -> Any:
    return await given


class _OneAtATime:
    """One flush follows the other, and whoever comes during one shares the next.

    Side by side, a flush does not wait for the spans that another has just taken.
    """

    def __init__(self, flush: Callable[[], object]) -> None:
        self._flush = flush
        self._runs = threading.Lock()
        self._state = threading.Lock()
        self._next: Future[object] | None = None

    def __call__(self) -> object:
        with self._state:
            is_first = self._next is None
            mine = self._next = self._next or Future()
        if is_first:
            with self._runs:
                with self._state:
                    self._next = None
                try:
                    mine.set_result(self._flush())
                except BaseException as error:
                    mine.set_exception(error)
        return mine.result()
