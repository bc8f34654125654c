"""As much of OpenTelemetry's SDK as this agent needs, for machines that have no package of it: spans, processors, OTLP."""

import contextlib
import contextvars
import json
import os
import secrets
import time
import urllib.parse
import urllib.request

from agent_replay.tracing import ReplaySpanProcessor

current = contextvars.ContextVar("current", default=None)
shared = contextvars.ContextVar("shared", default={})


class Span:
    trace_flags = 1

    def __init__(self, name, attributes):
        parent = current.get()
        self.name, self.attributes, self.error = name, {**shared.get(), **attributes}, None
        self.trace_id = parent.trace_id if parent else secrets.randbits(128)
        self.span_id, self.parent_id = secrets.randbits(64), parent.span_id if parent else None
        self.start, self.end = time.time_ns(), 0

    def get_span_context(self):
        return self

    def set_attributes(self, attributes):
        self.attributes.update(attributes)


class Provider:
    def __init__(self):
        self.processors = []

    def add_span_processor(self, processor):
        self.processors.append(processor)

    @contextlib.contextmanager
    def span(self, name, **attributes):
        span = Span(name, attributes)
        for processor in self.processors:
            processor.on_start(span)
        token = current.set(span)
        try:
            yield span
        except Exception as error:
            span.error = f"{type(error).__name__}: {error}"
            raise
        finally:
            current.reset(token)
            span.end = time.time_ns()
            for processor in self.processors:
                processor.on_end(span)


class Exporter:
    """Sends the spans of a trace when its root has ended."""

    def __init__(self):
        self.ended = []

    def on_start(self, span):
        pass

    def on_end(self, span):
        self.ended.append(span)
        if span.parent_id is None:
            self.send()

    def send(self):
        endpoint = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        spans, self.ended = self.ended, []
        if endpoint is None or not spans:
            return
        body = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "shop"}, "spans": [told(each) for each in spans]}]}]}
        pairs = filter(None, os.environ.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "").split(","))
        headers = dict(urllib.parse.unquote(pair).split("=", 1) for pair in pairs)
        request = urllib.request.Request(endpoint, json.dumps(body).encode(), {**headers, "content-type": "application/json"})
        urllib.request.urlopen(request, timeout=60).read()


def told(span):
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in span.attributes.items()]
    parent = {} if span.parent_id is None else {"parentSpanId": f"{span.parent_id:016x}"}
    status = {} if span.error is None else {"code": 2, "message": span.error}
    return {
        "traceId": f"{span.trace_id:032x}",
        "spanId": f"{span.span_id:016x}",
        **parent,
        "name": span.name,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": attributes,
        "status": status,
    }


provider = Provider()
provider.add_span_processor(ReplaySpanProcessor())
provider.add_span_processor(Exporter())
