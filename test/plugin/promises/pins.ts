import { describe, expect, test } from 'vitest';
import { fixture, type ProjectOptions } from '../../cli/project.ts';
import { type Major, vitestProject } from '../vitest-project.ts';

/** The same promises for each major of Vitest. */
export function pinnedSessionsAreTests(major: Major): void {
  const projectOf = (options: ProjectOptions) => vitestProject(options, major);
  describe.concurrent('a pinned session is a test file', () => {
    test('whose turns pass when they behave as recorded, and nothing is left behind', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: 'a', two: ['b', 'c'] } });
      const { code, output } = await project.vitest(['--reporter=verbose']);
      expect(output).toContain('replays/one.session.json > one > turn 1');
      expect(output).toContain('replays/two.session.json > two > turn 2');
      expect(output).toMatch(/Tests +3 passed/);
      expect(code).toBe(0);
      expect(project.leftovers()).toEqual([]);
    });

    test('whose turns answer in other words are no pass: nobody could tell, and which words it is about is said', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        agent: { env: { GREETING: 'Hello! ' } },
        files: {
          'own.test.ts': `
            import { session } from 'agent-replay/vitest';
            import { expect, test } from 'vitest';
            test('own', async () => {
              await expect(expect(session('one')).toReproduce()).rejects.toThrow('could not tell');
              await expect(session('one')).not.toReproduce({ strictness: 'wording' });
            });`,
        },
      });
      const { code, output } = await project.vitest(['--reporter=verbose']);
      expect(output).toMatch(/Tests +1 failed \| 1 passed/);
      expect(code).toBe(1);
      const note =
        'could not tell: turn 1: 0 of 2 as recorded, 2 could not tell: worded differently. step 3: answer: "answer to a" → "Hello! answer to a" in runs 1-2';
      expect(output).toContain(note);
      expect(output).toContain('accept it (`vitest -u`)');
      expect(output).not.toContain('as recorded in every run');
    });

    test('whose turn fails when it behaves in another way: the sentence, both sides, and its line in the pin, of which nothing is quoted', async ({
      expect,
    }) => {
      await using project = await projectOf({ sessions: { one: ['a', 'b'] }, agent: { env: { PREFIX: 'new ' } } });
      const { code, output } = await project.vitest(['-t', 'turn 2']);
      expect(output).toContain('Diverged: changed: turn 2, step 1: lookup.text: "b" → "new b" in 2 of 2 runs.');
      expect(output).toMatch(/- +"text": "b"/);
      expect(output).toMatch(/\+ +"text": "new b"/);
      const line = (await project.read('replays/one.session.json')).split('\n').indexOf('    },', 5) + 2;
      expect(output).toContain(`❯ replays/one.session.json:${line}:5`);
      expect(output).not.toMatch(/^ +\d+\| /m);
      expect(output).toMatch(/Tests +1 failed \| 1 skipped/);
      expect(code).toBe(1);
      expect(project.leftovers()).toEqual([]);
    });

    test('whose turn fails when its runs differ, says how many were as recorded, and is never retried', async ({
      expect,
    }) => {
      await using project = await projectOf({ sessions: { flip: 'varies' } });
      const { code, output } = await project.vitest(['--retry=3']);
      expect(output).toContain('Diverged: varies: turn 1');
      expect(output).toContain('in 1 of 2 runs (1 as recorded)');
      expect(output.match(/asked: varies/g)).toHaveLength(2);
      expect(code).toBe(1);
    });

    test('that cannot be told of when the agent crashes: another failure than a divergence', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: 'crash' } });
      const { code, output } = await project.vitest();
      expect(output).toContain('CouldNotTell: could not tell: AGENT_CRASHED turn 1, 2 runs:');
      expect(output).toContain('agent| asked: crash');
      expect(output).not.toContain('Diverged');
      expect(code).toBe(1);
      expect(project.leftovers()).toEqual([]);
    });

    test('that fails at the place of the mistake when the pin is not valid', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        files: {
          'replays/bad.session.json': '{\n  "version": 1,\n  "id": "bad",\n  "turns": 3\n}\n',
          'replays/torn.session.json': '{\n  "version": 1,\n  "id"',
        },
      });
      const { code, output } = await project.vitest();
      expect(output).toContain('CouldNotTell: could not tell: PIN_INVALID');
      expect(output).toContain('replays/bad.session.json:4:3');
      expect(output).toContain('replays/torn.session.json:3');
      expect(output).toMatch(/Tests +2 failed \| 1 passed/);
      expect(code).toBe(1);
    });

    test('whose turns are replayed one after another when each goes on from the replayed one before', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: ['a', 'b'] },
        config: { context: 'sequence', runs: 1 },
      });
      const { code, output } = await project.vitest();
      expect(output.match(/asked: \w/g)).toEqual(['asked: a', 'asked: b']);
      expect(output).toMatch(/Tests +2 passed/);
      expect(code).toBe(0);
    });

    test('whose divergence is a note when the policy only warns of it', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        agent: { env: { PREFIX: 'new ' } },
        config: { failOn: { did: [], said: [], path: [] } },
      });
      const { code, output } = await project.vitest(['--reporter=verbose']);
      expect(output).toContain('lookup.text: ');
      expect(code).toBe(0);
    });
  });

  describe.concurrent('the set-up', () => {
    test('fails each session when the agent never becomes ready, and no other test', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        files: OTHER_TEST,
        agent: { command: fixture('never-ready.js'), timeout: 500 },
      });
      const { code, output } = await project.vitest();
      expect(output).toContain('CouldNotTell: could not tell: AGENT_NOT_READY The agent was not ready after 0.5 s.');
      expect(output).toContain('| agent| started, and never ready');
      expect(output).toMatch(/Tests .*1 failed.* 1 passed/);
      expect(code).toBe(1);
      expect(project.leftovers()).toEqual([]);
    });

    test.for([
      { name: 'SIGINT', exitCode: 130 },
      { name: 'SIGTERM', exitCode: 143 },
    ] as const)('ends the agent on $name in the middle of a replay', async ({ name, exitCode }, { expect }) => {
      await using project = await projectOf({ sessions: { one: 'hang' } });
      let killed = false;
      const { code } = await project.vitest([], {
        on: (output, kill) => {
          if (killed || !output.includes('asked: hang')) return;
          killed = true;
          kill(name);
        },
      });
      expect(code).toBe(exitCode);
      // Killed when Vitest exits, they are gone a moment later.
      await expect.poll(() => project.leftovers()).toEqual([]);
    });

    test('fails when no session is pinned, and lets other tests run', async ({ expect }) => {
      await using project = await projectOf({ files: OTHER_TEST });
      const { code, output } = await project.vitest();
      expect(output).toContain('NO_SESSIONS');
      expect(output).toMatch(/Tests .*1 passed/);
      expect(code).toBe(1);
    });

    test('takes options that win over the configuration, part by part', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        files: {
          'vitest.config.ts': `
          import { agentReplay } from 'agent-replay/vitest';
          export default { plugins: [agentReplay({ runs: 1, tracing: 'none', timeouts: { call: 5_000 } })] };`,
        },
      });
      const { code, output } = await project.vitest();
      expect(output.match(/asked: a/g)).toHaveLength(1);
      expect(code).toBe(0);
    });
  });

  test('all test files together keep to the workers', async () => {
    const sessions = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, id]));
    await using project = await projectOf({
      sessions,
      agent: { command: `"${process.execPath}" "${import.meta.dirname}/../fixtures/counts.ts"` },
      config: { runs: 3, workers: 4, tracing: 'none' },
    });
    const { output } = await project.vitest(['--maxWorkers=3']);
    const inFlight = Array.from(output.matchAll(/in flight: (\d+)/g), ([, count]) => Number(count));
    expect(Math.max(...inFlight)).toBe(4);
    expect(inFlight.reduce((sum, count) => sum + count, 0)).toBe(18);
  });
}

/** A test that asks for no session. */
const OTHER_TEST = { 'other.test.ts': `import { test } from 'vitest';\ntest('other', () => {});\n` };
