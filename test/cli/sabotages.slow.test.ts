import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const PINS = ['broken-kettle', 'unknown-order'].map((name) => `examples/support-agent/replays/${name}.session.json`);

let folder: string;
/** The score of the library as it is built. */
let sound: Score;

/** A copy of the built package, beside two pins of an example. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sabotages-'));
  await Promise.all([
    ...['bin', 'lib', 'package.json'].map((name) => copied(name, name)),
    ...PINS.map((pin) => copied(pin, path.join('replays', path.basename(pin)))),
    symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules')),
  ]);
  sound = await selfTestScore();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function copied(from: string, to: string): Promise<void> {
  return cp(path.join(ROOT, from), path.join(folder, to), { recursive: true });
}

interface Score {
  readonly code: number | null;
  readonly red: number;
  readonly passed: number;
}

/** Runs the copied command in a process of its own. */
async function selfTestScore(): Promise<Score> {
  const { PATH, HOME } = process.env;
  const { promise, resolve } = Promise.withResolvers<string>();
  const args = [path.join(folder, 'bin/agent-replay.js'), 'run', '--self-test'];
  const child = execFile(process.execPath, args, { cwd: folder, env: { PATH, HOME } }, (_, stdout, stderr) =>
    resolve(stdout + stderr),
  );
  const printed = await promise;
  const [, red, passed] = /^(\d+) of \d+ planted changes are red, (\d+) of \d+ harmless/m.exec(printed) ?? [];
  if (red === undefined) throw new Error(`the self-test printed no score: ${printed}`);
  return { code: child.exitCode, red: Number(red), passed: Number(passed) };
}

/** A text of the library, and what stands in its place. */
type Patch = readonly [text: string, by: string];

/** Puts a statement first in the function with this head. */
function first(head: string, statement: string): Patch {
  return [`${head} {\n`, `${head} {\n${statement}\n`];
}

/** @throws if the library does not hold the text exactly once @returns what takes the patch back */
async function patched([text, by]: Patch): Promise<() => Promise<void>> {
  const lib = path.join(folder, 'lib');
  const names = (await readdir(lib)).filter((name) => name.endsWith('.js'));
  const files = await Promise.all(
    names.map(async (name) => ({ file: path.join(lib, name), whole: await readFile(path.join(lib, name), 'utf8') })),
  );
  const [found, ...more] = files.flatMap(({ file, whole }) => {
    const parts = whole.split(text);
    return Array.from({ length: parts.length - 1 }, () => ({ file, whole, spoilt: parts.join(by) }));
  });
  if (found === undefined || more.length > 0) throw new Error(`lib/ does not hold this exactly once: ${text}`);
  await writeFile(found.file, found.spoilt);
  return () => writeFile(found.file, found.whole);
}

const DIGEST = 'function digest$1(text)';
const COMPARED = 'function textOf$1(step, value)';

const SABOTAGES: Readonly<Record<string, Patch>> = {
  'texts are cut at 4,000 characters': first(DIGEST, 'text = text.slice(0, 4000);'),
  'case is ignored': first(DIGEST, 'text = text.toLowerCase();'),
  'only the first three items of a list are compared': first(
    COMPARED,
    'value &&= JSON.parse(JSON.stringify(value, (_, item) => Array.isArray(item) ? item.slice(0, 3) : item));',
  ),
  'names of arguments are ignored': first(
    COMPARED,
    `if (step.kind === "call") value = JSON.stringify(value).replace(/"[^"]*":/g, "");`,
  ),
  'results are not compared': first(COMPARED, 'if (step.kind === "result") value = "ok";'),
  'figures never differ': first(
    'function formDifference(recorded, replayed, { lost, won }, isRetold, given)',
    'return;',
  ),
  'figures may change places': [
    ' ?? otherStatement(recorded.statements, replayed.statements) ?? (isRearranged ? void 0 : exchange(recorded, replayed))',
    '',
  ],
  'a "not" is ignored': first('function polarityDifference({ forms: a }, { forms: b })', 'return;'),
  'tools that write are taken for reads': first('function soundOf(tool)', 'return "reads";'),
  'nothing differs in what was said': first(
    'function aspectOutcome(aspect, counts)',
    'if (aspect === "said") return "as-recorded";',
  ),
  'generated ids are compared as they are': first('\trename(step)', 'return { ...step, ids: [] };'),
  'the order of keys counts': first('function keysInOrder(object)', 'return Object.keys(object);'),
};

test('run --self-test of the library as it is built misses nothing', () => {
  expect(sound).toEqual({ code: 0, red: expect.any(Number), passed: expect.any(Number) });
  expect(sound.red).toBeGreaterThan(150);
});

test('a sabotage whose text is not in the library fails its test', async () => {
  await expect(patched(['function thatIsNotThere()', ''])).rejects.toThrow('function thatIsNotThere()');
});

test.each(Object.entries(SABOTAGES))('run --self-test of a built library in which %s tells so', async (_, patch) => {
  const takeBack = await patched(patch);
  const { code, red, passed } = await selfTestScore().finally(takeBack);
  expect(code !== 0 || red < sound.red || passed < sound.passed).toBe(true);
});
