from fastapi import FastAPI, Request

from agent import chat
from replay_endpoint import replay

app = FastAPI()
app.add_route("/replay", replay)


@app.post("/chat")
async def answer(request: Request):
    body = await request.json()
    return {"output": await chat(body["session"], body["message"])}
