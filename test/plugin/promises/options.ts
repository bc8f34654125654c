import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'vitest';
import { parseReport } from '../../../src/report/index.ts';
import { command } from '../../cli/command.ts';
import { fixture, type ProjectOptions } from '../../cli/project.ts';
import { outcomes } from '../../outcomes.ts';
import { IN_VAIN_MS } from '../../patience.ts';
import { type Major, vitestProject } from '../vitest-project.ts';

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

  describe.concurrent('options of Vitest', () => {
    test('a retry replays only what could not be verified, a repeat replays again, and tests go side by side', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a', rep: 'r', flip: 'varies', silent: 'untraced' },
        config: { timeouts: { trace: IN_VAIN_MS } },
        files: { 'own.test.ts': OWN },
      });
      const { code, output } = await project.vitest(['own.test.ts']);
      const asked = (input: string) => output.match(new RegExp(`asked: ${input}$`, 'gm'))?.length;
      expect(asked('varies')).toBe(2);
      expect(asked('untraced')).toBe(2);
      expect(asked('r')).toBe(3);
      expect(asked('a')).toBe(6);
      expect(output).toContain(
        '(this is the result of the first try: a retry replays nothing, as it would hide an agent that varies)',
      );
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

    test('a session that is judged by shift is replayed within its test as often as that takes, and a filter changes nothing in its p', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'fares to Rome', two: 'fares to Oslo', three: 'fares to Paris' },
        config: { runs: 5 },
        agent: { command: fixture('live-agent.ts') },
      });
      const pinned = await command(['pin', '--runs', '10', '--yes', 'replays/*.session.json'], { cwd: project.path });
      expect(pinned.code).toBe(0);
      const env = { SEED: 'later', WITHOUT: 'check_policy' };
      const { code, output } = await project.vitest([], { env });
      expect(output).toContain('no replay calls check_policy, and all 10 recordings do');
      expect(output).toMatch(/Tests +3 failed/);
      expect(code).toBe(1);
      const shiftOf = async () => {
        const { sessions } = (await project.report()).results;
        return sessions.find(({ id }) => id === 'one')?.turns[0]?.shift;
      };
      const whole = await shiftOf();
      expect(whole?.state).toBe('shifted');
      expect(whole?.tested).toBe(10);
      expect((await project.vitest(['replays/one.session.json'], { env })).code).toBe(1);
      // Corrected for all three sessions of the project, although one was run.
      expect(await shiftOf()).toEqual(whole);
      expect(whole?.adjusted).toBeCloseTo((3 * (whole?.p ?? 0)) / 0.2, 8);
    });

    test('toAgree compares as many replays as it asks for, also under shift, and says what the two differ in', async ({
      expect,
    }) => {
      // In its first two runs the agent says something else in one session, and calls something else in the other.
      const sessions = { words: 'fares to Bern', calls: 'fares to Rome' };
      await using project = await projectOf({
        sessions,
        config: { runs: 5 },
        agent: { command: fixture('live-agent.ts') },
        files: {
          'own.test.ts': `
            import { session } from 'agent-replay/vitest';
            import { expect, test } from 'vitest';
            test('words', () => expect(session('words')).toAgree({ runs: 2 }));
            test('calls', () => expect(session('calls')).toAgree({ runs: 2 }));
          `,
        },
      });
      const pinned = await command(['pin', '--runs', '10', '--yes', 'replays/*.session.json'], { cwd: project.path });
      expect(pinned.code).toBe(0);
      const { code, output } = await project.vitest(['own.test.ts'], { env: { SEED: 'later' } });
      const failure = (name: string) => output.split(`own.test.ts > ${name}\n`)[1]?.split('⎯⎯⎯⎯')[0];
      expect(failure('words')).toContain(
        'turn 1: 2 runs behaved in 2 ways, which differ only in words, at step 5: answer: "Gladly. The fare is 80 EUR in all." → "Sure. The fare is 80 EUR in all."',
      );
      expect(failure('calls')).toContain(
        'turn 1: 2 runs behaved in 2 ways, which differ at step 3: search is not called',
      );
      expect(failure('words')).toMatch(/^- +"final": "Gladly.*^\+ +"final": "Sure/ms);
      expect(failure('calls')).toMatch(/^- +"call": "search"/m);
      expect(output).not.toContain('no visual difference');
      expect(code).toBe(1);
    });

    test('sessions have runs and a policy of their own; a number that a test asks for wins', async ({ expect }) => {
      await using project = await projectOf({
        sessions: { often: 'o', calm: 'varies' },
        config: {
          overrides: [
            { sessions: 'replays/often*', runs: 4 },
            { sessions: 'replays/calm*', failOn: { did: [], said: [], path: [] } },
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
      expect(output.match(/asked: varies$/gm)).toHaveLength(2);
      expect(output).toContain('note: no pin matches gone/** of overrides');
      expect(code).toBe(0);
    });

    test('prices and maxCost hold for all tests together: what is beyond could not be verified, and an unknown cost starts nothing', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a', two: 'b' },
        config: { workers: 1 },
        agent: { env: { USAGE: 'm-1:1000:500' } },
        files: {
          'vitest.config.ts': `
            import { agentReplay } from 'agent-replay/vitest';
            const prices = { 'm-*': { input: 2, output: 10 } };
            export default {
              plugins: [agentReplay({ prices, maxCost: 0.015 })],
              test: { fileParallelism: false },
            };
          `,
        },
      });
      const unknown = await project.vitest();
      expect(unknown.output).toContain('cost unknown: the recordings hold no token usage');
      expect(unknown.output).not.toContain('asked: ');
      expect(unknown.code).toBe(1);
      const pinned = await command(['pin', '--runs', '2', '--yes', 'replays/*.session.json'], { cwd: project.path });
      expect(pinned.code).toBe(0);
      const { code, output } = await project.vitest();
      expect(output.match(/asked: /g)).toHaveLength(2);
      expect(output).toContain('COST_LIMIT');
      expect(output).toMatch(/Tests +1 failed \| 1 passed/);
      expect(code).toBe(1);
      const { results, evidence } = await project.report();
      expect(results.status).toBe('error');
      expect(evidence.usage).toMatchObject({ calls: 2, cost: expect.closeTo(0.014) });
    });

    test('a judge of the plugin says whether other words mean the same, and its limit is that of all tests', async ({
      expect,
    }) => {
      const judged = (settings: string) => `
        import { agentReplay } from 'agent-replay/vitest';
        const ask = ({ recorded, replayed }) =>
          [recorded, replayed].some((text) => text.includes('Oslo')) ? 'different'
            : replayed.endsWith(recorded) || recorded.endsWith(replayed) ? 'same' : 'unsure';
        export default {
          plugins: [agentReplay({ compare: { judge: { version: 'rule 1', ask, ${settings} } } })],
          test: { fileParallelism: false },
        };
      `;
      const sentence = (place: string) => `the parcel is on its way to ${place} and arrives on Monday at the latest`;
      await using project = await projectOf({
        sessions: { one: sentence('Rome'), two: sentence('Oslo') },
        agent: { env: { GREETING: 'Sure, dear customer, let us see: ' } },
        files: { 'vitest.config.ts': judged('') },
      });
      const { code, output } = await project.vitest();
      expect(output.replace(/\s+/g, ' ')).toContain('compare.judge says that it means something else');
      expect(output).toMatch(/Tests +1 failed \| 1 passed/);
      expect(code).toBe(1);
      const { results } = await project.report();
      expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.changed]);
      const always = judged('maxCalls: 2').replace('rule 1', 'rule 2').replace("'different'", "'same'");
      await writeFile(path.join(project.path, 'vitest.config.ts'), always);
      const limited = await project.vitest();
      expect([limited.code, limited.output]).toEqual([1, expect.stringContaining('CouldNotTell: could not tell')]);
      expect((await project.report()).results.judge).toEqual({ version: 'rule 2', same: 1, different: 0, unsure: 1 });
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

    test('projects with other settings have reports of their own, and each printed command names its own', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a', two: 'b' },
        files: {
          'vitest.config.ts': `
            import { agentReplay } from 'agent-replay/vitest';
            const projectOf = (name, PREFIX) => ({
              plugins: [agentReplay({
                runs: 1,
                sessions: 'replays/' + name + '.session.json',
                agent: { url: 'http://127.0.0.1:{port}/replay', env: { PREFIX } },
              })],
              test: { name, include: [] },
            });
            export default { test: { projects: [projectOf('one', ''), projectOf('two', 'new ')] } };`,
        },
      });
      const { code, output } = await project.vitest();
      expect(code).toBe(1);
      for (const [name, status] of Object.entries({ one: 'passed', two: 'failed' })) {
        const report = parseReport(await project.read(`.agent-replay/${name}/report.json`));
        expect([name, report.results.status]).toEqual([name, status]);
      }
      expect(output).toContain('npx agent-replay accept .agent-replay/two/report.json');
      expect(output).toContain('open .agent-replay/two/report.html');
      expect(await project.read('.agent-replay/two/report.html')).toContain('<!doctype html>');
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
