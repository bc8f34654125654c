import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answers of the page's server, by what was asked: `GET /api/session?id=small-refund`. */
type Answers = Record<string, unknown>;

interface Head {
  readonly id: string;
}
interface Detail {
  readonly recorded: readonly unknown[];
  readonly past: readonly { readonly id: string }[];
}

/**
 * Writes a copy of the Reproducibility page that needs no server: the page, and its server's answers after every
 * session of the example agent ran once with the edited prompt. The copy says so if it holds no answer.
 * @param root of the project, with `lib/` built
 */
export async function writePageCopy(root: string, file: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-replay-page-'));
  try {
    const answers = await answersOf(root, folder);
    const page = await (await fetch(answers.url)).text();
    await answers.end();
    // Readers need not know in which folder it was made.
    const recorded = JSON.stringify(answers.recorded).replaceAll(folder, 'support-agent');
    writeFileSync(file, copyOf(page, recorded));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answersOf(root: string, folder: string) {
  const demo = path.join(root, 'lib', 'demo');
  for (const part of ['replays', 'prompts'])
    cpSync(path.join(demo, part), path.join(folder, part), { recursive: true });
  const agent = {
    command: `"${process.execPath}" "${path.join(demo, 'agent.js')}"`,
    url: 'http://127.0.0.1:{port}/replay',
    env: { SYSTEM_PROMPT_FILE: 'prompts/system-v2.md' },
  };
  writeFileSync(path.join(folder, 'agent-replay.config.json'), JSON.stringify({ agent, runs: 5 }));
  const bin = path.join(root, 'bin', 'agent-replay.js');
  const server = spawn(process.execPath, [bin, 'ui', '--no-open'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await printedUrl(server.stdout);
  const authorization = `Bearer ${url.hash.slice('#token='.length)}`;
  const recorded: Answers = {};
  const get = async <T>(asked: string): Promise<T> => {
    const answer = await fetch(new URL(asked, url), { headers: { authorization } });
    const body: unknown = await answer.json();
    if (answer.ok) recorded[`GET ${asked}`] = body;
    return body as T;
  };
  const sessions = await get<readonly Head[]>('/api/sessions');
  for (const { id } of sessions) {
    const body = JSON.stringify({ session: id });
    const started = await fetch(new URL('/api/runs', url), { method: 'POST', headers: { authorization }, body });
    const { id: run } = (await started.json()) as Head;
    recorded[`POST /api/runs?session=${id}`] = { id: run };
    while (!('report' in (await get<object>(`/api/run?id=${run}`)))) await sleep(100);
  }
  for (const asked of ['/api/overview', '/api/sessions']) await get(asked);
  for (const { id } of sessions) {
    const { past, recorded: turns } = await get<Detail>(`/api/session?id=${id}`);
    for (const result of past) await get(`/api/result?id=${result.id}&session=${id}`);
    for (const turn of turns.keys()) await get(`/api/trace?session=${id}&turn=${turn + 1}`);
  }
  const end = async (): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  };
  return { url, recorded, end };
}

async function printedUrl(stdout: AsyncIterable<Buffer>): Promise<URL> {
  let printed = '';
  for await (const text of stdout) {
    printed += text.toString();
    const [, found] = /Reproducibility page: (\S+)\n/.exec(printed) ?? [];
    if (found !== undefined) return new URL(found);
  }
  throw new Error(`ui printed no address: ${printed}`);
}

/** Reduces a request to the part that decides the answer. */
const ASK = `const answers = JSON.parse(document.getElementById('answers').textContent);
const telling = ['id', 'session', 'turn'];
window.fetch = async (address, { method = 'GET', body } = {}) => {
  const url = new URL(address, location.origin);
  const given = new URLSearchParams([...url.searchParams, ...(body ? Object.entries(JSON.parse(body)) : [])]);
  const query = telling.filter((name) => given.get(name)).map((name) => name + '=' + given.get(name)).join('&');
  const isKept = url.searchParams.get('of') ? undefined : answers[method + ' ' + url.pathname + (query && '?' + query)];
  if (isKept !== undefined) return new Response(JSON.stringify(isKept));
  if (method === 'GET' && url.pathname === '/api/runs') return new Response('[]');
  const problem = { code: 'COPY', where: '', message: 'This is a copy of the page, to look at.', evidence: [], hint: 'npx agent-replay ui shows the page of your own sessions.' };
  return new Response(JSON.stringify({ problem }), { status: 400 });
};`;

/** @param answers as JSON */
function copyOf(page: string, answers: string): string {
  const hash = createHash('sha256').update(ASK).digest('base64');
  const data = answers.replaceAll('<', '\\u003c');
  const inside = `<script type="application/json" id="answers">${data}</script><script>${ASK}</script>`;
  return page
    .replace("script-src '", () => `script-src 'sha256-${hash}' '`)
    .replace('<meta charset="utf-8" />', (all) => `${all}\n    ${inside}`);
}

/** Run as a program: `node scripts/site/page-copy.ts FILE`. */
if (import.meta.main) {
  const file = path.resolve(process.argv[2] ?? 'page.html');
  mkdirSync(path.dirname(file), { recursive: true });
  await writePageCopy(path.join(import.meta.dirname, '..', '..'), file);
  console.log(`${file}: ${readFileSync(file).length} bytes`);
}
