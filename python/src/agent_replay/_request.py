"""Reads a replay request: docs/endpoint.md has the contract."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ._http import Head, Refusal
from ._wire import WireNames, is_same_token

# Tracing SDKs drop longer values, with only a warning in the log.
MAX_METADATA_LENGTH = 200
# Deeper nesting is refused before recursive code sees it.
MAX_DEPTH = 1_000
SHOWN_CHARS = 60

Message = dict[str, Any]
Issue = dict[str, str]


@dataclass(frozen=True)
class ReplayRequest:
    """A replay request, whether its metadata came in the body or in headers."""

    messages: list[Message] | None
    input: str | None
    model: str | None
    replay_run_id: str | None
    original_session_id: str | None
    turn_trace_id: str | None
    include_prior_context: bool | None


def check_head(head: Head, token: str | None, max_body_bytes: int) -> None:
    """Runs the cheap checks: nothing of a stranger's body is read."""
    if head.method != "POST":
        raise Refusal(405, "METHOD_NOT_ALLOWED", "A replay is sent with POST.", headers={"allow": "POST"})
    if token is not None and not _is_bearer(head.headers.get("authorization", ""), token):
        message = "The header authorization does not carry the token of this endpoint."
        raise Refusal(401, "UNAUTHORIZED", message, headers={"www-authenticate": "Bearer"})
    _refuse_other_content(head.headers)
    length = head.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_body_bytes:
        raise too_large(max_body_bytes)


def _is_bearer(authorization: str, token: str) -> bool:
    found = re.fullmatch(r"bearer +(\S+) *", authorization, re.IGNORECASE)
    return is_same_token(found[1] if found else "", token)


def _refuse_other_content(headers: Mapping[str, str]) -> None:
    """Anything but JSON could come from a form on any web page, which a browser sends without asking the server first."""
    content_type = headers.get("content-type", "")
    if not re.match(r"application/([\w.+-]+\+)?json *(;|$)", content_type, re.IGNORECASE | re.ASCII):
        raise Refusal(415, "CONTENT_TYPE_UNSUPPORTED", "The content-type is not application/json.")
    if headers.get("content-encoding", "").lower() not in ("", "identity"):
        message = "The body is compressed. Send it as plain JSON."
        raise Refusal(415, "CONTENT_TYPE_UNSUPPORTED", message)


def too_large(max_body_bytes: int) -> Refusal:
    return Refusal(413, "BODY_TOO_LARGE", f"The body is larger than {max_body_bytes} bytes.")


def incomplete(message: str = "The body broke off.") -> Refusal:
    return Refusal(400, "BODY_INCOMPLETE", message)


def read_request(body: bytes, headers: Mapping[str, str], names: WireNames) -> ReplayRequest:
    """The body wins if body and header both have a value. Raises ``Refusal`` with the path of each mistake."""
    fields = _fields_of(_parsed(body))
    issues: list[Issue] = []
    values = {key: _checked(read, fields.get(key), f"/{key}", issues) for key, read in _readers(names).items()}
    if values["messages"] is None and values["input"] is None and not issues:
        issues.append({"path": "", "message": "messages or input is required"})
    _refuse(issues)
    for key in _carried(names):
        name = names.header_of(key)
        from_header = _checked(_boolean_text if key in _flags(names) else _text, headers.get(name), f"/{name}", issues)
        values[key] = from_header if values[key] is None else values[key]
    _refuse(issues)
    _refuse(_mistakes(values, names))
    return ReplayRequest(
        messages=values["messages"],
        input=values["input"],
        model=values["model"],
        replay_run_id=values[names.replay_run_id],
        original_session_id=values[names.original_session_id],
        turn_trace_id=values[names.turn_trace_id],
        include_prior_context=values[names.include_prior_context],
    )


def _mistakes(values: Mapping[str, Any], names: WireNames) -> list[Issue]:
    issues: list[Issue] = []
    # Otherwise a sandbox that depends on it would be off, and the real tools would act.
    if values[names.is_replay] is not True:
        issues.append({"path": f"/{names.is_replay}", "message": "must be true"})
    if values["messages"] == [] and values["input"] is None:
        issues.append({"path": "/messages", "message": "is empty, and there is no input"})
    # If it were cut, the replay's trace could not be found by it.
    if len(values[names.replay_run_id] or "") > MAX_METADATA_LENGTH:
        message = f"is longer than the {MAX_METADATA_LENGTH} characters that tracing SDKs keep"
        issues.append({"path": f"/{names.replay_run_id}", "message": message})
    return issues


def _refuse(issues: list[Issue]) -> None:
    if not issues:
        return
    told = "; ".join(f"{issue['path'] or 'body'}: {issue['message']}" for issue in issues)
    raise Refusal(400, "REQUEST_INVALID", f"This is not a replay request. {told}", issues=issues)


def _parsed(body: bytes) -> Any:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(400, "BODY_NOT_JSON", "The body is not UTF-8 text.") from None
    try:
        value = json.loads(text, parse_constant=_no_number)
        _bound(value)
    except json.JSONDecodeError as error:
        message = f"The body is not JSON, at offset {error.pos}: {error.msg}" if text.strip() else "The body is not JSON: empty"
        raise Refusal(400, "BODY_NOT_JSON", message) from None
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "BODY_NOT_JSON", f"The body is not JSON: {error}") from None
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"JSON has no number {name}")


def _bound(value: Any) -> None:
    level, depth = [value], 0
    while level := [each for each in level if isinstance(each, (dict, list))]:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        level = [child for each in level for child in (each.values() if isinstance(each, dict) else each)]


def _fields_of(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    _refuse([{"path": "", "message": f"expected an object, found {_in_words(value)}"}])
    return {}


class _Mistakes(Exception):
    """What is wrong with a value, by the path below it."""

    def __init__(self, *found: tuple[str, str]) -> None:
        self.found = found


def _checked(read: Any, value: Any, path: str, issues: list[Issue]) -> Any:
    """Many clients send null for a value that they do not have."""
    if value is None:
        return None
    try:
        return read(value)
    except _Mistakes as mistakes:
        issues.extend({"path": path + below, "message": message} for below, message in mistakes.found)
        return None


def _readers(names: WireNames) -> dict[str, Any]:
    """In the order in which mistakes are reported."""
    return {
        "messages": _messages,
        "input": _text,
        "model": _text,
        names.is_replay: _boolean,
        names.replay_run_id: _text,
        names.original_session_id: _text,
        names.turn_trace_id: _text,
        names.include_prior_context: _boolean,
    }


def _flags(names: WireNames) -> tuple[str, str]:
    return names.is_replay, names.include_prior_context


def _carried(names: WireNames) -> list[str]:
    return [key for key in _readers(names) if key not in ("messages", "input", "model")]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Mistakes(("", f"expected a text, found {_in_words(value)}"))
    return value


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _boolean_text(value)
    raise _Mistakes(("", f"expected true or false, found {_in_words(value)}"))


def _boolean_text(value: str) -> bool:
    word = value.strip().lower()
    if word not in ("true", "false", "1", "0"):
        raise _Mistakes(("", f'expected one of "0", "1", "true" or "false", found {_in_words(word)}'))
    return word in ("true", "1")


def _messages(value: Any) -> list[Message]:
    if not isinstance(value, list):
        raise _Mistakes(("", f"expected a list, found {_in_words(value)}"))
    wrong = [(f"/{index}", why) for index, message in enumerate(value) if (why := _no_message(message))]
    if wrong:
        raise _Mistakes(*wrong)
    return value


def _no_message(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"expected an object, found {_in_words(value)}"
    return None if isinstance(value.get("role"), str) else "a message needs a role"


def _in_words(value: Any) -> str:
    """In the words of the TypeScript version, so that both give the same answer."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    is_long = isinstance(value, str) and len(value) > SHOWN_CHARS
    return json.dumps(f"{value[: SHOWN_CHARS - 1]}…" if is_long else value, ensure_ascii=False)
