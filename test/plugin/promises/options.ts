import { describe, test } from 'vitest';
import { parseReport } from '../../../src/report/index.ts';
import type { ProjectOptions } from '../../cli/project.ts';
import { A_VITEST_MS, type Major, vitestProject } from '../vitest-project.ts';

const OWN = `
import { session } from 'agent-replay/vitest';
import { describe, expect, test } from 'vitest';

let tries = 0;
test('retried', { retry: 2 }, async () => {
  tries++;
  await expect(session('flip')).toReproduce();
});
test('negated and retried', { retry: 2 }, async () => {
  await expect(session('one')).not.toReproduce();
});
test('its tries', () => expect(tries).toBe(3));
test('doubt, retried', { retry: 1 }, async () => {
  await expect(session('silent')).toReproduce({ runs: 1 });
});
test('repeated', { repeats: 2 }, async () => {
  await expect(session('rep')).toReproduce({ runs: 1 });
});
describe.concurrent('side by side', () => {
  test('a', async ({ expect }) => expect(session('one')).toReproduce());
  test('b', async ({ expect }) => expect(session('one')).toAgree());
});
`;

/** The same promises for each major of Vitest. */
export function optionsOfVitestHold(major: Major): void {
  const projectOf = (options: ProjectOptions) => vitestProject(options, major);

  describe.concurrent('options of Vitest', { timeout: A_VITEST_MS }, () => {
    test('a retry replays only what could not be told, a repeat replays again, and tests go side by side', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a', rep: 'r', flip: 'flaky', silent: 'untraced' },
        config: { timeouts: { trace: 300 } },
        files: { 'own.test.ts': OWN },
      });
      const { code, output } = await project.vitest(['own.test.ts']);
      const asked = (input: string) => output.match(new RegExp(`asked: ${input}$`, 'gm'))?.length;
      expect(asked('flaky')).toBe(2);
      expect(asked('untraced')).toBe(2);
      expect(asked('r')).toBe(3);
      expect(asked('a')).toBe(6);
      expect(output).toContain('(as in the first try: a retry would hide a flaky agent, and replays nothing)');
      expect(output).toMatch(/Tests +3 failed \| 4 passed/);
      expect(code).toBe(1);
    });

    test('all sessions together are tested at the end, and fail a run whose tests pass; not under a filter', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a', two: 'b', three: 'c', four: 'd' },
        config: { runs: 5, gate: 'shift' },
        agent: { env: { GREETING: 'Hello, ' } },
      });
      const { code, output } = await project.vitest();
      expect(output).toMatch(/Tests +4 passed/);
      expect(output).toContain('All sessions together have shifted');
      expect(code).toBe(1);
      expect((await project.report()).results).toMatchObject({
        status: 'failed',
        shift: { suites: [{ state: 'shifted' }] },
      });
      const filtered = await project.vitest(['replays/one.session.json']);
      expect(filtered.output).toContain('Each session was tested by itself');
      expect(filtered.code).toBe(0);
    });

    test('sessions have runs and a policy of their own; a number that a test asks for wins', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { often: 'o', calm: 'flaky' },
        config: {
          overrides: [
            { sessions: 'replays/often*', runs: 4 },
            { sessions: 'replays/calm*', failOn: [] },
            { sessions: 'gone/**', runs: 1 },
          ],
        },
        files: {
          'own.test.ts': `
            import { session } from 'agent-replay/vitest';
            import { expect, test } from 'vitest';
            test('asked for', () => expect(session('often')).toReproduce({ runs: 1 }));
          `,
        },
      });
      const { code, output } = await project.vitest();
      expect(output.match(/asked: o$/gm)).toHaveLength(5);
      expect(output.match(/asked: flaky$/gm)).toHaveLength(2);
      expect(output).toContain('note: no pin matches gone/** of overrides');
      expect(code).toBe(0);
    });

    test('projects that have the plugin share the agent, replay the pins each, and have reports of their own', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        files: {
          'vitest.config.ts': `
            import { agentReplay } from 'agent-replay/vitest';
            export default { plugins: [agentReplay({ runs: 1 })], test: { projects: [
              { extends: true, test: { name: 'one', include: [] } },
              { extends: true, test: { name: 'two', include: ['plain.test.ts'] } },
            ] } };`,
          'plain.test.ts': `import { test } from 'vitest';\ntest('plain', () => {});\n`,
        },
      });
      const { code, output } = await project.vitest();
      expect(output.match(/asked: a/g)).toHaveLength(2);
      expect(output).toMatch(/Tests +3 passed/);
      expect(code).toBe(0);
      for (const name of ['one', 'two']) {
        const report = parseReport(await project.read(`.agent-replay/${name}/report.json`));
        expect(report.results).toMatchObject({ status: 'passed', runs: 1 });
      }
    });

    test('--bail ends the run after a failure, and what is left is no pass', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { one: 'a', two: 'b', three: 'c' },
        agent: { env: { PREFIX: 'new ' } },
      });
      const { code, output } = await project.vitest(['--bail=1', '--maxWorkers=1']);
      expect(output.match(/asked: \w/g)?.length).toBeLessThan(6);
      expect(code).toBe(1);
      expect((await project.report()).results.status).not.toBe('passed');
      expect(project.leftovers()).toEqual([]);
    });
  });
}
