import { expect, test } from 'vitest';
import { IN_VAIN_MS } from '../patience.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

/** One process at a time or eight, in other places of the world. */
const RUNS: { args: string[]; env: Record<string, string> }[] = [
  { args: ['--workers', '1'], env: { TZ: 'UTC', LANG: 'C' } },
  { args: ['--workers', '8'], env: { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } },
];

test('the same behaviours give the same bytes of `results`, lost and cut traces among them, whatever the workers, the time zone and the language', async () => {
  await using project = await projectWith({
    sessions: {
      'ı-first': 'a',
      'Z-last': ['b', 'wandering'],
      lost: 'untraced',
      'lost later': ['c', 'untraced', 'd'],
      'cut short': 'cut',
      ärger: 'wandering',
    },
    config: { runs: 3, timeouts: { trace: IN_VAIN_MS } },
  });
  const reports = [];
  for (const { args, env } of RUNS) {
    const { code, stdout } = await command(['run', ...args], { cwd: project.path, env });
    expect(code).toBe(1);
    // People are told what was seen, although it is not the same from run to run.
    expect(stdout).toMatch(/searched for: \S+/);
    reports.push(JSON.parse(await project.read('.agent-replay/report.json')));
  }
  const [one, eight] = reports.map(({ results }) => JSON.stringify(results));
  expect(one).toMatch(/TRACE_MISSING.*TRACE_INCOMPLETE|TRACE_INCOMPLETE.*TRACE_MISSING/);
  expect(eight).toBe(one);
});
