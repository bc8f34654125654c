"""A shop assistant on OpenAI's SDK: a model, three tools, and the loop between them."""

import json
import os
import uuid

from openai import AsyncOpenAI
from tracing import provider, shared

SYSTEM = """You are a kind shop assistant.
Refund up to 200 EUR yourself."""
MODEL = "gpt-5-mini"
openai = AsyncOpenAI()


def lookup(order):
    return {"order": order, "amount": int(os.environ.get("SHOP_AMOUNT", "120"))}


def refund(order, amount):
    return "refunded"


def create_ticket(order):
    return "a ticket is open"


TOOLS = {
    lookup: ("Looks an order up", {"order": {"type": "string"}}),
    refund: ("Refunds an order", {"order": {"type": "string"}, "amount": {"type": "number"}}),
    create_ticket: ("Asks a colleague", {"order": {"type": "string"}}),
}
OFFERED = [
    {
        "type": "function",
        "function": {
            "name": tool.__name__,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        },
    }
    for tool, (description, properties) in TOOLS.items()
]


async def take_turn(messages):
    """Takes one turn. Chats and replays both come through here."""
    return (await answer(messages))[-1]["content"]


async def answer(messages):
    """The conversation with what this turn adds to it."""
    with provider.span("turn", **{"gen_ai.operation.name": "invoke_agent"}):
        return (await work([{"role": "system", "content": SYSTEM}, *messages]))[1:]


async def work(messages):
    while not (messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls")):
        said = await ask_model(messages)
        results = [await call_tool(call) for call in said.get("tool_calls", [])]
        messages = [*messages, said, *results]
    return messages


async def ask_model(messages):
    about = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": MODEL,
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.tool.definitions": json.dumps(OFFERED),
    }
    with provider.span(f"chat {MODEL}", **about) as chat:
        completion = await openai.chat.completions.create(model=MODEL, messages=messages, tools=OFFERED)
        said = completion.choices[0].message.model_dump(exclude_none=True)
        chat.set_attributes({"gen_ai.output.messages": json.dumps([said])})
        return said


async def call_tool(call):
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    about = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": arguments,
    }
    with provider.span(f"execute_tool {name}", **about) as tool:
        result = next(known for known in TOOLS if known.__name__ == name)(**json.loads(arguments))
        tool.set_attributes({"gen_ai.tool.call.result": json.dumps(result)})
    return {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)}


conversations = {}


async def chat(session, question):
    """One turn of a conversation that is kept here."""
    metadata = {"agent_id": os.environ.get("SVC_AGENT_ID", "shop"), "session_id": session, "run_id": str(uuid.uuid4())}
    shared.set({f"langfuse.trace.metadata.{key}": value for key, value in metadata.items()} | {"session.id": session})
    conversations[session] = await answer([*conversations.get(session, []), {"role": "user", "content": question}])
    return conversations[session][-1]["content"]
