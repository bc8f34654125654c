import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Answered, askHere, askOver } from '../endpoint/asked.ts';
import { type AskedEndpoint, ODD, OPTIONS } from '../endpoint/requests.ts';
import { startProgram } from '../programs.ts';

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
  const args = [file, kind, JSON.stringify(OPTIONS), JSON.stringify(ODD)];
  const server = await startProgram(args, { PYTHONDONTWRITEBYTECODE: '1', ...env }, python);
  return {
    ...server,
    ask: (asked) => askOver(`http://127.0.0.1:${server.line}/${asked.endpoint ?? 'plain'}`, asked),
  };
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
