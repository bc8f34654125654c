"""The decorator, and a server that answers as agent-replay does (docs/tools.md, The protocol)."""

import asyncio
import dataclasses
import inspect
import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

from agent_replay._http import Head
from agent_replay.endpoint import replay_endpoint
from agent_replay.tools import ToolNotReplayed, replay_tool


class Recordings:
    """Remembers what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.answer: Any = {"policy": "live"}
        self.status = 200
        recordings = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                recordings.asked.append({**asked, "token": self.headers["authorization"]})
                answer = {} if "name" not in asked else recordings.answer
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(recordings.status)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def environment(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self.server.server_port}/tools"
        return {"AGENT_REPLAY_TOOLS_URL": url, "AGENT_REPLAY_TOOLS_TOKEN": "t", "http_proxy": "http://127.0.0.1:9"}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Tools(unittest.TestCase):
    def setUp(self) -> None:
        self.recordings = Recordings()
        self.addCleanup(self.recordings.close)
        patched = mock.patch.dict(os.environ, self.recordings.environment())
        patched.start()
        self.addCleanup(patched.stop)
        self.ran: list[Any] = []

    def tool(self, **options: Any) -> Any:
        @replay_tool(**options)
        def lookup(order_id: str, *, unit: str = "kg", **more: Any) -> Any:
            """Looks an order up."""
            self.ran.append(order_id)
            return {"id": order_id}

        return lookup

    def test_it_says_what_it_wraps_and_a_recorded_result_stands_for_the_call(self) -> None:
        self.recordings.answer = {"policy": "recorded", "result": [1, None]}
        self.assertEqual(self.tool()("7", extra=1), [1, None])
        self.assertEqual(self.ran, [])
        wrapped, asked = self.recordings.asked
        self.assertEqual(wrapped, {"wrapped": ["lookup"], "token": "Bearer t"})
        self.assertEqual(asked, {"name": "lookup", "arguments": {"order_id": "7", "extra": 1}, "token": "Bearer t"})

    def test_a_live_tool_runs_and_its_result_is_told_where_it_was_asked_for(self) -> None:
        self.recordings.answer = {"policy": "live", "ticket": 4}
        self.assertEqual(self.tool(name="find")("7"), {"id": "7"})
        self.assertEqual(self.recordings.asked[-1], {"ticket": 4, "result": {"id": "7"}, "token": "Bearer t"})

    def test_a_recorded_failure_is_raised_as_it_was(self) -> None:
        told = "LookupError: There is no order 7."
        for options, message, kind, text in [
            ({}, told, LookupError, "There is no order 7."),
            ({}, "no such order", Exception, "no such order"),
            ({"error": LookupError}, "There is no order 7.", LookupError, "There is no order 7."),
            ({}, "OrderGone: 7", Exception, "OrderGone: 7"),
            ({}, "UnicodeDecodeError: bytes", Exception, "UnicodeDecodeError: bytes"),
        ]:
            self.recordings.answer = {"policy": "recorded", "error": message}
            with self.subTest(message), self.assertRaises(kind) as raised:
                self.tool(**options)("7")
            self.assertEqual((type(raised.exception), str(raised.exception)), (kind, text))
        self.assertEqual(self.ran, [])

    def test_it_fails_closed(self) -> None:
        for status, answer, message in [
            (200, {"policy": "missed", "message": "no call is recorded"}, "no call is recorded"),
            (200, {"policy": "refused", "message": "whose call is it?"}, "whose call is it"),
            (200, {}, "cannot be read"),
            (200, b"<html>", "does not answer"),
            (401, {"policy": "live"}, "does not answer"),
            (500, {"policy": "live"}, "does not answer"),
        ]:
            self.recordings.status, self.recordings.answer = status, answer
            with self.subTest(status=status, answer=answer), self.assertRaisesRegex(ToolNotReplayed, message):
                self.tool()("7")
        tool = self.tool()
        self.recordings.close()
        with self.assertRaisesRegex(ToolNotReplayed, "does not answer"):
            tool("7")
        self.assertEqual(self.ran, [])

    def test_a_call_belongs_to_the_replay_in_whose_turn_it_is_made(self) -> None:
        @replay_tool
        async def lookup(order_id: str) -> str:
            return order_id

        async def take(turn: Any) -> list[str]:
            return [turn.metadata["run_id"], *await asyncio.gather(lookup("1"), lookup("2"))]

        body = {"is_replay": True, "input": "x", "svc_replay_run_id": "r-1"}
        head = Head("POST", {"content-type": "application/json"})
        asyncio.run(replay_endpoint(take).answer_async(head, json.dumps(body).encode()))
        asked = [each for each in self.recordings.asked if "name" in each]
        self.assertEqual([each["svc_replay_run_id"] for each in asked], ["r-1", "r-1"])

    def test_arguments_are_looked_up_as_they_are_traced(self) -> None:
        @dataclasses.dataclass
        class Place:
            city: str

        class Desk:
            @replay_tool
            def weather(self, place: Place, days: set[int]) -> None: ...

        @replay_tool(arguments=lambda context, order_id: {"order": order_id})
        def lookup(context: object, order_id: str) -> None: ...

        Desk().weather(Place("Oslo"), days={1})
        lookup(object(), "7")
        asked = [each["arguments"] for each in self.recordings.asked if "name" in each]
        self.assertEqual(asked, [{"place": {"city": "Oslo"}, "days": [1]}, {"order": "7"}])

    def test_frameworks_find_the_signature_and_the_docstring(self) -> None:
        self.assertEqual(list(inspect.signature(self.tool()).parameters), ["order_id", "unit", "more"])
        self.assertEqual(self.tool().__doc__, "Looks an order up.")

    def test_a_generator_is_refused_where_it_is_wrapped(self) -> None:
        def pieces() -> Any:
            yield 1

        with self.assertRaisesRegex(TypeError, "piece by piece"):
            replay_tool(pieces)


class InProduction(unittest.TestCase):
    def test_a_tool_is_left_as_it_is(self) -> None:
        def lookup() -> None: ...

        with mock.patch.dict(os.environ):
            os.environ.pop("AGENT_REPLAY_TOOLS_URL", None)
            self.assertIs(replay_tool(lookup), lookup)
            self.assertIs(replay_tool(error=LookupError)(lookup), lookup)


if __name__ == "__main__":
    unittest.main()
