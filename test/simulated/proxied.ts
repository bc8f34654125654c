import http from 'node:http';
import { Exchange, ServerTools } from '../../src/proxy/index.ts';
import type { World } from './world.ts';

const RUNNER = 4_400;
/** A number that a double cannot hold. */
const LONG = '12345678901234567890';

/** Calls and cancellations that cross an MCP proxy at any time, and a server that dies. @returns promises that were broken */
export async function proxiedWell(world: World): Promise<string[]> {
  const { chance } = world;
  const runner = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const answer = text.includes('"recorded"') ? { policy: 'recorded', result: 'done' } : { policy: 'live' };
      response.setHeader('content-type', 'application/json');
      world.after(chance.among(0, 2_000), () => response.end(JSON.stringify(answer)));
    });
  });
  runner.listen(RUNNER);
  const recordings = { url: `http://127.0.0.1:${RUNNER}`, token: 't', runIdKey: 'svc_replay_run_id' };
  const exchange = new Exchange(new ServerTools({ recordings, prefix: '' }));

  const wrong: string[] = [];
  const forwarded: string[] = [];
  const answered = new Map<string, number>();
  const open = new Set<number>();
  let isDead = false;
  const answer = (messages: readonly unknown[]) => {
    for (const { id } of JSON.parse(JSON.stringify(messages)) as { id: number }[]) {
      open.delete(id);
      answered.set(String(id), (answered.get(String(id)) ?? 0) + 1);
    }
  };
  const say = async (message: { readonly id?: number; readonly method: string; readonly params: object }) => {
    // Also while it is being decided who answers.
    if (message.id !== undefined) open.add(message.id);
    const text = JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"LONG"', LONG);
    const { forward, answer: own } = await exchange.ofClient(Buffer.from(text));
    if (own !== undefined) answer([own]);
    if (forward === undefined) return;
    const sent = JSON.stringify(forward);
    forwarded.push(sent);
    if (text.includes(LONG) && !sent.includes(LONG)) wrong.push('a number was changed on its way');
    const { id } = JSON.parse(sent) as { id?: number };
    if (id === undefined || isDead) return;
    world.after(chance.among(0, 5_000), () => {
      if (isDead) return;
      answer([{ id }]);
      void exchange.ofServer(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
    });
  };
  const names = Array.from({ length: chance.among(1, 6) }, () => chance.of(['live', 'recorded']));
  const saying: Promise<void>[] = [];
  let lastAt = 0;
  for (const [id, name] of names.entries()) {
    const at = chance.among(0, 1_000);
    const params = { name, arguments: { amount: 'LONG' }, _meta: { svc_replay_run_id: 'r1' } };
    world.after(at, () => saying.push(say({ id, method: 'tools/call', params })));
    const cancelAt = at + chance.among(1, 3_000);
    const cancelled = { method: 'notifications/cancelled', params: { requestId: id } };
    if (chance.is(0.6)) world.after(cancelAt, () => saying.push(say(cancelled)));
    lastAt = Math.max(lastAt, cancelAt);
  }
  const diesAt = lastAt + chance.among(2_100, 6_000);
  const isOver = new Promise((end) => {
    world.after(diesAt, () => {
      const left = [...open].toSorted();
      isDead = true;
      const ended = exchange.end();
      const ids = (JSON.parse(JSON.stringify(ended)) as { id: number }[]).map(({ id }) => id).toSorted();
      if (ids.join() !== left.join()) wrong.push(`open were ${left}, and errors got ${ids}`);
      answer(ended);
      end(undefined);
    });
  });
  await world.until(isOver);
  await world.until(Promise.all(saying));
  runner.close();
  for (const [id, name] of names.entries()) {
    const call = forwarded.findIndex((text) => text.includes(`"id":${id},`));
    const cancel = forwarded.findIndex((text) => text.includes(`"requestId":${id}}`));
    if (name === 'recorded' && (call >= 0 || cancel >= 0)) wrong.push(`the recorded call ${id} reached the server`);
    if (cancel >= 0 && cancel < call) wrong.push(`the cancellation of ${id} came before its call`);
    if (answered.get(String(id)) !== 1) wrong.push(`${id} was answered ${answered.get(String(id)) ?? 0} times`);
  }
  return wrong;
}
