"""POST /chat and POST /replay, with nothing but the standard library."""

import json
import os
import signal
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agent import take_turn

AGENT_ID = os.environ.get("SVC_AGENT_ID", "python-desk")
FIELDS = ["svc_replay_run_id", "svc_original_session_id", "svc_turn_trace_id", "svc_include_prior_context"]

memory = {}


class BadRequest(Exception):
    pass


def chat(body, headers):
    session_id = body["session_id"]
    conversation = [*memory.get(session_id, []), {"role": "user", "content": body["message"]}]
    metadata = {"agent_id": AGENT_ID, "session_id": session_id, "run_id": str(uuid.uuid4())}
    output = take_turn(conversation, metadata)
    memory[session_id] = [*conversation, {"role": "assistant", "content": output}]
    return {"session_id": session_id, "run_id": metadata["run_id"], "output": output}


def replay(body, headers):
    """The same turn as in a chat, on the recorded conversation, and nothing is remembered."""
    messages = body.get("messages") or ([{"role": "user", "content": body["input"]}] if "input" in body else None)
    if not messages:
        raise BadRequest("messages or input is required")
    # This agent brings its own system text: a recorded one would hide an edit.
    conversation = [message for message in messages if message.get("role") != "system"]
    # The metadata travels in the body and in headers, and either will do.
    carried = {name: body.get(name, headers.get("x-" + name.replace("_", "-"))) for name in FIELDS}
    metadata = {name: as_text(value) for name, value in carried.items() if value is not None}
    session_id = f"replay-{metadata.get('svc_original_session_id', 'session')}"
    run_id = str(uuid.uuid4())
    metadata |= {"is_replay": "true", "agent_id": AGENT_ID, "session_id": session_id, "run_id": run_id}
    output = take_turn(conversation, metadata)
    replay_run_id = metadata.get("svc_replay_run_id")
    return {"session_id": session_id, "run_id": run_id, "svc_replay_run_id": replay_run_id, "output": output}


def as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    routes = {"/chat": chat, "/replay": replay}

    def do_GET(self):  # asked while it is waited for: any answer but 5xx says that it is up
        self.answer(404, {"error": "There is POST /chat and POST /replay."})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        route = self.routes.get(self.path)
        if route is None:
            return self.do_GET()
        try:
            self.answer(200, route(json.loads(body), self.headers))
        except (BadRequest, KeyError, ValueError) as error:
            self.answer(400, {"error": str(error)})
        except Exception as error:
            print(f"a turn failed: {error}", file=sys.stderr, flush=True)
            self.answer(502, {"error": "The turn failed."})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4340))), Handler)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print(f"python desk listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
