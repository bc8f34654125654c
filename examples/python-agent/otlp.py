"""Traces without an SDK: spans of one turn, sent as OTLP/JSON when the turn is over."""

import base64
import contextlib
import json
import os
import secrets
import time
import urllib.request

HOST = os.environ.get("TRACING_HOST")
KEYS = f"{os.environ.get('TRACING_PUBLIC_KEY')}:{os.environ.get('TRACING_SECRET_KEY')}"

INTERNAL, ERROR = 1, 2  # span kind, status code: the numbers of the protocol


class Trace:
    """The spans of one turn. `shared` goes on every span, so that the platform has it at trace level."""

    def __init__(self, shared):
        self.trace_id = secrets.token_hex(16)
        self.shared = shared
        self.spans = []
        self.open = []

    @contextlib.contextmanager
    def span(self, name, attributes):
        """A span around a block. What is added to the attributes it yields is sent too."""
        span_id = secrets.token_hex(8)
        attributes = dict(attributes)
        parent = self.open[-1] if self.open else ""
        status = {}
        start = time.time_ns()
        self.open.append(span_id)
        try:
            yield attributes
        except Exception as error:
            status = {"code": ERROR, "message": str(error)}
            raise
        finally:
            self.open.pop()
            self.spans.append(
                {
                    "traceId": self.trace_id,
                    "spanId": span_id,
                    "parentSpanId": parent,
                    "name": name,
                    "kind": INTERNAL,
                    # 64-bit numbers are text in OTLP/JSON
                    "startTimeUnixNano": str(start),
                    "endTimeUnixNano": str(time.time_ns()),
                    "attributes": [attribute(*item) for item in (self.shared | attributes).items()],
                    "status": status,
                }
            )

    def send(self):
        """Sends the spans, and returns once they have been taken. A tracing platform that is down does not stop a turn."""
        if HOST is None:
            return
        resource = {"attributes": [attribute("service.name", "python-agent")]}
        scope = {"scope": {"name": "python-agent"}, "spans": self.spans}
        body = {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
        headers = {
            "content-type": "application/json",
            "authorization": "Basic " + base64.b64encode(KEYS.encode()).decode(),
        }
        url = f"{HOST}/api/public/otel/v1/traces"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            urllib.request.urlopen(request, timeout=10).read()
        except OSError as error:
            print(f"the trace could not be sent: {error}", flush=True)


def attribute(key, value):
    """Text stays text; everything else is written as JSON text, as the GenAI conventions take it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"key": key, "value": {"stringValue": text}}
