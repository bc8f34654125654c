"""Lets the recording answer for tools while agent-replay replays a session. Standard library only; see docs/tools.md."""

import asyncio
import contextvars
import functools
import inspect
import json
import os
import urllib.request

URL = os.environ.get("AGENT_REPLAY_TOOLS_URL")
# The replay that this thread or task works for: set it where a turn begins.
replay_run_id = contextvars.ContextVar("replay_run_id", default=None)


class ToolNotReplayed(Exception):
    """The tool did not run: the recording does not hold the call, or nobody could be asked."""


def recorded_tool(error=Exception):
    """Wraps a function, `async` or not. `error` is what it raises when it fails. In production it is left as it is."""

    def wrap(function):
        if not URL:
            return function
        name, signature = function.__name__, inspect.signature(function)
        post({"wrapped": [name]})

        def ask(args, kwargs):
            call = {"name": name, "arguments": dict(signature.bind(*args, **kwargs).arguments)}
            answer = post({**call, **({"svc_replay_run_id": run} if (run := replay_run_id.get()) else {})})
            if answer["policy"] not in ("recorded", "live"):
                raise ToolNotReplayed(answer["message"])
            if "error" in answer:
                raise error(answer["error"].removeprefix(f"{error.__name__}: "))
            return answer

        def tell(answer, result):
            if "ticket" in answer:
                post({"svc_replay_run_id": replay_run_id.get(), "ticket": answer["ticket"], "result": result})
            return result

        @functools.wraps(function)
        def stand_in(*args, **kwargs):
            answer = ask(args, kwargs)
            return answer.get("result") if answer["policy"] == "recorded" else tell(answer, function(*args, **kwargs))

        @functools.wraps(function)
        async def async_stand_in(*args, **kwargs):
            answer = await asyncio.to_thread(ask, args, kwargs)
            if answer["policy"] == "recorded":
                return answer.get("result")
            return await asyncio.to_thread(tell, answer, await function(*args, **kwargs))

        return async_stand_in if inspect.iscoroutinefunction(function) else stand_in

    return wrap


def post(body):
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['AGENT_REPLAY_TOOLS_TOKEN']}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL, json.dumps(body).encode(), headers), timeout=30) as answer:
            return json.load(answer)
    except OSError as cause:
        raise ToolNotReplayed("agent-replay, which has the recorded results, does not answer") from cause
