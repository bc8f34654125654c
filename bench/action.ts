/**
 * Measures the bundle of the GitHub Action: its parts, and how long it takes to start. `node action.ts` prints Markdown
 * tables.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { bundleInto } from '../scripts/build-action.ts';
import { many, record } from './results.ts';

const ROUNDS = many(21);
/** Smaller packages are counted together. */
const MIN_SHARE = 0.01;

const folder = await mkdtemp(path.join(tmpdir(), 'bundle-'));
const empty = await mkdtemp(path.join(tmpdir(), 'project-'));
for (const file of ['state', 'output']) await writeFile(path.join(empty, file), '');
try {
  console.log(sizes(await bundleInto(folder), await bytesIn(folder)));
  console.log(await starts(path.join(folder, 'index.js')));
} finally {
  await rm(folder, { recursive: true });
  await rm(empty, { recursive: true });
}

async function bytesIn(dir: string): Promise<number> {
  const scripts = (await readdir(dir)).filter((file) => file.endsWith('.js'));
  const files = await Promise.all(scripts.map((file) => stat(path.join(dir, file))));
  return files.reduce((sum, { size }) => sum + size, 0);
}

function sizes(packages: Awaited<ReturnType<typeof bundleInto>>, bytes: number): string {
  const total = packages.reduce((sum, { size }) => sum + size, 0);
  const large = packages.filter(({ size }) => size / total >= MIN_SHARE);
  const rest = total - large.reduce((sum, { size }) => sum + size, 0);
  const rows = [...large, { name: `${packages.length - large.length} others`, size: rest }];
  const shares = rows.map(({ name, size }) => [name, `${((100 * size) / total).toFixed(1)} %`]);
  const head = ['package', `share of ${(bytes / 1e6).toFixed(2)} MB, minified`];
  return `${markdownTable([head, ...shares])}\n`;
}

/** Rounds are interleaved, and the least time of each is taken: the rest is the machine's other work. */
async function starts(entry: string): Promise<string> {
  const cases: readonly [string, readonly string[], Readonly<Record<string, string>>, 'first line' | 'exit'][] = [
    ['`node -e 0`', ['-e', '0'], {}, 'exit'],
    ['an input that cannot be meant is told', [entry], { INPUT_RUNS: 'many' }, 'first line'],
    ['the inputs are checked, the first line of work', [entry], {}, 'first line'],
    ['all is loaded and read, there is no session', [entry], {}, 'exit'],
  ];
  const times = cases.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, [, args, env, until]] of cases.entries()) times[at]?.push(await timed(args, env, until));
  }
  const least = times.map((each) => Math.min(...each));
  record('action', Object.fromEntries(cases.map(([name], at) => [name, least[at]])));
  const rows = cases.map(([name], at) => [
    name,
    `${least[at]?.toFixed(0)} ms`,
    ((least[at] ?? 0) / (least[0] ?? 1)).toFixed(1),
  ]);
  return markdownTable([['cold start', 'least', 'of bare Node'], ...rows]);
}

function timed(args: readonly string[], env: Readonly<Record<string, string>>, until: 'first line' | 'exit') {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const files = { GITHUB_STATE: path.join(empty, 'state'), GITHUB_OUTPUT: path.join(empty, 'output') };
  const options = { cwd: empty, env: { ...files, ...env } };
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  let firstLine: number | undefined;
  const passed = () => performance.now() - startedAt;
  child.on('error', reject);
  child.stdout.on('data', () => {
    firstLine ??= passed();
  });
  // Waits until it has ended before the next one starts.
  child.on('close', () => resolve((until === 'first line' ? firstLine : undefined) ?? passed()));
  return promise;
}
