import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test('--self-test says of each change whether the gate is red, without an agent: exit 0', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] }, agent: { command: 'no-such' } });
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 3 of 3$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +red 3 of 3$/m);
  expect(stdout).toMatch(/^ {2}✔ new ids +red 0 of 3$/m);
  expect(stdout).not.toContain('missed');
  const [, red] = /^Changes that matter: red (\d+) of \d+/m.exec(stdout) ?? [];
  expect(Number(red)).toBeGreaterThan(20);
  expect(stdout).toMatch(/^Harmless changes: red 0 of \d+$/m);
});

test('--self-test takes the selection of a run, and its rules', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  const args = ['run', '--self-test', 'replays/two.session.json', '--turn', '2', '--set', 'compare.strictness=outcome'];
  const { code, stdout } = await command(args, { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 0 of 1, reported but not red 1$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +red 1 of 1$/m);
});

test('--self-test says what is reported but not red, as the policy lets it pass', async () => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { failOn: { cause: { environment: 'warn' } } },
  });
  const { code, stdout } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ result changed +red 0 of 1, reported but not red 1$/m);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 1 of 1$/m);
});

test('--self-test of a gate that fails nothing is GATE_BLIND: exit 1', async () => {
  const config = { failOn: { changed: 'off', flaky: 'off', unsettled: 'off' } } as const;
  await using project = await projectWith({ sessions: { one: 'a' }, config });
  const { code, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(1);
  expect(stderr).toMatchInlineSnapshot(`
    "error: No change of a call or of an answer fails the run. (GATE_BLIND)
      -> See what failOn, minAgreement, compare.strictness, compare.include and compare.ignore let pass.
    "
  `);
});

test.each([
  ['fails by results alone', { compare: { include: ['result', 'end'] } }, 2, 'NO_SESSIONS'],
  ['looks at nothing but the end', { compare: { include: ['end'] } }, 2, 'NO_SESSIONS'],
] as const)('--self-test of a gate that %s is not passed', async (_, config, exit, error) => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: config as unknown as Partial<ConfigInput>,
  });
  const { code, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(exit);
  expect(stderr).toContain(error);
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
  expect(stdout).toMatch(/^not judged \d+: compare\.judge\.maxCalls \(2\) was reached$/m);
});
