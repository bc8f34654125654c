import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../../examples/model-server/server.ts';
import { parseReport } from '../../src/report/index.ts';
import { outcomes } from '../outcomes.ts';
import { copyOf, KEY, NOWHERE } from './project.ts';

const ALL_LACKING =
  /agents\.one\.command: not set\n.*agents\.one\.url: http:.*\n.*agents\.two\.url: not set\n.*\{port\}.*agent\.install.*agent\.baseFiles/s;
const WHO = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
const TWO = ['replays/small-refund.session.json', 'replays/unknown-order.session.json'];

test('without a model, unchanged code does as recorded in all sessions; no tool acts, no key is written down, and nothing can be accepted', async () => {
  await using folder = await copyOf('support-agent');
  const ran = await folder.call('run', '--offline');
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('18 of 18 tool results from the recording') });
  expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Your code does the same with the model answering as recorded, in 8 sessions (0 tokens).',
  );
  const output = path.join(folder.path, '.agent-replay');
  const { results } = parseReport(await readFile(path.join(output, 'report.json'), 'utf8'), 'report.json');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual(Array(8).fill(outcomes.asRecorded));
  for (const file of await readdir(output, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) expect(await readFile(path.join(file.parentPath, file.name), 'utf8')).not.toContain(KEY);
  }
  expect(await folder.call('accept')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('What a model did not say is no recording'),
  });
});

test('code that changes an answer is red, and is its cause, because no model can be', async () => {
  await using folder = await copyOf('support-agent');
  await folder.edit(['agent.ts', 'output: text,', 'output: text.toUpperCase(),']);
  const ran = await folder.call('run', '--offline', '--quiet', ...TWO);
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.stdout).toMatch(
    /cause {2}agent: its code, as its model is asked nothing else\n(?:.*\n)*✘ small-refund +said +turn 1/,
  );
  expect(ran.stdout).toMatch(
    /wanted\? +npx agent-replay run\n(?:.*\n)*rerun +npx agent-replay run --last-failed --offline/,
  );
});

test('an edited prompt can only be judged by the model: could not tell, with what differs, said once for all sessions', async () => {
  await using folder = await copyOf('support-agent');
  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  const ran = await folder.call('run', '--offline', '--quiet', ...TWO);
  expect(ran).toMatchObject({ code: 2 });
  expect(ran.stdout.slice(ran.stdout.indexOf('MODEL_NEEDED 3'))).toMatchInlineSnapshot(`
    "MODEL_NEEDED 3 replays of small-refund, unknown-order: The recording cannot answer for the model:
    its system prompt differs.
      │ request 1: another system prompt
      │ request 2: another system prompt
      │ request 3: another system prompt
      │ request 4: another system prompt
      → Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx
      agent-replay accept --all\` then makes the pins hold what the model is asked now.

      Mend this, then run again.
    ? error: could not tell in 2 of 2 sessions
    "
  `);
});

test('what a model answered to an edited prompt as recorded is renewed by accept --all, and needs no model any more', async () => {
  await using folder = await copyOf('support-agent');
  const model = await startModelServer();
  onTestFinished(() => model.close());
  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  const asked = await folder.call('run', '--quiet', ...TWO, '--set', `agent.env.MODEL_BASE_URL=${model.url}`);
  expect(asked).toMatchObject({ code: 0 });
  expect((await folder.call('accept')).stdout).toContain('nothing to accept');
  const renewed = await folder.call('accept', '--all');
  expect(renewed).toMatchObject({ code: 0 });
  const [one, two] = TWO;
  expect(renewed.stdout.split('\n')).toEqual([
    `${one}#1: as recorded, and renewed`,
    `written ${one}`,
    // The user of the second turn gives an address, which the pin holds and no output does.
    `${two}#1: as recorded, and renewed`,
    `${two}#2: as recorded, and renewed`,
    `written ${two}`,
    '',
  ]);
  expect(await folder.call('run', '--offline', '--quiet', ...TWO)).toMatchObject({ code: 0 });
});

test('an agent whose model cannot be told is said to be one, and asks nobody with its key', async () => {
  await using folder = await copyOf('support-agent', { config: { fork: {} } });
  const ran = await folder.call('run', '--offline', '--quiet', ...TWO);
  expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining('MODEL_UNSEEN') });
});

test('against a base, only what this tree asks the model anew needs the model, and is the cause', async () => {
  await using folder = await copyOf('support-agent');
  const git = (...args: string[]) => execFileSync('git', [...WHO, ...args], { cwd: folder.path });
  // The base's prompt is another one than the recorded one.
  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'base');
  const run = async () => {
    const { code, stdout } = await folder.call('run', '--offline', '--base', 'main', '--quiet', ...TWO);
    return { code, stdout: stdout.replaceAll(/\s+/g, ' ') };
  };
  await folder.edit(['settings.ts', 'max(2).default(0)', 'max(2).default(0.5)']);
  const asked = 'cannot answer for the model: its temperature is another one than at the base.';
  expect(await run()).toMatchObject({ code: 2, stdout: expect.stringContaining(asked) });
  await folder.edit(['settings.ts', 'max(2).default(0.5)', 'max(2).default(0) as z.ZodDefault<z.ZodNumber>']);
  expect(await run()).toMatchObject({ code: 0 });
  await folder.edit(['agent.ts', 'output: text,', 'output: text.toUpperCase(),']);
  const code = 'cause agent: its code, as its model is asked nothing else';
  expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining(code) });
});

test('all that a base lacks is said at once: before the start, and in the result where it is the base that lacks it', async () => {
  const agents = { one: { url: 'http://127.0.0.1:3000/replay' }, two: { command: 'node two.js' } };
  await using folder = await copyOf('support-agent', { config: { agent: undefined, agents } });
  const run = () => folder.call('run', '--offline', '--base', 'main', '--quiet', ...TWO);
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringMatching(ALL_LACKING) });
  await using other = await copyOf('support-agent');
  const git = (...args: string[]) => execFileSync('git', [...WHO, ...args], { cwd: other.path });
  const config = path.join(other.path, 'agent-replay.config.json');
  const text = await readFile(config, 'utf8');
  await writeFile(config, JSON.stringify({ agent: { url: 'http://127.0.0.1:3000/replay' } }));
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'base');
  await writeFile(config, text);
  const fallen = await other.call('run', '--offline', '--base', 'main', '--quiet', ...TWO);
  expect(fallen).toMatchObject({ code: 0 });
  const report = await readFile(path.join(other.path, '.agent-replay/report.md'), 'utf8');
  for (const told of [fallen.stdout, report]) {
    const said = told.replaceAll(/\s+/g, ' ').replaceAll(/[\\`]/g, '');
    expect(said).toContain('Judged by the recordings, without the base main');
    expect(said).toContain('commit agent.command and a {port} in agent.url to it first');
  }
});

test('an agent that is started elsewhere is refused', async () => {
  await using elsewhere = await copyOf('support-agent', {
    config: { agent: { url: NOWHERE }, tracing: { receiver: { port: 4319 } } },
  });
  const ran = await elsewhere.call('run', '--offline', '--quiet', '--tools', 'live');
  expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining('AGENT_ELSEWHERE') });
});
