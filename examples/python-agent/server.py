"""POST /chat and POST /replay, on the standard library's server."""

import json
import os
import signal
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agent import take_turn
from agent_replay.endpoint import ReplayTurn, answer_http, replay_endpoint

AGENT_ID = os.environ.get("SVC_AGENT_ID", "python-desk")

memory = {}


def chat(body):
    session_id = body["session_id"]
    conversation = [*memory.get(session_id, []), {"role": "user", "content": body["message"]}]
    metadata = {"agent_id": AGENT_ID, "session_id": session_id, "run_id": str(uuid.uuid4())}
    output = take_turn(conversation, metadata)
    memory[session_id] = [*conversation, {"role": "assistant", "content": output}]
    return {"session_id": session_id, "run_id": metadata["run_id"], "output": output}


def take_again(turn: ReplayTurn):
    """The same turn as in a chat, on the recorded conversation, and nothing is remembered."""
    return take_turn(turn.messages, turn.metadata)


replay = replay_endpoint(take_again, agent_id=AGENT_ID)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # asked while it is waited for: any answer but 5xx says that it is up
        self.answer(404, {"error": "There is POST /chat and POST /replay."})

    def do_POST(self):
        if self.path == "/replay":
            return answer_http(replay, self)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/chat":
            return self.do_GET()
        try:
            self.answer(200, chat(json.loads(body)))
        except (KeyError, ValueError) as error:
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
