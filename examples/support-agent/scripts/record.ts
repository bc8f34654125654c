/**
 * Records the pinned sessions: real conversations with the agent, pinned from the traces that its own SDK sends.
 * Run it again after a change of behaviour that is wanted: `npm run record -w examples/support-agent`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { redactSession, savePin, sessionsFromTraces } from '../../../src/session/index.ts';
import { tracesFromOtlp } from '../../../src/tracing/index.ts';

/** What customers wrote, by session. */
const CONVERSATIONS: Readonly<Record<string, readonly string[]>> = {
  'where-is-my-order': ['Where is my order FO-1019?'],
  'two-parcels': ['Which of my two parcels FO-1011 and FO-1012 comes first?'],
  'broken-kettle': [
    'Hello, what happened to my order FO-1007?',
    'I have it, but the kettle leaks. I would like a refund, please.',
    'How long does it take until the money is back?',
    'Great, thank you!',
  ],
  'unknown-order': ['Where is my order FO-9999?', 'My email address is ines@example.com'],
  'tent-warranty': ['How long is the warranty on a tent?'],
  'large-refund': ['I changed my mind about the tent, please refund FO-1003.'],
  'small-refund': ['Please refund FO-1023, the socks are too small.'],
  'final-sale': ['The poles of FO-1030 are damaged, can I have my money back?'],
};

const REPOSITORY = path.join(import.meta.dirname, '../../..');
const AGENT = 'examples/support-agent';

const exports: string[] = [];
const collector = createServer(async (request, response) => {
  exports.push(await text(request));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
await once(collector, 'listening');

const agent = spawn(process.execPath, [path.join(AGENT, 'demo.ts')], {
  cwd: REPOSITORY,
  env: {
    ...process.env,
    PORT: '0',
    SVC_AGENT_ID: 'support',
    TRACING_HOST: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    TRACING_PUBLIC_KEY: 'recording',
    TRACING_SECRET_KEY: 'recording',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await listening(agent);
  for (const [session_id, messages] of Object.entries(CONVERSATIONS)) {
    for (const message of messages) await say(url, { session_id, message });
  }
} finally {
  // It sends what is left of its traces before it ends.
  agent.kill();
  await once(agent, 'exit');
  collector.close();
}

const { sessions } = sessionsFromTraces(tracesFromOtlp(exports.join('\n')));
for (const recorded of sessions) {
  const { session } = redactSession(recorded);
  console.log(await savePin(session, { root: REPOSITORY, dir: `${AGENT}/replays`, overwrite: true }));
}

async function listening(process: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of process.stdout ?? []) {
    output += chunk;
    const url = /listening on (\S+)\n/.exec(output)?.[1];
    if (url !== undefined) {
      process.stdout?.resume();
      return url;
    }
  }
  throw new Error('The agent ended before it listened.');
}

async function say(url: string, body: object): Promise<void> {
  const response = await fetch(`${url}/chat`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`The agent answered ${response.status}: ${await response.text()}`);
}
