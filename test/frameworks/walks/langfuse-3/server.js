import express from 'express';
import { chat } from './agent.js';
import { replay } from './replay.js';

const app = express();
app.all('/replay', replay); // before express.json()
app.use(express.json());
app.post('/chat', async ({ body }, response) => {
  response.json({ output: await chat(body.session, body.message) });
});
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
