"""The span processor on spans of OpenTelemetry's shape; test/python/sdks.soak.test.ts has the SDK itself."""

import contextvars
import itertools
import json
import unittest
from typing import Any

from agent_replay._http import Head
from agent_replay.endpoint import ReplayTurn, replay_endpoint
from agent_replay.tracing import ReplaySpanProcessor, trace_attributes

HEAD = Head("POST", {"content-type": "application/json"})
RUN_ID = "langfuse.trace.metadata.svc_replay_run_id"
ids = itertools.count(1)


class Span:
    """As much of a span as a processor sees, handed to one as the SDK does."""

    def __init__(self, processor: ReplaySpanProcessor, trace_id: int = 0, sampled: int = 1, **attributes: str) -> None:
        self.trace_id, self.span_id, self.trace_flags = trace_id or next(ids), next(ids), sampled
        self.attributes, self.processor = dict(attributes), processor
        processor.on_start(self, parent_context=None)

    def get_span_context(self) -> "Span":
        return self

    def set_attributes(self, attributes: dict[str, str]) -> None:
        self.attributes.update(attributes)

    def end(self) -> "Span":
        self.processor.on_end(self)
        return self


class Processor(unittest.TestCase):
    def setUp(self) -> None:
        self.processor = ReplaySpanProcessor()

    def replay(self, take: Any, run_id: str = "r-1") -> Any:
        body = json.dumps({"is_replay": True, "input": "x", "svc_replay_run_id": run_id}).encode()
        return replay_endpoint(take, on_error=lambda error: None).answer(HEAD, body)

    def test_the_last_span_of_a_replay_says_how_many_there_are(self) -> None:
        spans: list[Span] = []

        def take(turn: ReplayTurn) -> str:
            root = Span(self.processor)
            spans.extend([Span(self.processor, root.trace_id).end(), root.end()])
            return "done"

        self.replay(take)
        self.assertEqual([span.attributes.get("agent_replay.trace_spans") for span in spans], [None, 2])

    def test_spans_of_a_replay_carry_its_metadata_and_others_nothing(self) -> None:
        spans: list[Span] = []
        self.replay(lambda turn: spans.append(Span(self.processor).end()))
        self.assertEqual(spans[0].attributes[RUN_ID], "r-1")
        self.assertEqual(spans[0].attributes["session.id"], "replay-session")
        self.assertEqual(Span(self.processor).attributes, {})

    def test_what_the_agent_says_of_its_trace_wins(self) -> None:
        spans: list[Span] = []
        self.replay(lambda turn: spans.append(Span(self.processor, **{"session.id": "thread-7"}).end()))
        self.assertEqual(spans[0].attributes["session.id"], "thread-7")

    def test_a_span_that_another_thread_starts_is_known_by_its_trace(self) -> None:
        spans: list[Span] = []

        def take(turn: ReplayTurn) -> None:
            root = Span(self.processor)
            spans.append(contextvars.Context().run(Span, self.processor, root.trace_id).end())
            root.end()

        self.assertEqual(self.replay(take).headers["x-svc-trace-spans"], "2")
        self.assertEqual(spans[0].attributes[RUN_ID], "r-1")
        self.assertEqual(Span(self.processor, spans[0].trace_id).attributes, {}, "the turn is over")

    def test_the_answer_says_how_many_spans_were_handed_to_the_exporter(self) -> None:
        def take(turn: ReplayTurn) -> None:
            Span(self.processor).end()
            Span(self.processor, sampled=0).end()

        self.assertEqual(self.replay(take).headers["x-svc-trace-spans"], "1")

    def test_where_a_span_has_not_ended_nothing_is_said_of_their_number(self) -> None:
        answer = self.replay(lambda turn: Span(self.processor) and None)
        self.assertEqual((answer.status, "x-svc-trace-spans" in answer.headers), (200, False))

    def test_spans_that_the_exporter_leaves_out_are_not_counted(self) -> None:
        self.processor = ReplaySpanProcessor(exports=lambda span: "kept" in span.attributes)

        def take(turn: ReplayTurn) -> None:
            Span(self.processor).end()
            Span(self.processor, kept="yes").end()

        self.assertEqual(self.replay(take).headers["x-svc-trace-spans"], "1")

    def test_a_turn_that_starts_no_span_and_takes_no_metadata_is_not_taken_for_traced(self) -> None:
        self.assertEqual(self.replay(lambda turn: "done").status, 500)
        self.assertEqual(self.replay(lambda turn: len(trace_attributes(turn))).status, 200)


if __name__ == "__main__":
    unittest.main()
