from agent import chat
from fastapi import Body, FastAPI
from replay_endpoint import replay

app = FastAPI()
app.add_route("/replay", replay)


@app.post("/chat")
async def answer(session: str = Body(), message: str = Body()):
    return {"output": await chat(session, message)}
