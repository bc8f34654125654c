"""What the table of requests (test/endpoint/requests.ts) cannot ask: threads, event loops, flushes, callers that go."""

import asyncio
import contextlib
import json
import os
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

from agent_replay._http import Head
from agent_replay.endpoint import ReplayTurn, asgi_app, replay_endpoint
from agent_replay.tracing import running_replay

HEAD = Head("POST", {"content-type": "application/json"})


def body(run_id: str = "r-1", **more: Any) -> bytes:
    return json.dumps({"is_replay": True, "input": "hello", "svc_replay_run_id": run_id, **more}).encode()


def traced(turn: ReplayTurn) -> str:
    return turn.metadata["session_id"]


class Flushes(unittest.TestCase):
    def test_traces_are_flushed_before_the_answer_and_after_a_turn_that_failed(self) -> None:
        order: list[str] = []

        def take(turn: ReplayTurn) -> str:
            order.append(f"turn {turn.metadata['svc_replay_run_id']}")
            return "done" if turn.replay_run_id == "good" else str(1 / 0)

        endpoint = replay_endpoint(take, flush=lambda: order.append("flush"), on_error=lambda error: None)
        self.assertEqual([endpoint.answer(HEAD, body(run)).status for run in ("good", "bad")], [200, 500])
        self.assertEqual(order, ["turn good", "flush", "turn bad", "flush"])

    def test_a_trace_that_could_not_be_sent_is_a_500_and_the_next_call_is_not_affected(self) -> None:
        outcomes = iter([OSError("401 from the platform"), False, None])
        told: list[str] = []

        def flush() -> object:
            outcome = next(outcomes)
            if isinstance(outcome, OSError):
                raise outcome
            return outcome

        endpoint = replay_endpoint(traced, flush=flush, on_error=lambda error: told.append(str(error)))
        answers = [endpoint.answer(HEAD, body()) for _ in range(3)]
        self.assertEqual([each.status for each in answers], [500, 500, 200])
        self.assertEqual(json.loads(answers[0].body)["error"]["code"], "TRACE_NOT_SENT")
        self.assertEqual(told[0], "401 from the platform")

    def test_flushes_never_run_side_by_side_and_calls_that_come_during_one_share_the_next(self) -> None:
        entered, leave = threading.Semaphore(0), threading.Semaphore(0)
        taken = threading.Semaphore(0)
        flushes: list[int] = []

        def flush() -> None:
            flushes.append(len(flushes))
            entered.release()
            leave.acquire()

        def take(turn: ReplayTurn) -> str:
            taken.release()
            return traced(turn)

        endpoint = replay_endpoint(take, flush=flush)
        with ThreadPoolExecutor(4) as pool:
            first = pool.submit(endpoint.answer, HEAD, body())
            entered.acquire()
            others = [pool.submit(endpoint.answer, HEAD, body()) for _ in range(3)]
            for _ in range(4):
                taken.acquire()
            self.assertEqual(flushes, [0])
            leave.release()
            entered.acquire()
            for _ in range(3):
                leave.release()
            self.assertEqual({each.result().status for each in [first, *others]}, {200})
        self.assertLess(len(flushes), 4)


class Handlers(unittest.TestCase):
    def test_an_async_handler_is_run_where_there_is_no_event_loop(self) -> None:
        async def take(turn: ReplayTurn) -> str:
            await asyncio.sleep(0)
            return f"{traced(turn)} of {running_replay()}"

        answer = replay_endpoint(take).answer(HEAD, body())
        self.assertEqual(json.loads(answer.body)["output"], "replay-session of r-1")

    def test_a_handler_that_blocks_holds_up_no_event_loop_and_knows_its_replay(self) -> None:
        both = threading.Barrier(2)

        def take(turn: ReplayTurn) -> str | None:
            both.wait()
            return running_replay() if turn.metadata else None

        endpoint = replay_endpoint(take)

        async def ask() -> list[Any]:
            return await asyncio.gather(*(endpoint.answer_async(HEAD, body(run)) for run in ("a", "b")))

        self.assertEqual([json.loads(each.body)["output"] for each in asyncio.run(ask())], ["a", "b"])

    def test_a_failure_tells_the_caller_nothing_of_why_and_the_log_all(self) -> None:
        endpoint = replay_endpoint(lambda turn: {}["password is hunter2"])
        with self.assertLogs("agent_replay", "ERROR") as log:
            answer = endpoint.answer(HEAD, body())
        self.assertNotIn(b"hunter2", answer.body)
        self.assertIn("hunter2", log.output[0])

    def test_the_turn_of_a_caller_that_has_gone_is_cancelled(self) -> None:
        cancelled: list[str] = []
        began = asyncio.Event()

        async def take(turn: ReplayTurn) -> None:
            try:
                began.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(turn.metadata["svc_replay_run_id"])
                raise

        messages = iter([{"type": "http.request", "body": body()}])

        async def receive() -> dict[str, Any]:
            for message in messages:
                return message
            await began.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            self.fail("nobody is there to be answered")

        scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
        asyncio.run(asgi_app(replay_endpoint(take, enabled=True))(scope, receive, send))
        self.assertEqual(cancelled, ["r-1"])

    def test_a_body_without_a_length_is_refused_above_the_limit(self) -> None:
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b" " * 60, "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
        asyncio.run(asgi_app(replay_endpoint(traced, enabled=True, max_body_bytes=100))(scope, receive, send))
        self.assertEqual(sent[0]["status"], 413)


class Production(unittest.TestCase):
    def test_enabled_with_a_token_that_is_not_set_it_does_not_come_up_unprotected(self) -> None:
        with mock.patch.dict(os.environ, {"ENVIRONMENT": "production"}):
            with self.assertRaisesRegex(ValueError, "token .* not set"):
                replay_endpoint(traced, enabled=True, token=os.environ.get("NOT_SET"))
            replay_endpoint(traced, enabled=True)

    def test_an_empty_token_is_refused_everywhere(self) -> None:
        with self.assertRaisesRegex(ValueError, "token .* not set"):
            replay_endpoint(traced, enabled=True, token="")

    def test_the_log_says_once_that_it_is_closed(self) -> None:
        endpoint = replay_endpoint(traced)
        with self.assertLogs("agent_replay", "WARNING") as log:
            for _ in range(2):
                with contextlib.suppress(Exception):
                    endpoint.check(HEAD)
        self.assertEqual(len(log.output), 1)


if __name__ == "__main__":
    unittest.main()
