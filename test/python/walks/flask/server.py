import asyncio

from flask import Flask, request

from agent import chat
from replay_endpoint import replay

app = Flask(__name__)
app.add_url_rule("/replay", view_func=replay, methods=["POST"])


@app.post("/chat")
def answer():
    return {"output": asyncio.run(chat(request.json["session"], request.json["message"]))}
