import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { inAction } from '../../action/words.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { renderMarkdown } from '../../src/report/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { EVERY } from '../sample.ts';
import {
  AS_BEFORE,
  REPORTS,
  report,
  SESSIONS,
  session,
  sessionThat,
  turn,
  UNREADABLE_PIN,
  VARIES,
} from './fixtures/reports.ts';

const html = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

const SESSION_COUNT = 30;

test('all as recorded: one sentence and the names, folded', () => {
  expect(renderMarkdown(REPORTS.passed)).toMatchInlineSnapshot(`
    "✔ **2 of 2 sessions as recorded.** The agent behaved as recorded in every run. Compared: calls, results, errors, answers.

    <details><summary>Which 2 sessions</summary>

    <code>large-refund</code>, <code>where-is-my-order</code>

    </details>

    <sub>agent-replay replays recorded conversations and compares what the agent does · 40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s</sub>
    "
  `);
});

test('runs that vary as their recordings do: a row, and how they vary', () => {
  expect(renderMarkdown(report([VARIES, SESSIONS.asRecorded]))).toMatchInlineSnapshot(`
    "✔ **2 of 2 sessions as recorded.** Where runs differ, they differ as the recordings do. Compared: calls, results, errors, answers.

    <details><summary>Which 2 sessions</summary>

    <code>gift-ideas</code>, <code>where-is-my-order</code>

    </details>

    <sub>agent-replay replays recorded conversations and compares what the agent does · 40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s</sub>
    "
  `);
});

test('a run that could not tell is a warning with each problem', () => {
  expect(renderMarkdown(REPORTS.error)).toMatchInlineSnapshot(`
    "> [!WARNING]
    > **Could not tell in 1 of 2 sessions, 1 as recorded, and 1 more cannot be read.** **replays/broken.session.json is not valid JSON: comma expected** (PIN_INVALID). **Not everything was compared.**

    \`\`\`text
    at replays/broken.session.json:3:7
    \`\`\`

    **Do this:** Restore the file from the repository, or record it again: <kbd>agent-replay pin</kbd>.

    | session | was → is now | replays |
    | - | - | - |
    | ?&nbsp;<code>tent-warranty</code> | No trace came for the replay within 30 s. | could not tell |

    **Also to do:**

    - <code>tent-warranty</code>: No trace came for the replay within 30 s. **Do this:** Check that the agent exports to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or run <kbd>agent-replay doctor</kbd>.

    <details><summary>✔ 1 session as recorded</summary>

    <code>where-is-my-order</code>

    </details>

    <details><summary>Replay on your machine</summary>

    \`\`\`text
    npx agent-replay run replays/tent-warranty.session.json --runs 5
    \`\`\`

    </details>

    <details><summary>How it was judged</summary>

    did 1 of 2 as recorded, 1 could not tell · said 1 of 2 as recorded, 1 could not tell · path 1 of 2 as recorded, 1 could not tell  
    did: what it changed, and how it ended · said: what its answer states · path: how it got there. A session is as recorded if all of them are.

    </details>

    <sub>agent-replay replays recorded conversations and compares what the agent does · 40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s</sub>
    "
  `);
});

test('an interrupted run says what had finished', () => {
  expect(renderMarkdown(REPORTS.interrupted)).toMatchInlineSnapshot(`
    "> [!WARNING]
    > **Interrupted: 1 of 3 sessions changed, 1 as recorded, 1 could not tell.** **update_reservation.payment_id: gift_card_1 → credit_card_9**, in every replay of <code>change-payment</code>. **Likely cause:** the model (same input as recorded, so not an edit). **Run again: 1 of 3 sessions did not finish.**

    **To read it:** see report.html

    | session | was → is now | replays |
    | - | - | - |
    | ✘&nbsp;<code>change-payment</code><br><sub>Customer moves a booking to another card</sub> | <sub>update_<wbr>reservation.<wbr>payment_<wbr>id</sub><br><code>gift_card_1</code> → <code>credit_card_9</code> | 5/5 differ |
    | ?&nbsp;<code>tent-warranty</code> | The run was stopped before this replay had ended. | could not tell |

    <details><summary>✔ 1 session as recorded</summary>

    <code>where-is-my-order</code>

    </details>

    <details><summary>Replay on your machine</summary>

    \`\`\`text
    npx agent-replay run replays/change-payment.session.json --runs 5
    npx agent-replay run replays/tent-warranty.session.json --runs 5
    \`\`\`

    </details>

    <details><summary>How it was judged</summary>

    did 1 of 3 as recorded, 1 could not tell, 1 changed · said 2 of 3 as recorded, 1 could not tell · path 2 of 3 as recorded, 1 could not tell  
    did: what it changed, and how it ended · said: what its answer states · path: how it got there. A session is as recorded if all of them are.

    </details>

    <sub>agent-replay replays recorded conversations and compares what the agent does · 40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s</sub>
    "
  `);
});

test('a mixed run: what and why in a box, choices, a table of what is not as recorded, folds for the rest', () => {
  expect(
    renderMarkdown(report([SESSIONS.asRecorded, SESSIONS.varies], { problems: [UNREADABLE_PIN] })),
  ).toMatchInlineSnapshot(`
    "> [!CAUTION]
    > **1 of 2 sessions varies, 1 as recorded, and 1 more cannot be read.** **update_reservation.payment_id: gift_card_1 → credit_card_9**, in 2 of 5 replays of <code>two-parcels</code>. **Likely cause:** the model (same input as recorded, so not an edit).

    **Run again:** if it stays, the model itself may have changed: name a fixed version of it · **If this change is wanted:** run <kbd>npx agent-replay accept --as-recordings</kbd> (keeps each run as a recording) and commit the changed recordings · **If unsure:** see report.html

    | session | was → is now | replays |
    | - | - | - |
    | ✘&nbsp;<code>two-parcels</code><br><sub>turn 2</sub> | <sub>update_<wbr>reservation.<wbr>payment_<wbr>id</sub><br><code>gift_card_1</code> → <code>credit_card_9</code> | 2/5 differ (varies) |

    replays/broken.session.json is not valid JSON: comma expected. (PIN_INVALID)

    \`\`\`text
    at replays/broken.session.json:3:7
    \`\`\`

    **Do this:** Restore the file from the repository, or record it again: <kbd>agent-replay pin</kbd>.

    <details><summary>✔ 1 session as recorded</summary>

    <code>where-is-my-order</code>

    </details>

    <details><summary>Replay on your machine</summary>

    \`\`\`text
    npx agent-replay run replays/two-parcels.session.json --runs 5
    \`\`\`

    </details>

    <details><summary>How it was judged</summary>

    did 1 of 2 as recorded, 1 varies  
    did: what it changed, and how it ended · said: what its answer states · path: how it got there. A session is as recorded if all of them are.  
    The runs of 1 of 2 sessions differ from each other. Judged by what it did alone, as with five recordings of each (gate: shift): 1 of 2 as recorded, 1 varies. To keep these runs as recordings: <kbd>npx agent-replay accept --as-recordings</kbd>, no new call.

    </details>

    <sub>agent-replay replays recorded conversations and compares what the agent does · 40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s</sub>
    "
  `);
});

test.each([
  ['mixed', 'CAUTION'],
  ['error', 'WARNING'],
  ['interrupted', 'WARNING'],
] as const)('the verdict of the %s run is a %s, and is not told again below a heading', (name, alert) => {
  const { title } = REPORTS[name].results;
  const lines = (head?: string) => renderMarkdown(REPORTS[name], { head }).split('\n');
  const told = `> **${title.slice(0, 1).toUpperCase()}${title.slice(1)}.** `;
  expect(lines().slice(0, 2)).toEqual([`> [!${alert}]`, expect.stringContaining(told)]);
  expect(lines('### head').slice(0, 3)).toEqual(['### head', '', `> [!${alert}]`]);
  expect(lines('### head').join()).not.toContain(title);
});

test('a pass has no box', () => {
  const { title } = REPORTS.passed.results;
  expect(renderMarkdown(REPORTS.passed)).toMatch(new RegExp(`^✔ \\*\\*${title}\\.\\*\\* `));
});

test('what kept replays from being verified stands before the table, once for all sessions', () => {
  const error = new AgentReplayError('RESPONSE_STATUS', 'The agent answered with status 500.', {
    evidence: ['body: {"error":"out of order"}', 'agent: the till is jammed'],
  });
  const failures = [1, 2].map((run) => ({ run, error }));
  const failed = [turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { failures })];
  const [before = ''] = renderMarkdown(
    report([session('a', { turns: failed }), session('b', { turns: failed })]),
  ).split('| session |');
  expect(before).toContain(
    '**The agent answered with status 500** (RESPONSE_STATUS, 4 replays of <code>a</code>, <code>b</code>). **This says nothing about your change.**',
  );
  expect(before).toContain('body: {"error":"out of order"}\nagent: the till is jammed');
  expect(count(before, /status 500/g)).toBe(1);
});

test('what a report says of itself is not believed: the title comes from its verdicts', () => {
  const forged = structuredClone(REPORTS.mixed);
  Object.assign(forged.results, { status: 'passed', title: '@org/team all passed', message: '<img src=x>' });
  expect(renderMarkdown(forged)).toBe(renderMarkdown(REPORTS.mixed));
});

test('fault 42: any budget is kept, in characters and in bytes, with whole rows and closed folds and blocks', () => {
  const many = report(
    Array.from({ length: SESSION_COUNT }, (_, index) =>
      session(`会話-${index}`, {
        turns: [
          turn({
            verdict: outcomes.changed,
            clusters: [0, 5],
            divergence: { recorded: '`'.repeat(index), replayed: '€'.repeat(500) },
          }),
        ],
      }),
    ),
    { problems: [UNREADABLE_PIN] },
  );
  fc.assert(
    fc.property(
      fc.constantFrom('maxChars' as const, 'maxBytes' as const),
      fc.integer({ min: 1_200, max: 50_000 }),
      (unit, most) => {
        const markdown = renderMarkdown(many, { [unit]: most });
        expect(unit === 'maxChars' ? markdown.length : Buffer.byteLength(markdown)).toBeLessThanOrEqual(most);
        const page = html(markdown);
        const rows = count(page, /<td>\d+\/\d+ differ<\/td>/g);
        const folds = count(page, /<details(?: open)?>/g);
        expect(count(page, /<\/details>/g)).toBe(folds);
        expect(count(page, /<pre>/g)).toBe(count(page, /<\/pre>/g));
        expect(page).toMatch(/<sub>.*40 calls.*<\/sub>/);
        if (rows < SESSION_COUNT) expect(page).toContain(`${SESSION_COUNT - rows} row`);
        expect(page.includes('more, see the report.')).toBe(rows < SESSION_COUNT);
      },
    ),
    { numRuns: Math.ceil(40 / EVERY) },
  );
});

test('fault 42: by default a report of any size fits a comment', () => {
  const many = report(
    Array.from({ length: 2_000 }, (_, index) => session(`s${index}`, { turns: SESSIONS.changed.turns })),
  );
  const markdown = renderMarkdown(many);
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  expect(markdown.length).toBeGreaterThan(25_000);
  expect(markdown).toMatch(/\d+ rows more, see the report\./);
});

test('what a reviewer need not know is folded: the commands, the figures, the gate', () => {
  const failing = Array.from({ length: 7 }, (_, at) => session(`s${at}`, { turns: SESSIONS.changed.turns }));
  const markdown = renderMarkdown(report([...failing, SESSIONS.inOtherWords]));
  expect(markdown).not.toContain('<details open>');
  const above = markdown.slice(0, markdown.indexOf('<details>'));
  expect(above).not.toMatch(/agree|Gate|step \d/);
  expect(markdown.match(/<summary>[^<✘?]*<\/summary>/g)).toEqual([
    '<summary>Replay on your machine</summary>',
    '<summary>How it was judged</summary>',
  ]);
});

test('of two hundred sessions that pass one line is shown', () => {
  const passing = Array.from({ length: 200 }, (_, at) => session(`s${at}`, { turns: SESSIONS.asRecorded.turns }));
  const markdown = renderMarkdown(report(passing));
  expect(markdown).not.toContain('|');
  expect(markdown).toContain('<summary>Which 200 sessions</summary>');
  expect(markdown).toContain('180 more');
});

/** A session that an edited line of the prompt changed. */
function edited(recorded: string | null, replayed: string | null) {
  const called = { kind: 'call-name', recorded: 'refund_order', replayed: 'create_ticket' } as const;
  const line = { of: 'system prompt', number: 5, recorded, replayed };
  const detail = `its system prompt differs at line 5: recorded "${recorded}", replayed "${replayed}"`;
  const divergence = { ...called, cause: { kind: 'agent' as const, detail, line } };
  return session('refund', { turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence })] });
}

test('a row names the call that was made, and a line of the prompt that differs is a diff', () => {
  const markdown = renderMarkdown(report([edited('Up to 200 EUR. <b>', 'Up to 20 EUR.')]));
  expect(markdown).toContain('| <code>refund_order</code> → <code>create_ticket</code> | 5/5 differ |');
  expect(markdown).toContain(
    '**<code>create_ticket</code> instead of <code>refund_order</code>**, in every replay of <code>refund</code>. **Likely cause:** line 5 of the system prompt:\n\n```diff\n- Up to 200 EUR. <b>\n+ Up to 20 EUR.\n```',
  );
});

test('the head counts the replays of all sessions that do the same, also where some differ in all and some in a few', () => {
  const called = { kind: 'call-name', recorded: 'refund_order', replayed: 'create_ticket' } as const;
  const markdown = renderMarkdown(
    report([
      session('a', {
        turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: { ...called, runs: 5, of: 5 } })],
      }),
      session('b', {
        turns: [turn({ verdict: outcomes.varies, clusters: [3, 2], divergence: { ...called, runs: 2, of: 5 } })],
      }),
    ]),
  );
  expect(markdown).toContain('**, in 7 of 10 replays of <code>a</code> and <code>b</code>.');
});

test('a change of the prompt that many sessions have in common is shown once', () => {
  const line = { of: 'system prompt', number: 5, recorded: 'Up to 200 EUR.', replayed: 'Up to 20 EUR.' };
  const cause = { kind: 'agent' as const, detail: 'its system prompt differs at line 5', line };
  const turns = [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: { cause } })];
  const markdown = renderMarkdown(report(['a', 'b', 'c'].map((name) => session(name, { turns }))));
  expect(count(markdown, /```diff/g)).toBe(1);
  expect(count(markdown, /Up to 20 EUR/g)).toBe(1);
});

test('the choices name the configuration of the run, and a line that several files hold is told with all that may be meant', () => {
  const made = report([edited('Up to 200 EUR.', 'Up to 20 EUR.')], { evidence: { config: 'ci/replay.config.ts' } });
  const placesOf = () => ['a.md:5', 'b.md:7', 'c.md:9'];
  const told = renderMarkdown(made, { placesOf });
  expect(told).toContain('run <kbd>npx agent-replay accept --config ci/replay.config.ts</kbd> and commit');
  expect(told).toMatch(/\(<code>a.*?<\/code> or <code>b.*?<\/code> or <code>c.*?<\/code>\):/);
  // The pull request changes two of these files.
  const shown = renderMarkdown(made, { placesOf, isUntouched: (place) => place === 'b.md:7' });
  expect(shown).toMatch(/\(<code>a.*?<\/code> or <code>c.*?<\/code>\):/);
  expect(renderMarkdown(made, { placesOf, isUntouched: () => true })).toContain(
    ', which this pull request does not change)',
  );
});

test('the three choices of a person stand above the table, each as the place of the page needs it', () => {
  const reportUrl = 'https://reports.example.com/1';
  const say = (text: string) => text.replace('npx agent-replay', '/agent-replay');
  const [above = ''] = renderMarkdown(report([edited('Up to 200 EUR.', 'Up to 20 EUR.')]), { reportUrl, say }).split(
    '| session |',
  );
  expect(above).toContain(
    `**If this change is wanted:** run <kbd>/agent-replay accept</kbd> and commit the changed recordings · **If not:** change line 5 of the system prompt back · **If unsure:** [see recording and replays side by side](${reportUrl}#session=id-refund)`,
  );
});

test.each([
  ['- Up to 200 EUR.', '- Up to 20 EUR.', '- Up to 200 EUR.\n+ Up to 20 EUR.'],
  ['- Up to 200 EUR.', 'Up to 20 EUR.', '- - Up to 200 EUR.\n+ Up to 20 EUR.'],
  [null, '* Up to 20 EUR.', '+ Up to 20 EUR.'],
])('a list sign of both sides does not double the sign of the diff: %s, %s', (recorded, replayed, diff) => {
  expect(renderMarkdown(report([edited(recorded, replayed)]))).toContain(`\`\`\`diff\n${diff}\n\`\`\``);
});

test('where no edit reached the model, nobody is told to fix one: the choice is to run again', () => {
  const markdown = renderMarkdown(report([SESSIONS.changed]));
  expect(markdown).toContain('**Run again:** if it stays, the model itself may have changed');
  expect(markdown).not.toContain('fix the agent');
  expect(renderMarkdown(report([SESSIONS.changed]), { pins: '1 removed' })).not.toContain('**Run again:**');
  expect(renderMarkdown(report([SESSIONS.changed, SESSIONS.couldNotTell]))).not.toContain('**Run again:**');
  expect(renderMarkdown(report([SESSIONS.changed, edited('Up to 200 EUR.', 'Up to 20 EUR.')]))).toContain(
    'fix the agent',
  );
});

test('on a pull request the head says whether it may be merged', () => {
  const head = (of: (typeof REPORTS)[keyof typeof REPORTS], aside?: string) =>
    renderMarkdown(of, { isOnPull: true, isTitled: true, aside }).split('\n\n')[0];
  expect(head(REPORTS.mixed)).toContain('**Look before you merge:** ');
  expect(head(REPORTS.error)).toContain('**Not everything was compared: fix this and run again before you merge.**');
  expect(head(REPORTS.error, 'Forks get no keys.')).toContain(
    'Not everything was compared.** **Do this:** Forks get no keys.',
  );
  expect(head(REPORTS.nothing)).toContain('your change may be the cause: fix this and run again before you merge.**');
  expect(renderMarkdown(REPORTS.mixed)).not.toContain('merge');
});

test('what must never happen is accepted by force, wherever a command is named', () => {
  const found = { kind: 'unseen', weight: 'red', isCritical: true, tool: 'pay' } as const;
  const event = {
    ...found,
    runs: [1],
    of: 5,
    fails: true,
    sentence: '1 of 5 replays calls pay, and no recording does',
  };
  const shift = { ...AS_BEFORE, state: 'shifted' } as const;
  const paying = session('pay', {
    gate: 'shift',
    turns: [turn({ verdict: outcomes.changed, clusters: [0, 5] }, { events: [event], shift })],
  });
  const markdown = renderMarkdown(report([paying]), { say: (text) => inAction(text, { accepts: true }) });
  const commands = [...markdown.matchAll(/npx agent-replay accept[^`<]*/g)].map(([found]) => found);
  expect(commands.length).toBeGreaterThan(0);
  for (const each of commands) expect(each).toBe('npx agent-replay accept --as-recordings --force');
  expect(markdown).not.toContain('/agent-replay accept');
});

test('a command with options is set so that a phone breaks no line inside of it', () => {
  expect(renderMarkdown(report([SESSIONS.unlike]))).toContain(
    'run <kbd>npx agent-replay accept --as-recordings</kbd> (keeps each run as a recording) and ',
  );
});

test('pins that the change records anew are told in the open, and that it changes none is told nowhere', () => {
  const both = report([SESSIONS.changed, SESSIONS.asRecorded]);
  expect(renderMarkdown(both, { pins: '2 recorded again, 1 removed' })).toContain(
    '\n\n**Recordings changed in this pull request:** 2 recorded again, 1 removed.\n\n',
  );
  expect(renderMarkdown(both, { pins: '' })).not.toContain('pull request');
});

test('a run without keys says that it is no verdict on the change, and why', () => {
  const { problems } = REPORTS.nothing.results;
  const [box = '', evidence] = renderMarkdown(REPORTS.nothing, { aside: 'Forks get no keys.' }).split('\n\n');
  expect(box).toContain('**This says nothing about your change.** **Do this:** Forks get no keys.');
  expect(evidence).toContain(problems[0]!.evidence[0]);
});

test('of what an agent printed a comment shows 20 lines in all, each of them cut', () => {
  const evidence = Array.from({ length: 40 }, () => `${'x'.repeat(900)}\n`.repeat(5));
  const problems = [new AgentReplayError('AGENT_EXITED', 'The agent ended.', { evidence })];
  const [, shown = ''] = /```text\n([\s\S]*?)\n```/.exec(renderMarkdown(report([], { problems }))) ?? [];
  const lines = shown.split('\n');
  expect([lines.length, Math.max(...lines.map(({ length }) => length))]).toEqual([20, 300]);
});

test('a missing key is told before the failure that came of it, and no pins are no alarm', () => {
  const failed = (line: string) => {
    const error = new AgentReplayError('RESPONSE_STATUS', 'The agent answered with status 500.', { evidence: [line] });
    const turns = [turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { failures: [{ run: 1, error }] })];
    return renderMarkdown(report([session('a', { turns })]));
  };
  expect(failed('OPENAI_API_KEY is missing')).toMatch(
    /\*\*OPENAI.*KEY.* is missing\. The agent answered with status 500\*\*/,
  );
  expect(failed('OPENAI_API_KEY was read')).toContain('**The agent answered with status 500**');
  const problems = [new AgentReplayError('NO_SESSIONS', 'There is no pinned session in replays/.')];
  const empty = renderMarkdown(report([], { problems }), { isOnPull: true });
  expect(empty).toMatch(/^> \[!NOTE\]\n.*\*\*This says nothing about your change:\*\* there is nothing to compare yet/);
});

test('a long sentence in the table ends with a whole word', () => {
  const note = `2 of 5 as recorded, 3 in other words, ${'and so on, '.repeat(20)}`;
  const markdown = renderMarkdown(report([sessionThat('couldNotTell', 's', { over: { note } })]));
  expect(markdown).toMatch(/\| 2 of 5 as recorded, 3 in other words,[ a-z,]* (and|so|on) … \|/);
});

test('of answers in other words the row says where they are, and both stand whole below it', () => {
  const [above = '', below] = renderMarkdown(report([SESSIONS.inOtherWords])).split('Both answers of');
  expect(above).toContain('| answer | worded differently: read both |');
  expect(below).toMatch(
    /Your parcel is on its way and will be there on Monday\.[\s\S]*The parcel has been sent to you, and it/,
  );
});

test('a session leads to its pin where there is an address', () => {
  const linkTo = (pin: string) => `https://github.com/o/r/blob/abc/${pin}`;
  const markdown = renderMarkdown(report([SESSIONS.changed, SESSIONS.asRecorded]), { head: '### agent', linkTo });
  const url = 'https://github.com/o/r/blob/abc/replays/change-payment.session.json';
  expect(markdown.startsWith('### agent\n\n> [!CAUTION]')).toBe(true);
  expect(markdown).toContain(`[<code>change-payment</code>](${url})`);
});

test('a phone can break a long name in a row, and no short one', () => {
  const called = { kind: 'call-name', recorded: 'check_refund_policy', replayed: 'create_ticket' } as const;
  const turns = [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: called })];
  expect(renderMarkdown(report([session('refund', { turns })]))).toContain(
    '<code>check_<wbr>refund_<wbr>policy</code> → <code>create_ticket</code>',
  );
});

/** Rows of sessions that changed, above and inside the fold with this summary. */
function rowsOf(sessions: readonly ReturnType<typeof session>[], fold: string): (string[] | null)[] {
  const parts = renderMarkdown(report(sessions)).split(`<details><summary>${fold}</summary>`);
  return parts.map((text) => text.match(/^\| ✘&nbsp;.* differ \|/gm));
}

test('of very many sessions that changed ten rows stand open, and the others are folded behind their number', () => {
  const changed = Array.from({ length: 60 }, (_, at) => {
    const divergence = { kind: 'argument', recorded: at, replayed: at + 1 } as const;
    return session(`s${at}`, { turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence })] });
  });
  const [open, folded] = rowsOf(changed, '50 more sessions not as recorded');
  expect([open?.length, folded?.length]).toEqual([10, 50]);
});

test('very many sessions that do the same are one row, and each has its own in a fold', () => {
  const changed = Array.from({ length: 60 }, (_, at) => session(`s${at}`, { turns: SESSIONS.changed.turns }));
  const [open, folded] = rowsOf(changed, '60 rows, one for each session not as recorded');
  expect(open).toEqual([expect.stringContaining('<code>s0</code>, <code>s1</code>, 58 more |')]);
  expect(folded).toHaveLength(60);
});

test('two things that one edit makes many sessions do are both in the headline, each with its number', () => {
  const line = { of: 'system prompt', number: 2, recorded: 'The full price.', replayed: 'Half of it.' };
  const cause = { kind: 'agent' as const, changed: ['system'], detail: 'edited', line };
  const doing = (id: string, over: object) =>
    session(id, { turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: { cause, ...over } })] });
  const sessions = Array.from({ length: 12 }, (_, at) =>
    at % 3 === 0
      ? doing(`s${at}`, { kind: 'call-name', recorded: 'refund', replayed: 'ticket' })
      : doing(`s${at}`, { kind: 'argument', tool: 'refund', pointer: '/amount', recorded: 118, replayed: 59 }),
  );
  const [, box] = renderMarkdown(report(sessions)).split('\n');
  expect(box).toContain('**<code>ticket</code> instead of <code>refund</code>**, in every replay of 4 sessions;');
  expect(box).toContain('; **refund.amount: 118 → 59**, in every replay of 8 sessions. **Likely cause:**');
});

test('what sessions do by a further cause stands above the table with that cause, so that nobody takes the edit for it', () => {
  const line = { of: 'system prompt', number: 2, recorded: 'The full price.', replayed: 'Half of it.' };
  const cause = { kind: 'agent' as const, changed: ['system'], detail: 'edited', line };
  const divergence = { kind: 'call-name', recorded: 'refund', replayed: 'ticket', cause } as const;
  const edited = session('kettle', { turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence })] });
  const [above = ''] = renderMarkdown(report([SESSIONS.changed, edited, SESSIONS.asRecorded])).split('\n| session |');
  const told = above.split('\n\n').slice(-3);
  expect(told[0]).toContain('- The full price.\n+ Half of it.');
  expect(told[2]?.trimEnd()).toBe(
    '**Besides, 1 of 3 sessions:** **update_reservation.payment_id: gift_card_1 → credit_card_9**, in every replay of <code>change-payment</code>. **Likely cause:** the model (same input as recorded, so not an edit).',
  );
});

test('a model that answers otherwise to what was recorded is not caused by the pull request, where that is known', () => {
  const box = (sessions: Parameters<typeof report>[0], pins = '') =>
    renderMarkdown(report(sessions), { isOnPull: true, pins }).split('\n')[1];
  expect(box([SESSIONS.changed])).toContain('**Not caused by this pull request:** ');
  expect(box([SESSIONS.changed])).toContain('Merging makes no difference to that.');
  for (const unsure of [box([SESSIONS.changed], '1 new'), box([SESSIONS.changed, SESSIONS.couldNotTell])]) {
    expect(unsure).toContain('**Look before you merge:** ');
    expect(unsure).not.toContain('Not caused');
  }
});

test('answers in other words stand whole in a fold, where the reader is asked to read them', () => {
  const long = 'Your parcel is on its way. '.repeat(8);
  const texts = [
    {
      kind: 'final-text',
      recorded: long,
      replayed: `Hello! ${long}`,
      runs: [1],
      recordedStep: 2,
      replayedStep: 2,
      severity: 'wording',
    },
  ] as never[];
  const told = turn({ verdict: outcomes.couldNotTell, clusters: [5], reworded: 5 });
  told.comparison.clusters[0]!.texts = texts;
  const markdown = renderMarkdown(report([session('parcel', { turns: [told] }), SESSIONS.changed]));
  expect(markdown).toMatch(/\*\*Also to do:\*\*\n\n- <code>parcel<\/code>: Read both answers \(below\)/);
  const [, fold = ''] = markdown.split('<details><summary>Both answers of <code>parcel</code></summary>');
  expect(fold.split('</details>')[0]).toContain(`Replayed:\n\n\`\`\`text\nHello! ${long}`);
});

test('what keeps sessions from being compared is one line each, with what to do, under the table', () => {
  const [, below = ''] = renderMarkdown(REPORTS.mixed).split('**Also to do:**\n\n');
  const lines = below.split('\n\n')[0]!.split('\n');
  expect(lines.map((line) => /^- <code>(.*?)<\/code>: .*(Do this|Read both)/.exec(line)?.slice(1))).toEqual([
    ['old-chat', 'Do this'],
    ['tent-warranty', 'Do this'],
    ['parcel-on-its-way', 'Read both'],
  ]);
});

test('what the problem of the whole run has said is not told again of the sessions that it broke', () => {
  const [crash] = REPORTS.nothing.results.problems;
  const { code, message, ...rest } = crash!;
  const lost = new AgentReplayError(code as 'AGENT_EXITED', message, { hint: 'See the problem of the whole run.' });
  const broken = session('gift-ideas', { problems: [lost] });
  const markdown = renderMarkdown(report([broken], { problems: [new AgentReplayError(lost.code, message, rest)] }));
  expect(markdown).toContain('Correct the import of ./prompt.js');
  expect(markdown).not.toContain('Also to do');
});
