import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Answered, askHere, askOver } from '../endpoint/asked.ts';
import { type AskedEndpoint, ODD, OPTIONS } from '../endpoint/requests.ts';

/** The Python half of the repository. */
export const PACKAGE_ROOT = path.join(import.meta.dirname, '../../python');

/** Where Debian's packages are, when the first `python3` of the path is another one. */
const CANDIDATES = [process.env.AGENT_REPLAY_PYTHON, 'python3', '/usr/bin/python3'].filter(
  (each) => each !== undefined,
);

/** A Python that has these modules; undefined, and said, where this machine has none. */
export function pythonWith(...modules: readonly string[]): string | undefined {
  const found = CANDIDATES.find(
    (python) => spawnSync(python, ['-c', `import ${['sys', ...modules].join(', ')}`]).status === 0,
  );
  if (found === undefined) console.warn(`skipped: no python3 here has ${modules.join(' and ') || 'started'}`);
  return found;
}

export interface PythonEndpoints extends AsyncDisposable {
  ask(asked: AskedEndpoint): Promise<Answered>;
}

/** Starts the endpoints of test/endpoint/requests.ts in Python, on a server of this kind. */
export async function startEndpoints(
  python: string,
  kind: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PythonEndpoints> {
  const file = path.join(import.meta.dirname, 'fixtures', 'serve.py');
  const child = spawn(python, [file, kind, JSON.stringify(OPTIONS), JSON.stringify(ODD)], {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await firstLine(child);
  return {
    ask: (asked) => askOver(`http://127.0.0.1:${port}/${asked.endpoint ?? 'plain'}`, asked),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the server of the endpoints did not start');
}

/** Sends a request to both halves. @returns both answers, without what is specific to each */
export async function askBoth(python: PythonEndpoints, asked: AskedEndpoint): Promise<[Answered, Answered]> {
  const both = await Promise.all([askHere(asked), python.ask(asked)]);
  return both.map(comparable) as [Answered, Answered];
}

/** Each language has its own words for invalid JSON, and its own spelling of the span processor's name. */
function comparable(answer: Answered): Answered {
  const { error } = Object(answer.body) as { error?: { code: string; message: string } };
  if (error === undefined) return answer;
  const message = error.code === 'BODY_NOT_JSON' ? '' : error.message.replace('ReplaySpan', 'replaySpan');
  return { ...answer, body: { error: { ...error, message } } };
}

/** Makes a virtual environment in the folder, with the machine's own packages and ours: what an agent is started with. */
export function venvOf(python: string, folder: string): { readonly VIRTUAL_ENV: string; readonly PATH: string } {
  const venv = path.join(folder, '.venv');
  const bin = path.join(venv, 'bin');
  execFileSync(python, ['-m', 'venv', '--system-site-packages', venv]);
  const pip = spawnSync(path.join(bin, 'pip'), ['install', './agent-replay-python'], { cwd: folder, encoding: 'utf8' });
  if (pip.status !== 0) {
    // pip needs setuptools from an index, which not every machine reaches. Then Python is pointed at the sources
    // instead.
    console.warn(`pip install ./agent-replay-python was not tried: ${pip.stderr.trim().split('\n').at(-1)}`);
    const asked = "import sysconfig; print(sysconfig.get_path('purelib'))";
    const packages = execFileSync(path.join(bin, 'python'), ['-c', asked], { encoding: 'utf8' }).trim();
    writeFileSync(path.join(packages, 'agent-replay.pth'), path.join(folder, 'agent-replay-python', 'src'));
  }
  return { VIRTUAL_ENV: venv, PATH: `${bin}:${process.env.PATH}` };
}
