"""One endpoint, three kinds of server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from ._http import Answer, Head, Refusal
from ._request import incomplete, too_large

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
StartResponse = Callable[..., Any]


class Endpoint(Protocol):
    max_body_bytes: int

    def check(self, head: Head) -> None: ...
    def failed(self, error: Exception) -> Answer: ...
    def answer(self, head: Head, body: bytes) -> Answer: ...
    async def answer_async(self, head: Head, body: bytes) -> Answer: ...


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class asgi_app:
    """An endpoint as an ASGI application. In FastAPI and Starlette: ``app.add_route("/replay", asgi_app(replay))``.

    The turn of a caller that has gone is cancelled, where the handler is ``async``. Routers take an object for an
    application, and a function for a handler of their own: that is why this is a class.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"The replay endpoint answers HTTP requests, not {scope['type']}.")
        headers = _joined((k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"])
        head = Head(scope["method"], headers, (scope.get("client") or ("",))[0])
        try:
            self._endpoint.check(head)
            body = await _received(receive, self._endpoint.max_body_bytes)
        except Refusal as refusal:
            await _send(send, self._endpoint.failed(refusal))
            return
        answer = await _unless_gone(self._endpoint.answer_async(head, body), receive)
        if answer is not None:
            await _send(send, answer)


async def _received(receive: Receive, limit: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise incomplete()
        body += message.get("body", b"")
        if len(body) > limit:
            raise too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


async def _unless_gone(answering: Awaitable[Answer], receive: Receive) -> Answer | None:
    """Ignores that a job was cancelled."""
    answer = asyncio.ensure_future(answering)
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        for task in (answer, gone):
            task.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(send: Send, answer: Answer) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in _headers_of(answer)]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


def wsgi_app(endpoint: Endpoint) -> Callable[[dict[str, Any], StartResponse], Iterable[bytes]]:
    """An endpoint as a WSGI application. In Flask: a view that returns ``wsgi_app(replay)``."""

    def application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        answer = _answered(endpoint, _wsgi_head(environ), environ["wsgi.input"], environ.get("wsgi.input_terminated"))
        start_response(f"{answer.status} {_reason(answer.status)}", list(_headers_of(answer)))
        return [answer.body]

    return application


def _wsgi_head(environ: dict[str, Any]) -> Head:
    named = [(key[5:].replace("_", "-"), value) for key, value in environ.items() if key.startswith("HTTP_")]
    named += [(key.replace("_", "-"), environ[key]) for key in ("CONTENT_TYPE", "CONTENT_LENGTH") if environ.get(key)]
    return Head(environ["REQUEST_METHOD"], _joined(named), environ.get("REMOTE_ADDR", ""))


def answer_http(endpoint: Endpoint, handler: BaseHTTPRequestHandler) -> None:
    """Answers a request of ``http.server``: call it in ``do_POST`` for the endpoint's path."""
    head = Head(handler.command, _joined(handler.headers.items()), "".join(handler.client_address[:1]))
    answer = _answered(endpoint, head, handler.rfile, False)
    handler.send_response(answer.status)
    for name, value in _headers_of(answer):
        handler.send_header(name, value)
    if answer.status >= HTTPStatus.BAD_REQUEST:
        # The rest of a refused body would be taken for the next request.
        handler.send_header("connection", "close")
        handler.close_connection = True
    handler.end_headers()
    handler.wfile.write(answer.body)


def _answered(endpoint: Endpoint, head: Head, stream: Readable, is_terminated: Any) -> Answer:
    try:
        endpoint.check(head)
        body = _read(stream, head, bool(is_terminated), endpoint.max_body_bytes)
    except Refusal as refusal:
        return endpoint.failed(refusal)
    return endpoint.answer(head, body)


def _read(stream: Readable, head: Head, is_terminated: bool, limit: int) -> bytes:
    length = head.headers.get("content-length", "")
    if length.isdecimal():
        body = stream.read(int(length))
        if len(body) < int(length):
            raise incomplete()
        return body
    if not is_terminated:
        if "transfer-encoding" in head.headers:
            raise incomplete("The body comes in chunks, which this server does not put together: send a content-length.")
        return b""
    body = stream.read(limit + 1)
    if len(body) > limit:
        raise too_large(limit)
    return body


def _headers_of(answer: Answer) -> Iterable[tuple[str, str]]:
    return {**answer.headers, "content-length": str(len(answer.body))}.items()


def _joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
