import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { describe, test } from 'vitest';
import type { ProjectOptions } from '../../cli/project.ts';
import { outcomes } from '../../outcomes.ts';
import { type Major, vitestProject } from '../vitest-project.ts';

const SESSIONS = { one: 'a', flip: 'varies', two: ['b', 'c'] };
/** The verdict stands above the rows, and once more below them. */
const VERDICTS = /^. (?:passed|failed): .+$/gm;

/** The same promises for each major of Vitest. */
export function runsAreReported(major: Major): void {
  const projectOf = (options: ProjectOptions) => vitestProject(options, major);

  describe.concurrent('a report', () => {
    test('is written and shown as a table beside all other reporters, each of which says its part once', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: SESSIONS,
        config: { failOn: { did: ['varies'], said: ['varies'], path: ['varies'] } },
        agent: { env: { PREFIX: 'new ' } },
      });
      const summary = path.join(project.path, 'summary.md');
      const { code, stdout, output } = await project.vitest(
        ['verbose', 'github-actions', 'junit', 'json']
          .map((name) => `--reporter=${name}`)
          .concat('--outputFile.junit=junit.xml', '--outputFile.json=vitest.json'),
        { env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary } },
      );
      expect(code).toBe(1);
      expect(output.match(VERDICTS)).toHaveLength(2);
      expect(output).toMatch(/^✘ flip .* 2 of 2$/m);
      expect(output).toMatch(/^✘ one +changed \(warning\) .*lookup\.text/m);
      const report = await project.report();
      expect(report.results.status).toBe('failed');
      expect(report.results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
        ['flip', outcomes.changed],
        ['one', outcomes.changed],
        ['two', outcomes.changed],
      ]);
      expect(report.evidence.usage.calls).toBe(8);
      expect(report.evidence.runs).toHaveLength(8);
      await access(path.join(project.path, '.agent-replay/traces/one.1.1.json'));
      // By Vitest's own reporter: an error for what fails, at the turn's line in the pin.
      const annotations = stdout
        .split('\n')
        .filter((line) => line.startsWith('::'))
        .sort();
      expect(annotations.slice(1)).toEqual([
        expect.stringMatching(/^::warning file=.*replays\/one\.session\.json,line=5,column=5::changed: turn 1/),
        expect.stringMatching(/^::warning file=.*replays\/two\.session\.json,line=37,column=5::changed: turn 2/),
        expect.stringMatching(/^::warning file=.*replays\/two\.session\.json,line=5,column=5::changed: turn 1/),
      ]);
      expect(annotations[0]).toMatch(
        /^::error file=.*replays\/flip\.session\.json,.*line=5,column=5::Diverged: changed/,
      );
      expect((await readFile(summary, 'utf8')).match(/Vitest Test Report/g)).toHaveLength(1);
      expect(XMLValidator.validate(await project.read('junit.xml'))).toBe(true);
      expect(JSON.parse(await project.read('vitest.json'))).toMatchObject({ numTotalTests: 4, numFailedTests: 1 });
    });

    test('leaves standard output to a reporter that writes a document to it', async ({ expect }) => {
      await using project = await projectOf({ sessions: { one: 'a' } });
      const { stdout, output } = await project.vitest(['--reporter=tap-flat']);
      expect(stdout).toMatch(/^TAP version 13\n1\.\.1\nok 1 - .*\n$/);
      expect(output.match(VERDICTS)).toHaveLength(1);
    });

    test('of an agent that never became ready, or a pin that is not valid, tells that: never a pass', async ({
      expect,
    }) => {
      await using project = await projectOf({
        sessions: { one: 'a' },
        files: {
          'replays/bad.session.json': '{\n  "version": 1,\n  "id": "bad",\n  "turns": 3\n}\n',
          'broken.config.ts': `
            import { agentReplay } from 'agent-replay/vitest';
            export default { plugins: [agentReplay({ agent: { command: 'exit 3' } })] };`,
        },
      });
      await project.vitest();
      const { results } = await project.report();
      expect(results).toMatchObject({ status: 'error', problems: [{ code: 'PIN_INVALID', location: { line: 4 } }] });
      expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded]);
      const { code, output } = await project.vitest(['--config', 'broken.config.ts']);
      expect(code).toBe(1);
      expect(output).toContain('AGENT_EXITED');
      expect((await project.report()).results).toMatchObject({
        status: 'error',
        problems: [{ code: 'AGENT_EXITED' }, { code: 'PIN_INVALID' }],
      });
    });
  });
}
