import { expect, test } from 'vitest';
import type { ProjectOptions } from '../../cli/project.ts';
import { outcomes } from '../../outcomes.ts';
import { IN_VAIN_MS } from '../../patience.ts';
import { type Major, vitestProject } from '../vitest-project.ts';

const PASSING = `
import { session, withReplay } from 'agent-replay/vitest';
import { expect, inject, test } from 'vitest';
import pin from './replays/one.session.json';
test('matchers of a session', async () => {
  await expect(session('one')).toReproduce();
  await expect(session('one')).toReproduce({ runs: 3, strictness: 'exact' });
  await expect(session('flip')).not.toReproduce();
  await expect(session('one')).toAgree();
  await expect(session('flip')).not.toAgree();
  await expect(session('flip', { turn: 1 })).not.toAgree({ runs: 4 });
});

test('doubt is thrown, whatever was expected', async () => {
  await expect(expect(session('silent')).toReproduce()).rejects.toThrow(/could not tell: TRACE_MISSING/);
  await expect(expect(session('silent')).not.toReproduce()).rejects.toThrow(/could not tell: TRACE_MISSING/);
  await expect(expect(session('silent')).not.toAgree()).rejects.toThrow(/could not tell: TRACE_MISSING/);
  await expect(expect(session('one')).not.toAgree({ runs: 1 })).rejects.toThrow(/could not tell: one run/);
  await expect(session('silent').replay()).rejects.toThrow(/could not tell: TRACE_MISSING/);
  await expect(expect(session('nobody')).toReproduce()).rejects.toThrow(/NO_SESSIONS There is no pinned session "nobody"/);
  await expect(expect(session('one', { turn: 3 })).toReproduce()).rejects.toThrow(/it has 2/);
  await expect(expect(session('one')).toReproduce({ runs: 0 })).rejects.toThrow(/USAGE .*runs: /s);
  await expect(expect(session('one')).toReproduce({ strictness: 'loose' as 'exact' })).rejects.toThrow(/strictness: /);
});

test('matchers of a trace', async () => {
  const [first, second] = await session('one').replay({ runs: 3 });
  expect(first).toMatchObject({ turn: 1, runs: [1, 2, 3], output: 'answer to a' });
  expect(first).toHaveCalledTool('lookup');
  expect(first).toHaveCalledTool('lookup', { text: 'a' });
  expect(second).toHaveCalledTool('lookup', expect.objectContaining({ text: expect.stringMatching(/^b$/) }));
  expect(first).not.toHaveCalledTool('lookup', { text: 'b' });
  expect(first).not.toHaveCalledTool('refund');
  expect(first).toMatchTrajectory(['lookup']);
  expect(first).toMatchTrajectory([{ name: 'lookup', args: { text: expect.any(String) } }], { mode: 'unordered' });
  expect(first).not.toMatchTrajectory([]);
  expect(first).toMatchTrajectory([], { mode: 'superset' });
  expect(first).toMatchTrajectory(['refund', 'lookup'], { mode: 'subset' });
});

test('an imported pin is its JSON, and brings no tests', () => {
  expect(pin).toMatchObject({ version: 1, id: 'one' });
});

test.extend(withReplay)('raw results, whatever came of it', async ({ replay }) => {
  const flip = await replay('flip');
  expect(flip.result).toMatchObject({ id: 'flip', verdict: '${outcomes.varies}' });
  expect(flip.traces.map(({ output }) => output).sort()).toEqual(['answer 0', 'answer 1']);
  const silent = await replay('silent', { runs: 1 });
  expect(silent.result.turns[0]?.problems).toMatchObject([{ code: 'TRACE_MISSING', runs: [1] }]);
  expect(silent.runs).toMatchObject([{ run: 1, outcome: 'unverified' }]);
  expect((await replay('one', { turn: 2, runs: 1 })).traces).toMatchObject([{ turn: 2 }]);
});

test('addresses of what was started', async () => {
  const { agents } = inject('agentReplay');
  const receiver = expect.stringMatching(/^http:/);
  expect(agents).toEqual([{ url: expect.stringMatching(/\\/replay$/), headers: expect.any(Object), receiver }]);
  expect(await (await fetch(new URL('/', agents[0]!.url))).text()).toBe('ready');
});
`;

const FAILING = `
import { session } from 'agent-replay/vitest';
import { expect, test } from 'vitest';

test('reproduces', async () => {
  await expect(session('flip')).toReproduce();
});
test('agrees', async () => {
  await expect(session('flip')).toAgree();
});
test('does not reproduce', async () => {
  await expect(session('one')).not.toReproduce();
});
test('calls', async () => {
  const [trace] = await session('one', { turn: 1 }).replay();
  expect(trace).toHaveCalledTool('lookup', { text: expect.stringContaining('kettle') });
});
test('calls another', async () => {
  const [trace] = await session('one', { turn: 1 }).replay();
  expect(trace).toHaveCalledTool('refund');
});
test('trajectory', async () => {
  const [trace] = await session('one', { turn: 1 }).replay();
  expect(trace).toMatchTrajectory(['lookup', { name: 'refund', args: { amount: 5 } }]);
});
test('no trace', () => {
  expect(session('one')).toHaveCalledTool('lookup');
});
`;

const PINS = { one: ['a', 'b'], flip: 'varies', silent: 'untraced' };
const CONFIG = { timeouts: { trace: IN_VAIN_MS } };

/** The same promises for each major of Vitest. */
export function matchersHold(major: Major): void {
  const projectOf = (options: ProjectOptions) => vitestProject(options, major);
  test('matchers pass on what is so, with .not on what is not so, and throw when nobody can tell', async () => {
    await using project = await projectOf({ sessions: PINS, config: CONFIG, files: { 'own.test.ts': PASSING } });
    const { code, output } = await project.vitest(['own.test.ts']);
    expect(output).toMatch(/Tests +6 passed/);
    expect(code).toBe(0);
    expect(project.leftovers()).toEqual([]);
  });

  test('a matcher that fails says what was expected and points at its line', async () => {
    await using project = await projectOf({ sessions: PINS, config: CONFIG, files: { 'own.test.ts': FAILING } });
    const { code, output } = await project.vitest(['own.test.ts']);
    expect(code).toBe(1);
    expect(output).toMatch(/Tests +7 failed/);
    const failure = (name: string) => output.split(`own.test.ts > ${name}\n`)[1]?.split('⎯⎯⎯⎯')[0];
    expect(failure('reproduces')).toMatch(
      /varies: turn 1, step 3: answer: .*- +"final": "answer 0".*own\.test\.ts:6:3/s,
    );
    expect(failure('agrees')).toMatch(/turn 1: 2 runs behaved in 2 ways.*"final": "answer [01]"/s);
    expect(failure('does not reproduce')).toContain('expected session "one" not to reproduce');
    expect(failure('calls')).toMatch(/lookup to be called with these arguments.*StringContaining.*\+ +"text": "a"/s);
    expect(failure('calls another')).toContain('expected refund to be called; called: lookup');
    expect(failure('trajectory')).toContain('expected the calls to match (strict) lookup, refund; called: lookup');
    expect(failure('trajectory')).toMatch(/to match \(strict\).*- +"name": "refund"/s);
    expect(failure('no trace')).toContain('toHaveCalledTool is for a trace');
  });

  test('a matcher that nobody awaits fails its run all the same', async () => {
    const forgotten = `
import { session } from 'agent-replay/vitest';
import { expect, test } from 'vitest';
test('forgets to await', () => {
  expect(session('flip')).toReproduce();
});
`;
    await using project = await projectOf({ sessions: PINS, config: CONFIG, files: { 'own.test.ts': forgotten } });
    const { code, output } = await project.vitest(['own.test.ts']);
    expect([code, output]).toEqual([1, expect.stringContaining('varies: turn 1')]);
  });
}
