import { expect, test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

/** Each says something of 10 and something of 40, in lines that can change places. */
const SESSIONS = {
  list: 'doses:\n- Morning: 10 mg\n- Evening: 40 mg',
  table: 'accounts\n| Savings | 10 | 3 |\n| Current | 40 | 5 |',
  prose: 'tickets.\nThe train to Lyon costs 10 EUR.\nThe bus to Nice costs 40 EUR.',
  count: 'charges\nFees: 10, 10 and 40',
};

async function runOf(project: Project, ...env: string[]) {
  const given = [`PORT=${project.port}`, ...env].flatMap((each) => ['--set', `agent.env.${each}`]);
  const { code, stdout } = await command(['run', ...given], { cwd: project.path });
  const { sessions } = (await project.report()).results;
  return { code, stdout, verdicts: Object.fromEntries(sessions.map(({ id, verdict }) => [id, verdict])) };
}

test('a figure that stands by another label is a divergence, in a list, a table and prose, and so is one more often: exit 1', async () => {
  await using project = await projectWith({ sessions: SESSIONS });
  const { code, stdout, verdicts } = await runOf(project, 'EXCHANGES=10|40');
  expect(verdicts).toEqual({
    list: outcomes.changed,
    table: outcomes.changed,
    prose: outcomes.changed,
    count: outcomes.changed,
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✘ list +said +step 3 +answer \(Morning\): 10 mg → 40 mg +2 of 2$/m);
  expect(stdout).toMatch(/^✘ table +said +step 3 +answer \(Savings\): 10 → 40 +2 of 2$/m);
});

test('so it is in other words', async () => {
  await using project = await projectWith({ sessions: SESSIONS });
  const { code, verdicts } = await runOf(
    project,
    'EXCHANGES=10|40',
    'GREETING=Good morning! Here is what you asked for, the ',
  );
  expect(verdicts).toEqual({
    list: outcomes.changed,
    table: outcomes.changed,
    prose: outcomes.changed,
    count: outcomes.changed,
  });
  expect(code).toBe(1);
});

test('lines, rows and sentences whose figures stay with their labels may come in any order: nobody could tell, and nothing is red', async () => {
  await using project = await projectWith({
    sessions: { ...SESSIONS, unlabelled: 'charges\n- 10 EUR\n- 40 EUR\n- 20 EUR' },
  });
  const { code, verdicts } = await runOf(project, 'REVERSES=yes');
  expect(verdicts).toMatchObject({
    list: outcomes.couldNotTell,
    table: outcomes.couldNotTell,
    prose: outcomes.couldNotTell,
    unlabelled: outcomes.couldNotTell,
  });
  expect(code).toBe(2);
});
