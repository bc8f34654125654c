import os

from agent import take_turn
from agent_replay.endpoint import ReplayTurn, asgi_app, replay_endpoint
from agent_replay.tracing import trace_attributes


async def take_again(turn: ReplayTurn) -> str:
    messages = await take_turn(turn.messages, trace_attributes(turn))
    return messages[-1]["content"]


replay = asgi_app(replay_endpoint(take_again, token=os.environ.get("REPLAY_TOKEN")))
