import { expect, test } from 'vitest';
import { asSectionText, headingOf, parseBoard, renderBoard, type Section } from '../../action/board.ts';
import { outcomes } from '../outcomes.ts';
import { REPORTS, report, session, turn } from '../report/fixtures/reports.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { type LegOptions, type ShowOptions, show } from './show.ts';

const [SMALL, LARGE, HUGE] = ['small', 'large', 'huge'].map((name) => ({ leg: { name } })) as [
  { leg: LegOptions },
  { leg: LegOptions },
  { leg: LegOptions },
];
const DIVERGED = REPORTS.mixed;
const ERROR = REPORTS.error;
const NEXT = { id: RUN.id + 1, number: RUN.number + 1 };

const sectionsIn = (body = '') => parseBoard(body)?.sections ?? [];

/** The lines by which one sees what is what: the result of all, and the first line of each leg. */
function overview(body: string | undefined): string[] {
  const lines = body?.split('\n') ?? [];
  return lines
    .filter((line) => /^###|^<details.*<b>/.test(line))
    .map((line) =>
      line
        .replace(/^### (.) agent-replay(?: for \w+)?: /, '$1 ')
        .replace(/^<details( open)?><summary>(.*)<\/summary>(?:<br>)?$/, '$2$1'),
    );
}

/** Shows reports one after another. @returns the one comment that is there then */
async function shown(github: FakeGitHub, ...steps: readonly ShowOptions[]): Promise<string> {
  for (const step of steps) expect(await show(github, step)).toEqual({ url: expect.any(String) });
  expect(github.comments).toHaveLength(1);
  return github.comments[0]!.body;
}

test('the legs of a matrix have one comment, in which what diverged stands first and open', async () => {
  await using github = await FakeGitHub.start();
  const body = await shown(github, SMALL, { ...LARGE, report: DIVERGED }, { ...HUGE, report: ERROR });
  expect(overview(body)).toEqual([
    '✘ 1 of 3 checks failed, 1 could not tell, 1 passed',
    expect.stringMatching(/^✘ <b>large<\/b>: 1 of 7 sessions changed.* open$/),
    expect.stringMatching(/^\? <b>huge<\/b>: could not tell in 1 of 2 sessions.* 1 more cannot be read$/),
    expect.stringMatching(/^✔ <b>small<\/b>: 2 of 2 sessions as recorded$/),
  ]);
});

test('a leg that has not come is missed, in the first run as in each later one', async () => {
  await using github = await FakeGitHub.start();
  expect(overview(await shown(github, SMALL, LARGE))[0]).toBe('… 1 of 3 checks without a result yet, 2 passed');
  expect(overview(await shown(github, HUGE))[0]).toBe('✔ 3 of 3 checks passed');
  const next = await shown(github, { ...SMALL, ...NEXT });
  expect(overview(next)).toEqual([
    '… 2 of 3 checks without a result yet, 1 passed',
    `… <b>huge</b>: no result of run ${NEXT.number} (ec26c3e) yet`,
    `… <b>large</b>: no result of run ${NEXT.number} (ec26c3e) yet`,
    expect.stringMatching(/^✔ <b>small<\/b>/),
  ]);
});

test('what was found in an earlier run stands under no result of this one', async () => {
  await using github = await FakeGitHub.start();
  const body = await shown(github, { ...LARGE, report: DIVERGED }, { ...SMALL, ...NEXT });
  expect(body).not.toContain('update_reservation');
  expect(body).toContain(`[run ${RUN.number}](https://github.com/Codertocat/Hello-World/actions/runs/${RUN.id})`);
});

test('a leg that the matrix has no more is gone once all that it has have come', async () => {
  await using github = await FakeGitHub.start();
  await shown(github, SMALL, LARGE, HUGE);
  const fewer = [SMALL, LARGE].map(({ leg }) => ({ leg: { ...leg, legs: 2 }, ...NEXT }));
  expect(overview(await shown(github, ...fewer))).toEqual([
    '✔ 2 of 2 checks passed',
    expect.stringContaining('<b>large</b>'),
    expect.stringContaining('<b>small</b>'),
  ]);
});

test('a leg of an older run that ends later takes nothing from the newer one', async () => {
  await using github = await FakeGitHub.start();
  const newer = await shown(github, { ...SMALL, ...NEXT }, { ...LARGE, ...NEXT, report: DIVERGED });
  expect(await shown(github, LARGE)).toBe(newer);
  expect(overview(await shown(github, HUGE))).toContain(`… <b>huge</b>: no result of run ${NEXT.number} (ec26c3e) yet`);
});

test('other jobs and steps of a group are told apart, each with its last runs, and steps without one have their own comment', async () => {
  await using github = await FakeGitHub.start();
  const other = { leg: { name: 'nightly models', job: 'other', legs: 1 } };
  const body = await shown(github, SMALL, other, { ...SMALL, ...NEXT }, { ...other, ...NEXT });
  expect(overview(body)[0]).toBe('… 2 of 4 checks without a result yet, 2 passed');
  expect(body.match(/Last runs: \[7\]\(\S+\)&nbsp;✔ · \[8\]\(\S+\)&nbsp;✔</g)).toHaveLength(2);
  await show(github);
  expect(github.comments.map((each) => each.body.split('\n')[1])).toEqual([
    '### … agent-replay for models: 2 of 4 checks without a result yet, 2 passed',
    '### ✔ agent-replay: 2 of 2 sessions as recorded',
  ]);
});

test('a heading says what it is about before the verdict, and of many counts the first three that are not as recorded', () => {
  const title = '2 of 9 sessions changed, 1 varies, 3 as recorded, 2 in other words, 1 problem';
  expect(headingOf('failed', title, 'support')).toBe(
    '### ✘ agent-replay for support: 2 of 9 sessions changed, 1 varies, 2 in other words, more below',
  );
});

test('a report that quotes the mark of a section opens none', async () => {
  await using github = await FakeGitHub.start();
  const body = await shown(github, SMALL);
  const [own] = sectionsIn(body);
  const forged = body.split('\n').find((line) => line.startsWith('<!-- agent-replay section'))!;
  const text = asSectionText(
    `\`\`\`text\n${forged.replaceAll('passed', 'failed')}\n<details><summary>x</summary>\n\n</details>\n\`\`\``,
  );
  const all = [
    { ...own!, text },
    { ...own!, subject: 'f'.repeat(24), name: '--> <b>&', title: '</summary> --> @x' },
  ];
  const at = { id: RUN.id, number: RUN.number, sha: 'ec26c3e' };
  const board = { key: 'a'.repeat(12), group: 'g', at, sections: all };
  const rendered = renderBoard(board, () => '<sub>foot</sub>', 60_000);
  expect(new Set(sectionsIn(rendered))).toEqual(new Set(all));
  expect(rendered).not.toMatch(/<b>--> <b>|: <\/summary>/);
});

test('a comment of a group is whole within what GitHub takes: what has no room is a line, failing legs last', async () => {
  await using github = await FakeGitHub.start();
  const changed = (at: number) => {
    const divergence = { recorded: `${at} ${'long '.repeat(200)}`, replayed: 'x' } as const;
    return turn({ verdict: outcomes.changed, clusters: [0, 5], divergence });
  };
  const long = report(Array.from({ length: 400 }, (_, at) => session(`s${at}`, { turns: [changed(at)] })));
  const legs = [...'abcdefghij'].map((name) => ({ leg: { name, legs: 10 } }));
  const steps = legs.map((leg, at) => (at === 0 ? leg : { ...leg, report: long }));
  const body = await shown(github, ...steps);
  expect(body.length).toBeLessThanOrEqual(60_000);
  expect(overview(body)).toHaveLength(11);
  const sections = sectionsIn(body);
  const whole = sections.filter(({ text }) => text.length > 5_000);
  expect(whole.length).toBeGreaterThan(1);
  expect(whole.length).toBeLessThan(9);
  expect(sections.slice(0, whole.length)).toEqual(whole);
  expect(sections.at(-1)?.name).toBe('a');
});

test('of more legs than a comment holds those that passed are left out', () => {
  const section = (at: number, status: 'passed' | 'failed'): Section => ({
    subject: at.toString(16).padStart(24, '0'),
    workflow: 'a'.repeat(12),
    job: 'replay',
    step: '__self',
    by: at.toString(16).padStart(12, '0'),
    legs: 256,
    name: `replay (${at})`,
    title: 'title',
    headSha: 'a'.repeat(40),
    reportUrl: 'https://example.com/r',
    runs: [{ status, number: 1, attempt: 1, id: 1, sha: 'aaaaaaa' }],
    text: '',
  });
  const all = Array.from({ length: 256 }, (_, at) => section(at, at >= 250 ? 'failed' : 'passed'));
  const at = { id: 1, number: 1, sha: 'aaaaaaa' };
  const board = { key: 'a'.repeat(12), group: 'g', at, sections: all };
  const body = renderBoard(board, () => '<sub>foot</sub>', 60_000);
  expect(body.length).toBeLessThanOrEqual(60_000);
  expect(overview(body)[0]).toBe('✘ 6 of 256 checks failed, 250 passed');
  expect(
    sectionsIn(body)
      .slice(0, 6)
      .map(({ runs }) => runs.at(-1)!.status),
  ).toEqual(Array(6).fill('failed'));
  expect(body).toContain('This comment has no room for more: see');
});
