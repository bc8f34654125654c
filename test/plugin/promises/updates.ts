import { describe, test } from 'vitest';
import { type ProjectOptions, pinOf } from '../../cli/project.ts';
import { IN_VAIN_MS } from '../../patience.ts';
import { type Major, vitestProject } from '../vitest-project.ts';

const NEW = { agent: { id: 'small', env: { PREFIX: 'new ' } }, config: { timeouts: { trace: IN_VAIN_MS } } } as const;
const GONE = { 'replays/gone.session.json': JSON.stringify({ ...pinOf('gone', ['a']), agentId: 'another' }, null, 2) };

/** The same promises for each major of Vitest. */
export function updatesAreAccepted(major: Major): void {
  const projectOf = (options: ProjectOptions) => vitestProject(options, major);

  describe.concurrent('vitest -u', () => {
    test('makes what all replays did the original, and the next run passes', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: ['a', 'b'] }, ...NEW });
      const accepting = await project.vitest(['-u']);
      expect(accepting.output).toMatch(/Tests +2 passed/);
      expect(accepting.output).toMatch(
        /accepted: replays\/one\.session\.json: turn 2: step 1: lookup\.text: "b" → "new b"/,
      );
      expect(accepting.code).toBe(0);
      expect((await project.report()).results.status).toBe('passed');
      const written = await project.read('replays/one.session.json');
      expect(written).toContain('"new answer to b"');
      // Nothing is left to accept, and nothing is written.
      const { code, output } = await project.vitest(['-u']);
      expect(code).toBe(0);
      expect(output).not.toContain('accepted:');
      expect(await project.read('replays/one.session.json')).toBe(written);
      expect(project.leftovers()).toEqual([]);
    });

    test('leaves a session as it is when replays disagree or could not be compared, and names obsolete ones', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { flip: 'varies', half: ['b', 'untraced'] },
        files: GONE,
        ...NEW,
      });
      const before = await Promise.all(['flip', 'half'].map((id) => project.read(`replays/${id}.session.json`)));
      const { code, output } = await project.vitest(['-u']);
      expect(output).toContain(
        'not accepted: replays/flip.session.json, turn 1 is left as it is: its replays do not agree',
      );
      expect(output).toContain('not accepted: replays/half.session.json, turn 2 is left as it is: none of its replays');
      expect(output).toMatch(/obsolete: replays\/gone\.session\.json: .*"another"/);
      expect(code).toBe(1);
      const after = await Promise.all(['flip', 'half'].map((id) => project.read(`replays/${id}.session.json`)));
      expect(after).toEqual(before);
      expect(await project.read('replays/gone.session.json')).toBe(GONE['replays/gone.session.json']);
    });

    test('accepts no crash: a failed call is told with its status, and the pin stays', async ({ expect }) => {
      const agent = { id: 'small', env: { FAILS: '500', CRASHES: '1' } };
      await using project = await projectOf({ sessions: { one: 'a' }, ...NEW, agent });
      const before = await project.read('replays/one.session.json');
      const { code, output } = await project.vitest(['-u']);
      expect(output).toContain('could not tell: RESPONSE_STATUS turn 1, 2 runs: The agent answered with status 500');
      expect(output).toContain('body: {"error":"out of order"}');
      expect(output).toContain('agent: Error: the till is jammed');
      expect(output).toContain('not accepted: replays/one.session.json, turn 1 is left as it is: none of its replays');
      expect(code).toBe(1);
      expect(await project.read('replays/one.session.json')).toBe(before);
    });

    test('accepts nothing in CI', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: 'a' }, ...NEW });
      const before = await project.read('replays/one.session.json');
      const { code, output } = await project.vitest(['-u'], { env: { CI: 'true' } });
      expect(output).toContain('Diverged: changed: turn 1');
      expect(output).toContain('not accepted: Recordings are not accepted in CI');
      expect(code).toBe(1);
      expect(await project.read('replays/one.session.json')).toBe(before);
    });

    test('accepts the turns that a filter leaves', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: ['a', 'b'] }, ...NEW });
      const { code } = await project.vitest(['-u', '-t', 'turn 2']);
      expect(code).toBe(0);
      const written = await project.read('replays/one.session.json');
      expect(written).toContain('"new answer to b"');
      expect(written).not.toContain('"new answer to a"');
    });
  });
}
