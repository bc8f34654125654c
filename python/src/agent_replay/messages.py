"""The recorded conversation as the SDKs take it.

Messages come in one shape, OpenAI's chat form, whatever was recorded. Chat Completions take them as they are; the others
take what these functions make. All of it is plain data: no SDK is imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

Message = Mapping[str, Any]


def to_langchain_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """For ``graph.invoke({"messages": ...})`` of LangChain and LangGraph, which make their own messages of these."""
    return [_langchain(message) for message in _conversation(messages)]


def _langchain(message: Message) -> dict[str, Any]:
    role = message["role"]
    if role == "user":
        return {"role": "user", "content": message["content"]}
    if role == "assistant":
        calls = [{"type": "tool_call", **call} for call in _calls(message)]
        return {"role": "assistant", "content": text_of(message, ""), **({"tool_calls": calls} if calls else {})}
    if role == "tool":
        status = {"status": "error"} if message.get("is_error") else {}
        return {**_with_name(message), "content": text_of(message), "tool_call_id": message["tool_call_id"], **status}
    return {"role": "system", "content": text_of(message)}


def to_chat_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """For ``chat.completions.create(messages=...)`` of OpenAI and compatible APIs, without our own marks."""
    return [{key: value for key, value in message.items() if key != "is_error"} for message in messages]


def to_responses_input(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """For ``responses.create(input=...)`` of OpenAI, and ``Runner.run(agent, ...)`` of its Agents SDK.

    Ids of items are never among them: the API would look for them.
    """
    return [item for message in _conversation(messages) for item in _responses(message)]


def _responses(message: Message) -> list[dict[str, Any]]:
    role = message["role"]
    if role == "user":
        content = message["content"]
        parts = content if isinstance(content, str) else [_responses_part(part) for part in content]
        return [{"role": "user", "content": parts}]
    if role == "assistant":
        text = text_of(message, "")
        calls = [
            {"type": "function_call", "call_id": call["id"], **_only(call["function"], "name", "arguments")}
            for call in message.get("tool_calls") or []
        ]
        return [*([{"role": "assistant", "content": text}] if text else []), *calls]
    if role == "tool":
        return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": text_of(message)}]
    return [{"role": "system", "content": text_of(message)}]


def _responses_part(part: Mapping[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if kind == "text":
        return {"type": "input_text", "text": part["text"]}
    if kind == "image_url":
        return {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "auto"}
    if kind == "file":
        return {"type": "input_file", **part["file"]}
    raise _not_taken("OpenAI's Responses API", kind)


def to_anthropic_messages(messages: Iterable[Message]) -> dict[str, Any]:
    """For ``messages.create(**...)`` of Anthropic: ``messages``, and ``system`` if a system prompt was sent."""
    system: list[str] = []
    all_: list[dict[str, Any]] = []
    for message in _conversation(messages):
        role = message["role"]
        if role == "system":
            system.append(text_of(message))
        elif role == "assistant":
            calls = [{"type": "tool_use", **_only(c, "id", "name"), "input": c["args"]} for c in _calls(message)]
            text = text_of(message, "")
            said = [{"type": "text", "text": text}] if text else []
            all_.append({"role": "assistant", "content": [*said, *calls] if calls else text})
        elif role == "tool":
            failed = {"is_error": True} if message.get("is_error") else {}
            result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text_of(message), **failed}
            _say(all_, [result])
        else:
            _say(all_, message["content"])
    return {**({"system": "\n".join(system)} if system else {}), "messages": all_}


def _say(all_: list[dict[str, Any]], content: Any) -> None:
    """In the message after calls, results come first, then the user's text."""
    last = all_[-1] if all_ else {}
    goes_on = last.get("role") == "user" and isinstance(last["content"], list)
    if isinstance(content, str):
        if not goes_on:
            all_.append({"role": "user", "content": content})
            return
        content = [{"type": "text", "text": content}]
    parts = [part if part.get("type") == "tool_result" else _anthropic_part(part) for part in content]
    if goes_on:
        last["content"] = [*last["content"], *parts]
    else:
        all_.append({"role": "user", "content": parts})


def _anthropic_part(part: Mapping[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if kind == "text":
        return {"type": "text", "text": part["text"]}
    if kind == "image_url":
        return {"type": "image", "source": _source(part["image_url"]["url"])}
    data = part.get("file", {}).get("file_data", "")
    if kind == "file" and data and data.startswith(("data:application/pdf;", "http")):
        title = part["file"].get("filename")
        return {"type": "document", "source": _source(data), **({"title": title} if title else {})}
    raise _not_taken("Anthropic", "a file that is not a PDF" if kind == "file" else kind)


def _source(url: str) -> dict[str, str]:
    found = re.fullmatch(r"data:([^;,]+)(?:;[^,]*)?;base64,(.*)", url, re.DOTALL)
    if found is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": found[1], "data": found[2]}


def _not_taken(taker: str, what: object) -> ValueError:
    return ValueError(
        f"{taker} takes no {what} in a message. Leave the session out, or convert its messages by hand. (INPUT_INVALID)"
    )


def text_of(message: Message, between: str = "\n") -> str:
    """All text of a message, with line breaks between its parts."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    return between.join(text for part in content or [] if (text := _part_text(part)) is not None)


_TEXTS = ("text", "input_text", "output_text", None)


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
        return None
    return next((part[key] for key in ("text", "content") if isinstance(part.get(key), str)), None)


def last_user_text(messages: Iterable[Message]) -> str | None:
    """Text of the last user message with text, in any common shape; None if there is none."""
    said = [text_of(each, "") for each in messages if str(each.get("role")).lower() in ("user", "human")]
    return next((text for text in reversed(said) if text.strip()), None)


_ROLES = ("system", "developer", "user", "assistant", "tool")


def _conversation(messages: Iterable[Message]) -> list[Message]:
    """Each result with the name of its tool, and ``developer`` as ``system``."""
    names: dict[str, str] = {}
    told: list[Message] = []
    for message in messages:
        if message.get("role") not in _ROLES or ("content" not in message and "tool_calls" not in message):
            raise ValueError(
                f"A message is not in OpenAI's chat form: it has {', '.join(sorted(message))}. A pin of an older version may "
                "hold such messages; `agent-replay pin --update` writes them in that form. (INPUT_INVALID)"
            )
        for call in message.get("tool_calls") or []:
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "tool" and not message.get("name") and message.get("tool_call_id") in names:
            message = {**message, "name": names[message["tool_call_id"]]}
        told.append({**message, "role": "system"} if message["role"] == "developer" else message)
    return told


def _calls(message: Message) -> list[dict[str, Any]]:
    """Calls with their arguments as an object; a text that spells no object becomes the only argument."""
    calls = message.get("tool_calls") or []
    return [
        {"id": call["id"], "name": call["function"]["name"], "args": _arguments(call["function"]["arguments"])}
        for call in calls
    ]


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"input": value}


def _with_name(message: Message) -> dict[str, Any]:
    return {"role": "tool", **_only(message, "name")}


def _only(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}
