import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { readPairs, readSummary } from './runner/command-files.ts';
import { Job } from './runner/job.ts';
import { LogReader } from './runner/log-commands.ts';

function read(text: string): LogReader {
  const reader = new LogReader(new Set());
  for (const line of LogReader.linesOf(text)) reader.read(line);
  return reader;
}

test.for([
  ['key=value\n', { key: 'value' }, undefined],
  ['key=a=b\nempty=\n\nother=<<x\n', { key: 'a=b', empty: '', other: '<<x' }, undefined],
  ['key<<EOF\na\n\nb\nEOF\n', { key: 'a\n\nb' }, undefined],
  ['key<<EOF\na\nEOF', { key: 'a' }, undefined],
  ['key<<EOF\nEOF\n', { key: '' }, undefined],
  ['first=1\nkey<<EOF\na\n', { first: '1' }, "Invalid value. Matching delimiter not found 'EOF'"],
  ['key<<EOF\na', {}, 'EOF marker missing new line.'],
  ['first=1\nnonsense\nlater=2\n', { first: '1' }, "Invalid format 'nonsense'"],
  ['<<EOF\na\nEOF\n', {}, "Invalid format '<<EOF'"],
] as const)('runner: command file %j', ([text, pairs, error]) => {
  expect(readPairs(text)).toEqual({ pairs, error });
});

test('runner: a summary of more than 1 MiB is dropped, counted in bytes', () => {
  expect(readSummary('é'.repeat(524_288)).uploaded).toBe(true);
  expect(readSummary('é'.repeat(524_289)).uploaded).toBe(false);
});

test.for([
  '::error file=a.ts,line=3,title=t%2C%3A::m%0A%25',
  '  ::ERROR file=a.ts,line=3,title=t%2C%3A::m%0A%25',
  'before ##[error file=a.ts;line=3;title=t,:]m%0A%25',
  'text\r::error file=a.ts,line=3,title=t%2C%3A::m%0A%25',
])('runner: the command in %j is obeyed', (line) => {
  const annotation = { level: 'error', message: 'm\n%', title: 't,:', file: 'a.ts', line: 3 };
  expect(read(line).annotations).toEqual([annotation]);
});

test.for(['x ::error::m', '::unknown::m', '#[error]m', '##\\[error]m', ':\\:error::m'])(
  'runner: %j is text',
  (line) => {
    expect(read(line).annotations).toEqual([]);
    expect(read(line).lines).toEqual([line]);
  },
);

test('runner: ten annotations of a level are kept, each of 4,096 characters', () => {
  const { annotations } = read(`${'::error::x\n'.repeat(12)}::warning::${'y'.repeat(5_000)}`);
  expect(annotations.map(({ level }) => level)).toEqual([...Array(10).fill('error'), 'warning']);
  expect(annotations.at(-1)?.message).toHaveLength(4_096);
});

test('runner: masks hold for later lines, and for each line of a secret', () => {
  const reader = read('a1\n::add-mask::a1%0Ab2\na1 b2\nx ##[add-mask]a\nbanana');
  expect(reader.lines).toEqual(['a1', '*** ***', 'b***n***n***']);
});

test('runner: stopped commands are text until the token comes', () => {
  const reader = read('::stop-commands::tok\n::error::no\n::tok::\n::error::yes');
  expect(reader.annotations.map(({ message }) => message)).toEqual(['yes']);
});

test('runner: set-env fails the step', () => {
  expect(read('::set-env name=A::b').failed).toBe(true);
});

const DEFINITION =
  'name: x\ninputs:\n  given-one: {}\n  with-default: { default: d }\nruns:\n  using: node24\n  main: main.mjs\n  post: main.mjs\n';

async function jobOf(script: string, inputs: Record<string, string> = {}) {
  const folder = await folderWith({ 'action.yml': DEFINITION, 'main.mjs': script });
  const job = await Job.create({ workspace: folder.path, action: folder.path, inputs });
  return {
    job,
    folder,
    [Symbol.asyncDispose]: async () => {
      await job[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('runner: inputs, a closed standard input, outputs, state for the post step', async () => {
  const script = `
    import { appendFileSync, readFileSync } from 'node:fs';
    const { env } = process;
    if (env.STATE_kept) console.log('post has ' + env.STATE_kept + ', ' + env['INPUT_GIVEN-ONE']);
    else {
      const seen = [env['INPUT_GIVEN-ONE'], env['INPUT_WITH-DEFAULT'], env.GITHUB_TOKEN, readFileSync(0, 'utf8').length];
      appendFileSync(env.GITHUB_OUTPUT, 'seen=' + seen.join() + '\\n');
      appendFileSync(env.GITHUB_STATE, 'kept=this\\n');
    }`;
  await using it = await jobOf(script, { 'given-one': 'g' });
  const main = await (await it.job.main()).finished;
  expect(main).toMatchObject({ exitCode: 0, conclusion: 'success', outputs: { seen: 'g,d,,0' } });
  expect((await it.job.post()).log).toBe('post has this, g');
});

test('runner: a broken command file fails a step that ended with 0', async () => {
  await using it = await jobOf(
    "import { writeFileSync } from 'node:fs'; writeFileSync(process.env.GITHUB_OUTPUT, 'nonsense')",
  );
  expect(await (await it.job.main()).finished).toMatchObject({ exitCode: 0, conclusion: 'failure' });
});

test('runner: cancelling reaches node only, and what it started is found by the tracking id', async () => {
  await using it = await jobOf(`
    import { spawn } from 'node:child_process';
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    child.on('spawn', () => console.log('started ' + child.pid));
    setInterval(() => {}, 1000);`);
  const step = await it.job.main();
  await step.printed(/started/);
  step.cancel();
  const { signal, conclusion, leftovers, log } = await step.finished;
  expect({ signal, conclusion }).toEqual({ signal: 'SIGINT', conclusion: 'cancelled' });
  expect(leftovers).toEqual([Number(log.match(/\d+/)?.[0])]);
  await it.job[Symbol.asyncDispose]();
  expect(it.job.leftovers()).toEqual([]);
});

test('runner: GITHUB_TOKEN is not there unless the workflow sets it', async () => {
  await using it = await jobOf('console.log(Object.keys(process.env).join())');
  expect((await (await it.job.main()).finished).log).not.toContain('GITHUB_TOKEN');
});
