import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

const EMPTY = { request: { input: 'a' }, recorded: { observations: [] } };

test('--self-test prints a score, and what became of each kind of change, without an agent: exit 0', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] }, agent: { command: 'no-such' } });
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const [, red, planted] =
    /^(\d+) of (\d+) planted changes are red, (\d+) of \3 harmless ones pass$/m.exec(stdout) ?? [];
  expect(Number(red)).toBeGreaterThan(40);
  expect(Number(planted)).toBeGreaterThanOrEqual(Number(red));
  expect(stdout).toMatch(/^ {2}✔ argument changed +3 of 3 red$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +3 of 3 red$/m);
  expect(stdout).toMatch(/^ {2}✔ keys in another order +3 of 3 passed$/m);
  expect(stdout).not.toMatch(/missed|although/);
});

test('--self-test needs no configuration', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  await rm(path.join(project.path, 'agent-replay.config.json'));
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('planted changes are red')]);
});

test('--self-test takes the selection of a run and its rules, and tells what is not seen, at which place of which pin', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  const args = ['run', '--self-test', 'replays/two.session.json', '--turn', '2', '--set', 'compare.strictness=outcome'];
  const { code, stdout } = await command(args, { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ argument changed +0 of 1 red, 1 reported but not red$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +1 of 1 red$/m);
  expect(stdout).toMatch(
    /^ {2}reported but not red: argument changed, tool:\w+\/args\/\w+: replays\/two\.session\.json, turn 2, step 1$/m,
  );
  expect(stdout).not.toContain('one.session.json');
});

test('--self-test lists what compare.ignore leaves out as not compared, with its path', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { compare: { ignore: ['output'] } } });
  const { code, stdout } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ {2}not compared: answer changed deep inside, output: replays\/one\.session\.json, turn 1, step \d$/m,
  );
});

test('--self-test says what is reported but not red, as the policy lets it pass', async () => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { failOn: { cause: { environment: 'warn' } } },
  });
  const { code, stdout } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ result changed +0 of 1 red, 1 reported but not red$/m);
  expect(stdout).toMatch(/^ {2}✔ argument changed +1 of 1 red$/m);
});

test('--self-test of a gate that fails nothing is GATE_BLIND: exit 1', async () => {
  const config = { failOn: { did: [], said: [], path: [] } };
  await using project = await projectWith({ sessions: { one: 'a' }, config });
  const { code, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(1);
  expect(stderr).toMatchInlineSnapshot(`
    "error: No change of a call or of an answer fails the run. (GATE_BLIND)
      -> See what failOn, minAgreement, compare.strictness, compare.include and compare.ignore let pass.
    "
  `);
});

test('--self-test of a gate that looks at nothing but the end is GATE_BLIND: exit 1', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { compare: { include: ['end'] } } });
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(1);
  expect(stderr).toContain('GATE_BLIND');
  expect(stdout).toMatch(/^ {2}✔ another tool +0 of 1 red, 1 not compared$/m);
});

test('--self-test with a pin that holds nothing to change could not tell: exit 2, NO_SESSIONS', async () => {
  await using project = await projectWith({
    files: { 'replays/a.session.json': JSON.stringify({ version: 1, id: 'a', turns: [EMPTY] }) },
  });
  const { code, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(stderr).toContain('NO_SESSIONS');
  expect(code).toBe(2);
});

test('--self-test with a pin that cannot be read, or with none, could not tell: exit 2', async () => {
  await using broken = await projectWith({ sessions: { one: 'a' }, files: { 'replays/x.session.json': '{' } });
  expect(await command(['run', '--self-test'], { cwd: broken.path })).toMatchObject({ code: 2 });
  await using empty = await projectWith({});
  expect(await command(['run', '--self-test'], { cwd: empty.path })).toMatchObject({ code: 2 });
});

const CLAIM =
  'the customer owes the shop a refund, which will be received before the end of the week. ' +
  "We are happy to help you with it, and the parcel is included. It's also insured by us.";

/** A judge that goes by a rule: courtesy and words of the same meaning aside, both have the same words in the same order. */
const BY_RULE = `({ recorded, replayed }) => {
  const plain = (text) => text.replace(/^Sure, I can help with that\\. | I hope this helps!$/g, '').toLowerCase()
    .replaceAll("it's", 'it is').replace(/\\b(also|additionally)\\b/g, 'too').replace(/\\bassist\\b/g, 'help')
    .replace(/\\bget\\b|\\breceive\\b/g, 'get');
  return plain(recorded) === plain(replayed) ? 'same' : 'different';
}`;

function judged(ask: string, more = '') {
  return projectWith({
    sessions: { one: CLAIM },
    files: {
      'agent-replay.config.mjs': `import base from './agent-replay.config.json' with { type: 'json' };
        export default { ...base, compare: { judge: { version: 'rule 1', ask: ${ask}, ${more} } } };`,
    },
  });
}

test('--self-test plants changes of meaning, and the same in other words, and says how good the judge is', async () => {
  await using good = await judged(BY_RULE);
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: good.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Judge rule 1, changes of meaning: found (\d+) of \1$/m);
  expect(stdout).toMatch(/^Judge rule 1, the same in other words: recognised (\d+) of \1$/m);
  for (const change of ['who does what to whom', 'a word of another meaning', 'a polite ending']) {
    expect(stdout).toMatch(new RegExp(`^ {2}✔ ${change} +(found|recognised) 1 of 1$`, 'm'));
  }
});

test('--self-test tells what a judge is wrong about with both texts; one that finds no change is JUDGE_BLIND: exit 1', async () => {
  await using blind = await judged(`() => 'same'`);
  const found = await command(['run', '--self-test'], { cwd: blind.path });
  expect(found.code).toBe(1);
  expect(found.stderr).toMatchInlineSnapshot(`
    "error: The judge (rule 1) found none of 4 changes of meaning. (JUDGE_BLIND)
      -> Correct compare.judge: with it, answers that mean something else would pass as recorded. Or leave it out: answers in other words are then reported without being judged.
    "
  `);
  expect(found.stdout).toMatch(/^Judge rule 1, changes of meaning: found 0 of (\d+), taken for the same \1$/m);
  expect(found.stdout).toMatch(
    /who does what to whom: taken for the same: "answer to the customer owes the shop .*" and "Sure, I can help with that. answer to the shop owes the customer /,
  );
  await using harsh = await judged(`() => 'different'`);
  const other = await command(['run', '--self-test'], { cwd: harsh.path });
  expect(other.code).toBe(0);
  expect(other.stdout).toMatch(/the same in other words: recognised 0 of (\d+), taken for different \1$/m);
});

test('--self-test keeps to the limits of the judge, and says why it was not heard', async () => {
  await using limited = await judged(BY_RULE, 'maxCalls: 2');
  const { code, stdout } = await command(['run', '--self-test'], { cwd: limited.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^could not tell \d+: compare\.judge\.maxCalls \(2\) was reached$/m);
});
