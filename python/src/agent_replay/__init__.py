"""The Python half of agent-replay.

- ``agent_replay.endpoint``: ``POST /replay`` for FastAPI, Flask, ``http.server`` and all that speak ASGI or WSGI
- ``agent_replay.tracing``: puts what tells one replay from another on the spans of OpenTelemetry and Langfuse
- ``agent_replay.tools``: lets the recording answer for tools
- ``agent_replay.messages``: the recorded conversation as LangChain, OpenAI and Anthropic take it
"""

__version__ = "0.1.0"
