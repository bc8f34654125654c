"""The agent: a model, two tools, and the loop between them. Chats and replays both come through `take_turn`."""

import json
import os
import urllib.request

from agent_replay.tools import replay_tool
from otlp import Trace

MODEL_BASE_URL = os.environ.get("MODEL_BASE_URL", "http://127.0.0.1:4311/v1")
MODEL = os.environ.get("MODEL", "desk-1")
TEMPERATURE = 0
MAX_STEPS = 8  # more than any question of ours needs: a model that goes round in circles stops here

SYSTEM = """You are the order desk of Fernhill Outdoor, a shop for camping and hiking gear.
Look an order up before you say anything about it, and answer other questions from the help articles."""

ORDERS = {
    "FO-1011": {"item": "head torch", "status": "in transit", "delivery": "2026-11-27"},
    "FO-1019": {"item": "rain jacket", "status": "in transit", "delivery": "2026-11-24"},
    "FO-1023": {"item": "wool socks", "status": "delivered", "delivery": "2026-11-09"},
}
if os.environ.get("ORDERS") == "none":  # as in a database that was set up for a test
    ORDERS = {}
ARTICLES = [
    {"title": "Warranty", "text": "Everything that we sell has a warranty of 3 years, tents and stoves of 5 years."},
    {"title": "Shipping", "text": "Shipping costs 4.90 EUR; abroad it is 9.90 EUR."},
]


@replay_tool(error=LookupError)
def lookup_order(order_id):
    if order_id not in ORDERS:
        raise LookupError(f"There is no order {order_id}.")
    return {"id": order_id, **ORDERS[order_id]}


@replay_tool
def search_help_articles(query):
    words = query.lower().split()
    return {"articles": [a for a in ARTICLES if any(word in a["title"].lower() for word in words)]}


TOOLS = {
    "lookup_order": (lookup_order, "Look up one order: item, status, day of delivery.", "order_id"),
    "search_help_articles": (search_help_articles, "Search the help articles.", "query"),
}
OFFERED = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]},
        },
    }
    for name, (_, description, argument) in TOOLS.items()
]


def take_turn(conversation, metadata):
    """Takes one turn of a conversation, in a trace that carries `metadata`, and returns the answer."""
    shared = {f"langfuse.trace.metadata.{key}": value for key, value in metadata.items()}
    trace = Trace({**shared, "session.id": metadata["session_id"]})
    about = {"gen_ai.operation.name": "invoke_agent", "langfuse.observation.input": conversation[-1].get("content")}
    try:
        with trace.span("desk-turn", about) as turn:
            answer = work(trace, [{"role": "system", "content": SYSTEM}, *conversation])
            turn["langfuse.observation.output"] = answer
            return answer
    finally:
        trace.send()


def work(trace, messages):
    for _ in range(MAX_STEPS):
        said = ask_model(trace, messages)
        calls = said.get("tool_calls")
        if not calls:
            return said["content"]
        messages = [*messages, said, *(call_tool(trace, call) for call in calls)]
    raise RuntimeError(f"No answer after {MAX_STEPS} steps.")


def ask_model(trace, messages):
    about = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": MODEL,
        "gen_ai.request.temperature": TEMPERATURE,
        "gen_ai.input.messages": messages,
        "gen_ai.tool.definitions": OFFERED,
    }
    with trace.span(f"chat {MODEL}", about) as chat:
        body = {"model": MODEL, "temperature": TEMPERATURE, "messages": messages, "tools": OFFERED}
        headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ.get('MODEL_API_KEY')}"}
        request = urllib.request.Request(f"{MODEL_BASE_URL}/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            message = json.load(response)["choices"][0]["message"]
        chat["gen_ai.output.messages"] = [message]
        return message


def call_tool(trace, call):
    """A tool that fails is told to the model, which tells the customer."""
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    about = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": arguments,
    }
    try:
        with trace.span(f"execute_tool {name}", about) as tool:
            result = TOOLS[name][0](**json.loads(arguments))
            tool["gen_ai.tool.call.result"] = result
            content = json.dumps(result)
    except LookupError as error:
        content = str(error)
    return {"role": "tool", "tool_call_id": call["id"], "content": content}
