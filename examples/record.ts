/**
 * Records the pinned sessions of an example again: `node examples/record.ts examples/express-agent`. It starts the agent
 * as the `agent-replay.config.ts` of that folder says, holds the conversations of `conversations.json` (or of the file
 * that is named second) through `POST /chat`, and pins the traces that the agent sends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const folder = path.resolve(process.argv[2] ?? '.');
const { default: config } = await import(path.join(folder, 'agent-replay.config.ts'));
const script = process.argv[3] ?? path.join(folder, 'conversations.json');
const conversations: Record<string, string[]> = JSON.parse(readFileSync(script, 'utf8'));

const exports: string[] = [];
const collector = createServer(async (request, response) => {
  exports.push(await text(request));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
await once(collector, 'listening');

const agent = spawn(`exec ${config.agent.command}`, {
  shell: true,
  cwd: folder,
  env: {
    ...process.env,
    PORT: '0',
    SVC_AGENT_ID: config.agent.id,
    TRACING_HOST: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    TRACING_PUBLIC_KEY: 'recording',
    TRACING_SECRET_KEY: 'recording',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await listening();
  for (const [session_id, messages] of Object.entries(conversations)) {
    for (const message of messages) await say(url, { session_id, message });
  }
} finally {
  // It sends what is left of its traces before it ends.
  agent.kill();
  await once(agent, 'exit');
  collector.close();
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'recorded-'));
const recorded = path.join(scratch, 'traces.otlp.jsonl');
writeFileSync(recorded, exports.join('\n'));
const command = path.join(import.meta.dirname, '../bin/agent-replay.js');
const dir = path.join(path.dirname(script), 'replays');
const arguments_ = [command, 'pin', '--update', '--from', recorded, '--dir', dir];
process.exitCode = spawnSync(process.execPath, arguments_, { cwd: folder, stdio: 'inherit' }).status ?? 1;
rmSync(scratch, { recursive: true });

async function listening(): Promise<string> {
  let output = '';
  for await (const chunk of agent.stdout) {
    output += chunk;
    const url = /listening on (\S+)\n/.exec(output)?.[1];
    if (url !== undefined) {
      agent.stdout.resume();
      return url;
    }
  }
  throw new Error('The agent ended before it listened.');
}

async function say(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/chat`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The agent answered ${response.status}: ${answer}`);
}
