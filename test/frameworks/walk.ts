import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** What a project that is led the whole way has of its own. */
export interface Walk {
  /** The file with the prompt, from the project's root. */
  readonly prompt: string;
  /** Asks the questions one after the other, as the agent's users do. */
  converse(address: string, questions: readonly string[]): Promise<void>;
  readonly env: Readonly<Record<string, string>>;
  /** Options of `doctor`. */
  readonly doctor: readonly string[];
  /** Warnings of `doctor` that are right: a line of each. */
  readonly mayWarn: RegExp;
  /** What `init` cannot know, and a user says. */
  readonly init: readonly string[];
  /** Installs what is locked there, and agent-replay from its archive. */
  install(folder: string, archive: string): void;
  /** Commands that start it besides the one that `init` has written. */
  readonly alsoStarted: readonly string[];
  /** Environments of the agent in which the model's part is measured. */
  readonly forked: readonly Readonly<Record<string, string>>[];
}

const USUAL: Walk = {
  prompt: 'agent.js',
  converse: async (address, questions) => {
    for (const message of questions) await asked(`${address}/chat`, { session: 'one', message });
  },
  env: { NODE_ENV: 'production' },
  doctor: [],
  // No session is pinned yet.
  mayWarn: /^! pins /,
  init: [],
  install: installedByNpm,
  alsoStarted: [],
  forked: [],
};

const MASTRA = { prompt: 'src/mastra/agents/shop-agent.ts', env: { MASTRA_TELEMETRY_DISABLED: '1' } };

const OWN: Readonly<Record<string, Partial<Walk>>> = {
  'anthropic-sdk': { forked: [{}, { SHOP_STREAMS: '1' }] },
  // What its server and its tracing need for replays is missing.
  koa: { doctor: ['--fix', '--yes'] },
  mastra: MASTRA,
  // No processor of ours sees its spans: none counts them, and the metadata is on the root alone.
  'mastra-langfuse': { ...MASTRA, mayWarn: /^! (?:pins|flushed|inherited) / },
  'python-fastapi': {
    prompt: 'agent.py',
    env: { PYTHONPATH: path.join(ROOT, 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' },
    init: ['--start', '.venv/bin/uvicorn main:app --port $PORT'],
    install: installedByPip,
  },
  // `next start` is for production, whatever the environment says; `next dev` for development.
  'ai-sdk-next': {
    prompt: 'agent.ts',
    converse: chatOnPage,
    env: { NEXT_TELEMETRY_DISABLED: '1' },
    alsoStarted: ['npm run dev'],
  },
};

export function walkOf(name: string): Walk {
  return { ...USUAL, ...OWN[name] };
}

/** `npm ci` would refuse a lock file made where a registry holds the binaries of Linux only. */
function installedByNpm(folder: string, archive: string): void {
  const own = path.basename(archive);
  copyFileSync(archive, path.join(folder, own));
  const args = ['install', `./${own}`, '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
}

/** The package for Python is taken from where it is, as `PYTHONPATH`; the spans are those of the other walks in Python. */
function installedByPip(folder: string): void {
  copyFileSync(path.join(ROOT, 'test', 'python', 'walks', 'agent', 'tracing.py'), path.join(folder, 'tracing.py'));
  execFileSync('python3', ['-m', 'venv', '.venv'], { cwd: folder, stdio: 'inherit' });
  execFileSync(path.join(folder, '.venv', 'bin', 'pip'), ['install', '--quiet', '-r', 'requirements.txt'], {
    cwd: folder,
    stdio: 'inherit',
  });
}

async function asked(url: string, body: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  expect(answer).toContain('Done: ');
  return answer;
}

/** What an event of the AI SDK's stream for pages adds to a message. */
interface StreamEvent {
  readonly type: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly delta: string;
}

/** As `useChat` does: the page keeps the conversation, in parts, and sends all of it. */
async function chatOnPage(address: string, questions: readonly string[]): Promise<void> {
  const messages: object[] = [];
  for (const text of questions) {
    messages.push({ id: `user-${messages.length}`, role: 'user', parts: [{ type: 'text', text }] });
    const stream = await asked(`${address}/api/chat`, { id: 'one', messages });
    const events = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as StreamEvent);
    messages.push({ id: `assistant-${messages.length}`, role: 'assistant', parts: partsOf(events) });
  }
}

function partsOf(events: readonly StreamEvent[]): object[] {
  return events.flatMap((event) => {
    if (event.type === 'start-step') return { type: 'step-start' };
    if (event.type === 'text-delta') return { type: 'text', text: event.delta };
    if (event.type !== 'tool-output-available') return [];
    const asked = events.find(
      ({ type, toolCallId }) => type === 'tool-input-available' && toolCallId === event.toolCallId,
    );
    return {
      type: `tool-${asked?.toolName}`,
      toolCallId: event.toolCallId,
      state: 'output-available',
      input: asked?.input,
      output: event.output,
    };
  });
}
