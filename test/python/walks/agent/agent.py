"""A shop's assistant on a model under OpenAI's API. Chats and replays both come through take_turn."""

import asyncio
import json
import os
import urllib.request
import uuid

from agent_replay.tools import replay_tool
from tracing import provider, shared

SYSTEM = """You are a kind shop assistant.
Refund up to 200 EUR yourself."""


@replay_tool
async def lookup(order: str) -> dict:
    return {"order": order, "amount": int(os.environ.get("SHOP_AMOUNT", "120"))}


@replay_tool
async def refund(order: str, amount: float) -> str:
    return "refunded"


@replay_tool
async def create_ticket(order: str) -> str:
    return "a ticket is open"


TOOLS = {"lookup": lookup, "refund": refund, "create_ticket": create_ticket}
OFFERED = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    for name, properties in {
        "lookup": {"order": {"type": "string"}},
        "refund": {"order": {"type": "string"}, "amount": {"type": "number"}},
        "create_ticket": {"order": {"type": "string"}},
    }.items()
]


async def take_turn(messages):
    said = {"langfuse.observation.input": messages[-1]["content"], "gen_ai.operation.name": "invoke_agent"}
    with provider.span("shop", **said) as turn:
        answer = await work([{"role": "system", "content": SYSTEM}, *messages])
        turn.set_attributes({"langfuse.observation.output": answer[-1]["content"]})
        return answer[-1]["content"]


async def work(messages):
    while True:
        message = await ask_model(messages)
        messages = [*messages, message]
        if not message.get("tool_calls"):
            return messages
        messages += [await call_tool(call) for call in message["tool_calls"]]


async def ask_model(messages):
    asked = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5-mini", "gen_ai.input.messages": json.dumps(messages)}
    with provider.span("chat gpt-5-mini", **asked) as chat:
        message = await asyncio.to_thread(complete, {"model": "gpt-5-mini", "messages": messages, "tools": OFFERED})
        chat.set_attributes({"gen_ai.output.messages": json.dumps([message])})
        return message


def complete(body):
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]


async def call_tool(call):
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    asked = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": arguments,
    }
    with provider.span(f"execute_tool {name}", **asked) as tool:
        result = await TOOLS[name](**json.loads(arguments))
        content = result if isinstance(result, str) else json.dumps(result)
        tool.set_attributes({"gen_ai.tool.call.result": content})
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


conversations = {}


async def chat(session, question):
    """One turn of a conversation that is kept here."""
    messages = [*conversations.get(session, []), {"role": "user", "content": question}]
    metadata = {"agent_id": os.environ.get("SVC_AGENT_ID", "shop"), "session_id": session, "run_id": str(uuid.uuid4())}
    shared.set({f"langfuse.trace.metadata.{key}": value for key, value in metadata.items()} | {"session.id": session})
    answer = await take_turn(messages)
    conversations[session] = [*messages, {"role": "assistant", "content": answer}]
    return answer
