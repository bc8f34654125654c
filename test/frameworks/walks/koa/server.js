import './tracing.js';
import { json } from 'node:stream/consumers';
import Koa from 'koa';
import { chat } from './agent.js';

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.path !== '/chat') return;
  const { session, message } = await json(ctx.req);
  ctx.body = { output: await chat(session, message) };
});
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
