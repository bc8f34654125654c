import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema, loadConfig, parseConfig } from '../../src/config/index.ts';
import { command } from '../cli/command.ts';
import { wholeMessage } from '../whole-message.ts';
import { folderWith } from './folder.ts';

const URL = 'http://127.0.0.1:3000/replay';
const MINIMAL = `{"agent":{"url":"${URL}"}}`;

test('a configuration in a folder above is found, and paths are relative to its folder', async () => {
  await using folder = await folderWith({ 'agent-replay.config.json': MINIMAL, 'deep/er/file': '' });
  const config = await loadConfig({ cwd: path.join(folder.path, 'deep', 'er') });
  expect(config.root).toBe(folder.path);
  expect(config).toMatchObject({
    runs: 5,
    workers: 4,
    sessions: 'replays/**/*.session.json',
    tracing: { source: 'embedded' },
  });
});

test.for([
  ['ts', `const url: string = '${URL}';\nexport default { agent: { url }, runs: 7 as number };`],
  ['mts', `export default { agent: { url: '${URL}' }, runs: 7 } satisfies object;`],
  ['mjs', `export default { agent: { url: '${URL}' }, runs: 7 };`],
  ['json', `\ufeff{"agent":{"url":"${URL}"},"runs":7}`],
] as const)('a configuration in .%s is read', async ([extension, text]) => {
  await using folder = await folderWith({ [`agent-replay.config.${extension}`]: text });
  expect(await loadConfig({ cwd: folder.path })).toMatchObject({ runs: 7, agent: { url: URL } });
});

test.for([
  ['cjs', `module.exports = { agent: { url: '${URL}' }, allowEmpty: true };`],
  ['cts', `const url: string = '${URL}';\nmodule.exports = { agent: { url }, allowEmpty: true };`],
] as const)('a configuration in .%s is read, as Node.js does', async ([extension, text]) => {
  await using folder = await folderWith({ [`agent-replay.config.${extension}`]: text });
  const { stderr } = await command(['run', '--dry-run'], { cwd: folder.path });
  expect(stderr).not.toContain('CONFIG_');
});

test('a module in a package of CommonJS is told to be called .mts', async () => {
  await using folder = await folderWith({
    'package.json': '{"type":"commonjs"}',
    'agent-replay.config.ts': `export default { agent: { url: '${URL}' } };`,
  });
  const { stderr, code } = await command(['run', '--dry-run'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain('CONFIG_INVALID');
  expect(stderr.replace(/\s+/g, ' ')).toContain('Rename it to agent-replay.config.mts');
});

test('with a file named, nothing is searched for; its `root` moves where paths start', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': MINIMAL,
    'ci/nightly.json': `{"root":"..","runs":9,"agent":{"url":"${URL}"}}`,
  });
  expect(await loadConfig({ cwd: folder.path, file: 'ci/nightly.json' })).toMatchObject({ root: folder.path, runs: 9 });
});

test('no configuration anywhere is CONFIG_NOT_FOUND, unless options name the target', async () => {
  await using folder = await folderWith({});
  expect(await loadConfig({ cwd: folder.path }).catch(wholeMessage)).toMatchInlineSnapshot(`
    "There is no agent-replay.config.ts here or in a folder above. (CONFIG_NOT_FOUND)
      searched from <folder> up to <folder>
      -> \`npx agent-replay init\` writes one. One elsewhere is named with --config, in Vitest with \`config\`; --url and --start do without."
  `);
  const options = new Map<string, unknown>([['agent.url', URL]]);
  expect(await loadConfig({ cwd: folder.path, options })).toMatchObject({ root: folder.path, agent: { url: URL } });
});

test('a named file that is not there is CONFIG_NOT_FOUND with its name', async () => {
  await using folder = await folderWith({ 'agent-replay.config.json': MINIMAL });
  expect(await loadConfig({ cwd: folder.path, file: 'other.ts' }).catch(wholeMessage)).toMatchInlineSnapshot(`
    "There is no configuration other.ts. (CONFIG_NOT_FOUND)
      at other.ts
      looked for <folder>/other.ts
      -> Correct --config, which is relative to the current folder."
  `);
});

test('every mistake is reported with its path and the file', async () => {
  const mistakes = {
    agent: { url: 'ftp://x', timeout: -1, comand: 'x' },
    runs: 0,
    compare: { strictness: 'loose', ignore: ['nowhere'] },
    timeouts: { call: '5s' },
    workres: 4,
  };
  await using folder = await folderWith({ 'agent-replay.config.json': JSON.stringify(mistakes) });
  const error = await loadConfig({ cwd: folder.path }).catch((thrown) => thrown);
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The configuration is not valid. (CONFIG_INVALID)
      at agent-replay.config.json
      agent.url: expected an http or https URL, found "ftp://x"
      agent.timeout: expected more than 0 milliseconds, found -1
      agent.comand: there is no such key; the nearest is command
      runs: expected a whole number from 1 to 1000, found 0
      timeouts.call: expected a whole number of milliseconds, found "5s"
      compare.strictness: expected one of "exact", "wording", "steps", "behaviour" or "outcome", found "loose"
      compare.ignore.0: expected tool:NAME/args/POINTER, tool:NAME/result/POINTER or output/POINTER, found "nowhere"
      workres: there is no such key; the nearest is workers
      -> Correct these settings."
  `);
});

test.each([
  [{ workres: 4 }, 'workres: there is no such key; the nearest is workers'],
  [
    { compare: { judge: { ask: 1, verson: '1' } } },
    'compare.judge.verson: there is no such key; the nearest is version',
  ],
  [{ tools: { refund: { mutatin: true } } }, 'tools.refund.mutatin: there is no such key; the nearest is mutating'],
  [{ tracing: { sorce: 'files' } }, 'tracing.sorce: there is no such key; the nearest is source'],
  [{ tracing: { receiver: { prot: 1 } } }, 'tracing.receiver.prot: there is no such key; the nearest is port'],
  [{ overrides: [{ sessions: 'a', Runs: 3 }] }, 'overrides.0.Runs: there is no such key; the nearest is runs'],
  [
    { agents: { a: { url: URL, wait: { statis: [] } } } },
    'agents.a.wait.statis: there is no such key; the nearest is status',
  ],
  [{ prices: { model: { input: 1, outptu: 1 } } }, 'prices.model.outptu: there is no such key; the nearest is output'],
  [{ banana: 1 }, 'banana: there is no such key'],
])('fault 138: an unknown key is refused at every depth, with the nearest that exists: %j', (settings, told) => {
  const parse = () => parseConfig(settings, { folder: '/' });
  expect(parse).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', evidence: expect.arrayContaining([told]) }));
});

interface Described {
  readonly type?: string;
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
}

/** The paths of all settings that are numbers. */
function numbersIn({ type, anyOf = [], properties = {} }: Described, path = ''): string[] {
  const below = Object.entries(properties).flatMap(([key, each]) =>
    numbersIn(each, path === '' ? key : `${path}.${key}`),
  );
  const own = type === 'number' || type === 'integer' ? [path] : [];
  return [...own, ...below, ...anyOf.flatMap((each) => numbersIn(each, path))];
}

test('fault 138: a number as text is refused by every setting that takes one', () => {
  const numbers = numbersIn(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Described);
  expect(numbers.length).toBeGreaterThan(15);
  for (const path of numbers) {
    const parse = (value: unknown) => parseConfig({}, { folder: '/', options: new Map([[path, value]]) });
    const told = new RegExp(`^${path}: expected .*, found "1"$`);
    expect(() => parse('1'), path).toThrow(
      expect.objectContaining({ evidence: expect.arrayContaining([expect.stringMatching(told)]) }),
    );
  }
});

test.each([
  [{ tools: { refund: { readOnly: true, mutating: true } } }, 'tools.refund: is both readOnly and mutating'],
  [
    { compare: { tools: { refund: { readOnly: true } } }, tools: { refund: { mutating: true } } },
    'tools.refund: is both readOnly and mutating',
  ],
  [
    { compare: { tools: { refund: { critical: true } } }, tools: { refund: { critical: false } } },
    'tools.refund.critical: is false here and true in compare.tools',
  ],
])('fault 138: what contradicts itself is refused: %j', (settings, told) => {
  const parse = () => parseConfig(settings, { folder: '/' });
  expect(parse).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', evidence: [told] }));
});

test('a tool may be declared in two places that agree', () => {
  const { compare } = parseConfig(
    { compare: { tools: { refund: { critical: true } } }, tools: { refund: { critical: true, mutating: true } } },
    { folder: '/' },
  );
  expect(compare.tools).toEqual({ refund: { critical: true, mutating: true } });
});

test('a mistake in a value that may be secret shows only what kind of value it is', async () => {
  const mistakes = {
    agent: { url: 'https://user:hunter2@', env: { PIN: 4711 } },
    headers: { authorization: 'Bearer hunter2\n', 'x y': 'hunter2' },
    redact: { values: ['abc'] },
    tracing: { receiver: { secretKey: '' } },
  };
  await using folder = await folderWith({ 'agent-replay.config.json': JSON.stringify(mistakes) });
  const message = wholeMessage(await loadConfig({ cwd: folder.path }).catch((thrown) => thrown));
  expect(message).not.toMatch(/hunter2|4711/);
  expect(message).toMatchInlineSnapshot(`
    "The configuration is not valid. (CONFIG_INVALID)
      at agent-replay.config.json
      agent.url: expected an http or https URL, found "https://"
      agent.env.PIN: expected a text, found a number
      headers.authorization: is no value of a header: that is one line of characters up to U+00FF
      headers.x y: is not the name of a header
      tracing.receiver.secretKey: expected a text that is not empty, found a text
      redact.values.0: has fewer than 6 characters, so ordinary words would be replaced, too
      -> Correct these settings."
  `);
});

test('settings of another kind, of a closed list or written in several ways say what would do', async () => {
  const mistakes = {
    agent: { url: URL, wait: { status: [] }, stdout: 1 },
    sessions: 5,
    allowEmpty: 'yes',
    retries: null,
    overrides: { sessions: 'a' },
    failOn: ['as-recorded'],
    minAgreement: 80,
    quarantine: { refund: { until: 'soon', why: '' } },
    shard: '4',
  };
  await using folder = await folderWith({ 'agent-replay.config.json': JSON.stringify(mistakes) });
  const error = await loadConfig({ cwd: folder.path }).catch((thrown) => thrown);
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The configuration is not valid. (CONFIG_INVALID)
      at agent-replay.config.json
      agent.stdout: expected one of "pipe" or "ignore", found 1
      agent.wait.status: expected a list that is not empty, found an empty list
      sessions: expected a text or a list, found 5
      allowEmpty: expected true or false, found "yes"
      retries: expected a whole number from 0 to 10, found null
      failOn: expected an object, found a list
      minAgreement: expected 1 or less, found 80
      overrides: expected a list, found an object
      quarantine.refund.until: expected a day such as 2026-05-03, found "soon"
      quarantine.refund.why: expected a text that is not empty, found ""
      shard: expected a part such as 2/4, or auto, found "4"
      -> Correct these settings."
  `);
});

test('a trace from a platform may take longer, unless the configuration says how long', async () => {
  const traceTimeout = async (settings: object) => {
    const text = JSON.stringify({ agent: { url: URL }, ...settings });
    await using folder = await folderWith({ 'agent-replay.config.json': text });
    return (await loadConfig({ cwd: folder.path })).timeouts.trace;
  };
  expect(await traceTimeout({})).toBe(30_000);
  for (const tracing of ['platform', { source: 'platform' }]) {
    expect(await traceTimeout({ tracing })).toBe(120_000);
    expect(await traceTimeout({ tracing, timeouts: { call: 5 } })).toBe(120_000);
    expect(await traceTimeout({ tracing, timeouts: { trace: 5 } })).toBe(5);
  }
});

test('both agent and agents are refused, and so is a configuration that is no object', async () => {
  for (const text of ['export default { agent: {}, agents: { a: {} } };', 'export default 5;', 'export const x = 1;']) {
    await using folder = await folderWith({ 'agent-replay.config.mjs': text });
    await expect(loadConfig({ cwd: folder.path })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  }
});

test('a file that does not load says why, with the line of a syntax error', async () => {
  await using folder = await folderWith({ 'agent-replay.config.mjs': 'export default {\n  runs: 5,,\n};\n' });
  const error = await loadConfig({ cwd: folder.path }).catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    location: { file: path.join(folder.path, 'agent-replay.config.mjs') },
  });
  expect(error.evidence.join('\n')).toContain('runs: 5,,');
});

test('a file that rejects without a reason is told as that', async () => {
  await using folder = await folderWith({ 'agent-replay.config.mjs': 'Promise.reject();\nexport default {};\n' });
  // In a process of its own: Vitest takes what nobody catches.
  const { code, stdout, stderr } = await command(['run'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stdout + stderr).toContain('it threw or rejected without a reason');
});

test('a project without the package is told to install it', async () => {
  await using folder = await folderWith({
    'agent-replay.config.mjs': "import { defineConfig } from 'agent-replay';\nexport default defineConfig({});",
  });
  // In a process of its own: Vitest finds the package from any folder.
  const { code, stderr } = await command(['run'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain('Install the package, or export a plain object.');
});

test('keys of a prototype in a JSON configuration are data, and refused as such', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': '{"__proto__":{"runs":3},"agent":{"url":"http://x/"}}',
  });
  await expect(loadConfig({ cwd: folder.path })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(({} as { runs?: number }).runs).toBeUndefined();
});

test.each([0, 1.5, 1_001, 'five'])('fault 99: a mistake in runs says the whole range: %j', (runs) => {
  const evidence = [`runs: expected a whole number from 1 to 1000, found ${JSON.stringify(runs)}`];
  expect(() => parseConfig({ runs: runs as number }, { folder: '/' })).toThrow(expect.objectContaining({ evidence }));
});
