import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/progress-line.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { gatePolicy, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { rerunCommand } from '../../src/report/words/words.ts';
import { duration } from '../../src/text/index.ts';
import { outcomes } from '../outcomes.ts';
import { AS_BEFORE, REPORTS, report, SESSIONS, session, turn, VARIES } from './fixtures/reports.ts';

test('all as recorded: the table and the status', () => {
  expect(renderTerminal(REPORTS.passed)).toMatchInlineSnapshot(`
    "✔ passed: 2 of 2 sessions as recorded
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
      The agent behaved as recorded in every run. Compared: calls, results, errors, answers.
    "
  `);
});

test('where the name of a pin is generated the tables show its title beside it, and a name that says something stands alone', () => {
  const titled = (pin: string) => ({ ...SESSIONS.changed, pin, title: 'Refund for two orders' });
  const shown = report([
    titled('replays/0f3c9a44-2b7e-4d1f-9a51-6c0e8d7b2a13.session.json'),
    titled('replays/large-refund.session.json'),
  ]);
  const output = renderTerminal(shown);
  expect(output).toMatch(/^✘ 0f3c9a44… Refund for two orders +did/m);
  expect(output).toMatch(/^✘ large-refund +did/m);
  expect(renderMarkdown(shown)).toContain('0f3c9a44… Refund for two orders');
});

test('the report of a shard says that it is one, in the terminal and in Markdown', () => {
  const part = report([SESSIONS.asRecorded], { evidence: { shard: { index: 2, count: 4 } } });
  const note = 'This is shard 2/4: `agent-replay merge` makes one verdict of all shards.';
  expect(renderTerminal(part)).toContain(note);
  expect(renderMarkdown(part)).toContain(note);
});

test('what many replays failed by alike is told with all that was seen once, for all of its sessions', () => {
  const failed = (id: string, body: string) => {
    const evidence = [`body: ${body}`, 'agent: the till is jammed'];
    const error = new AgentReplayError('RESPONSE_STATUS', 'The agent answered with status 500.', {
      evidence,
      hint: 'look',
    });
    return session(id, {
      turns: [turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { failures: [{ run: 1, error }] })],
    });
  };
  const text = renderTerminal(report([failed('a', 'x'), failed('b', 'x'), failed('c', 'y')]));
  expect(text).toContain('RESPONSE_STATUS 3 replays of a, b and 1 other: The agent answered with status 500.');
  expect(text.match(/body: x/g)).toHaveLength(1);
  expect(text.match(/→ look/g)).toHaveLength(1);
  expect(text.match(/^\? [abc] +could not tell +RESPONSE_STATUS/gm)).toHaveLength(3);
});

test('a mixed run: the table, the story of each session that is not as recorded, and the status last', () => {
  expect(renderTerminal(REPORTS.mixed, { columns: 110 })).toMatchInlineSnapshot(`
    "✘ failed: 1 of 7 sessions changed, 2 vary, 1 as recorded, 3 could not tell (1 worded differently)
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s

    The runs of 2 of 6 sessions differ from each other. Judged by what it did alone, as with five recordings of
    each (gate: shift): 2 of 6 as recorded, 1 could not tell, 2 vary, 1 changed. To keep these runs as recordings:
    \`npx agent-replay accept --as-recordings\`, no new call.

    cause  model: same input as recorded, so not an edit
    ✘ change-payment          did  turn 1  update_reservation.payment_id: gift_card_1 → credit_card_9       5 of 5
    ✘ small-refund    varies  did  turn 1  calls update_reservation in 2, calls search in 1, answers in 1…  2 of 5
    ✘ two-parcels     varies  did  turn 2  update_reservation.payment_id: gift_card_1 → credit_card_9       2 of 5
      did: what it changed, and how it ended · last column: runs that differ

    ? old-chat           could not tell                      PIN_NOT_REPLAYABLE
    ? parcel-on-its-way  could not tell: worded differently  step 6: answer: "Your parcel is on its way     3 of 5
                                                             and will be there on Monday." → "The parcel
                                                             has been sent to you, and it will be there o…
    ? tent-warranty      could not tell                      TRACE_MISSING                                  2 of 5
      other words: read both answers, whole in the report

    TRACE_MISSING 2 replays of tent-warranty: No trace came for the replay within 30 s.
      │ asked for b5f.t1.r1
      │ the receiver got 0 spans
      → Check that the agent exports to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or run \`agent-replay doctor\`.

    PIN_NOT_REPLAYABLE Turn 1 cannot be replayed: it holds no message of a user.
      at replays/old-chat.session.json:12:5 /turns/0/request
      → Pin the session again from a trace that carries its messages.

    ✔ 1 as recorded
    wanted?           npx agent-replay accept
    unsure?           open .agent-replay/report.html
    rerun             npx agent-replay run --last-failed
    is it the model?  npx agent-replay fork replays/change-payment.session.json --turn 1 --step 4

    ✘ failed: 1 of 7 sessions changed, 2 vary, 1 as recorded, 3 could not tell (1 worded differently)
    "
  `);
});

test('where every replay ended at a call that the recording does not hold, no accept is named, which would refuse it', () => {
  const ended = structuredClone(SESSIONS.changed);
  const [{ comparison }] = ended.turns as [(typeof ended.turns)[number]];
  const difference = {
    kind: 'argument' as const,
    aspect: 'did' as const,
    severity: 'minor' as const,
    recordedStep: 4,
    replayedStep: 4,
    missed: { name: 'refund' },
  };
  const clusters = comparison.clusters.map((each) => ({ ...each, differences: [difference] }));
  const turns = [{ ...(ended.turns[0] as (typeof ended.turns)[number]), comparison: { ...comparison, clusters } }];
  const shown = report([{ ...ended, turns }], {
    evidence: { command: 'agent-replay run --tools recorded' },
  });
  const output = renderTerminal(shown);
  expect(output).toContain('  npx agent-replay run --last-failed --tools live\n');
  expect(output).not.toContain('agent-replay accept');
  expect(output).toMatch(/^rerun +npx agent-replay run --last-failed --tools recorded$/m);
  expect(renderMarkdown(shown)).toMatch(/wanted:\*\* run it with .*--tools live.*, then .*agent-replay accept/);
  const shift = { ...AS_BEFORE, state: 'shifted' } as const;
  const shifted = report([{ ...ended, gate: 'shift', turns: turns.map((each) => ({ ...each, shift })) }]);
  const told = renderTerminal(shifted, { isVerbose: true }).replaceAll(/\s+/g, ' ');
  expect(told).toMatch(/wanted, run it with .*--tools live.*, then keep these runs/);
});

test('runs that vary as their recordings do: the gate, the verdict and how they vary', () => {
  expect(renderTerminal(report([VARIES, SESSIONS.asRecorded]))).toMatchInlineSnapshot(`
    "✔ passed: 2 of 2 sessions as recorded
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
      Where runs differ, they differ as the recordings do. Compared: calls, results, errors, answers.
    "
  `);
});

test('a run that could not tell: what kept each session from being compared, and what to do', () => {
  expect(renderTerminal(REPORTS.error)).toMatchInlineSnapshot(`
    "? error: could not tell in 1 of 2 sessions, 1 as recorded, and 1 more cannot be read
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s

    ? tent-warranty  could not tell  TRACE_MISSING    2 of 5

    TRACE_MISSING 2 replays of tent-warranty: No trace came for the replay within 30 s.
      │ asked for b5f.t1.r1
      │ the receiver got 0 spans
      → Check that the agent exports to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or run \`agent-replay
      doctor\`.

    PIN_INVALID replays/broken.session.json is not valid JSON: comma expected.
      at replays/broken.session.json:3:7
      → Restore the file from the repository, or record it again: \`agent-replay pin\`.

    ✔ 1 as recorded
      Mend this, then run again.
    ? error: could not tell in 1 of 2 sessions, 1 as recorded, and 1 more cannot be read
    "
  `);
});

test('an interrupted run: what had finished, and that the rest is not verified', () => {
  expect(renderTerminal(REPORTS.interrupted)).toMatchInlineSnapshot(`
    "! interrupted: 1 of 3 sessions changed, 1 as recorded, 1 could not tell
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s

    cause  model: same input as recorded, so not an edit
    ✘ change-payment  did  step 4  update_reservation.payment_id: gift_card_1 → credit_card_9  5 of 5
      did: what it changed, and how it ended · last column: runs that differ

    ? tent-warranty  could not tell  INTERRUPTED      5 of 5

    INTERRUPTED 5 replays of tent-warranty: The run was stopped before this replay had ended.
      → Run again: what had finished is in the report.

    ✔ 1 as recorded
      Run again: 1 of 3 sessions did not finish.
    ! interrupted: 1 of 3 sessions changed, 1 as recorded, 1 could not tell
    "
  `);
});

test('errors: code, message, place, evidence and the next move', () => {
  expect(renderTerminal(REPORTS.nothing)).toMatchInlineSnapshot(`
    "? error: nothing was replayed
      0 calls, 12.3 s

    AGENT_EXITED The agent exited with code 1 before it was ready.
      │ command: node server.js
      │ Error: Cannot find module "./prompt.js"
      │     at server.js:3:1
      → Correct the import of ./prompt.js, or add the file.

      Mend this, then run again.
    ? error: nothing was replayed
    "
  `);
});

test('what kept whole sessions from being tried is told once, and one that has more to tell still does', () => {
  const code = 'AGENT_EXITED';
  const message = 'The agent exited with code 1 before it was ready.';
  const failed = (name: string, conclusive: number) => {
    const failures = [5, 4].map((run) => ({ run, error: new AgentReplayError(code, message) }));
    return session(name, { turns: [turn({ verdict: outcomes.couldNotTell, clusters: [conclusive] }, { failures })] });
  };
  const evidence = Array.from({ length: 25 }, (_, line) => `line ${line}`);
  const all = report([failed('one', 0), failed('two', 0), failed('three', 3)], {
    problems: [new AgentReplayError(code, message, { evidence })],
  });
  const text = renderTerminal(all, { isVerbose: true });
  const stories = text.split('\n').filter((line) => /^\? (?!error)\w+: could/.test(line));
  expect(stories).toEqual([expect.stringContaining('three')]);
  for (const told of [text, renderMarkdown(all)]) expect(told.match(/line \d+/g)).toHaveLength(20);
});

test('colours change nothing but colours', () => {
  const coloured = renderTerminal(REPORTS.mixed, { colour: true });
  expect(coloured).toContain('\u001b[31m');
  expect(stripVTControlCharacters(coloured)).toBe(renderTerminal(REPORTS.mixed));
});

test.each([60, 80, 100, 200])('nothing that may be cut or wrapped is wider than %d columns', (columns) => {
  const wide = session('会話'.repeat(30), { turns: SESSIONS.changed.turns, title: '🎉'.repeat(100) });
  const lines = renderTerminal(report([...Object.values(SESSIONS), wide]), { columns }).split('\n');
  // Commands, places and evidence are to be copied as they are.
  for (const line of lines.filter((text) => !/^(?:wanted|unsure|rerun|is it the model)|^ +(?:at |│)/.test(text))) {
    expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  }
});

test('whether it is the model, is told by asking it again, and against a base by what both ask it', () => {
  const base = { ref: 'main', commit: 'c0ffee', blame: 'change' as const, sessions: 1, drifted: [], driftedSuites: [] };
  const told = [{}, { base: { ...base, without: [] } }].map(
    (judged) => /is it the model\? +(.*)/.exec(renderTerminal(report([SESSIONS.changed], judged)))?.[1],
  );
  expect(told).toEqual([
    'npx agent-replay fork replays/change-payment.session.json --turn 1 --step 4',
    'npx agent-replay run replays/change-payment.session.json --offline --base main --output-dir .agent-replay/model',
  ]);
});

test('a verdict that the policy lets pass is said so', () => {
  const policy = gatePolicy.parse({ failOn: { did: [] } });
  const output = renderTerminal(report([SESSIONS.varies, SESSIONS.changed], {}, policy));
  expect(output).toContain('varies (warning)');
  expect(output).toContain('changed (warning)');
});

const EDIT = {
  kind: 'agent' as const,
  changed: ['system prompt'],
  detail: 'its system prompt differs at line 8',
  line: {
    of: 'system prompt',
    number: 8,
    recorded: '2. Check stock in the nearest warehouse.',
    replayed: '2. Check stock in the central warehouse (wh_central).',
  },
};

/** Sessions of which every other one fails for one edit, in two turns. */
function edited(count: number) {
  const moved = { tool: 'create_replacement', pointer: '/warehouse', recorded: 'wh_oslo', replayed: 'wh_central' };
  const failing = (number: number) => {
    const made = [4, 6].map((at) =>
      turn({ verdict: outcomes.changed, clusters: [0, 5], divergence: { ...moved, cause: EDIT } }, { turn: at }),
    );
    return session(`session-${number}`, { turns: made });
  };
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? failing(at) : session(`session-${at}`, { turns: SESSIONS.asRecorded.turns }),
  );
}

test.each([80, 100, 120])(
  'one edit is told once, with a row for each session that it changed, at %d columns',
  (columns) => {
    const made = report([...edited(6), SESSIONS.varies], {
      evidence: { config: 'ci/replay.config.ts', outputDir: 'out' },
    });
    expect(renderTerminal(made, { columns, placesOf: () => ['prompts/nora.md:8'] })).toMatchSnapshot();
  },
);

test('of 500 sessions of which 250 fail for one edit fewer than 320 lines are printed, and the edit once', () => {
  const made = report(edited(500));
  const text = renderTerminal(made);
  expect(text.split('\n').length).toBeLessThan(320);
  expect(text.match(/wh_central\)/g)).toHaveLength(1);
  const lines = renderTerminal(made, { isGrouped: true }).split('\n');
  expect(lines.indexOf('::group::230 more sessions of 500')).toBe(lines.indexOf('::endgroup::') - 231);
});

test('the verdict is the first and the last line, and of a page with nothing else to tell the only one', () => {
  for (const made of Object.values(REPORTS)) {
    const lines = renderTerminal(made, { columns: 200 }).trimEnd().split('\n');
    if (made === REPORTS.passed) expect(lines.filter((line) => line === lines[0])).toHaveLength(1);
    else expect(lines[0]).toBe(lines.at(-1));
  }
});

test.each([
  ['replays/a b.session.json', "npx agent-replay run 'replays/a b.session.json' --runs 5"],
  ["it's$(x).json", "npx agent-replay run 'it'\\''s$(x).json' --runs 5"],
  ['--help', 'npx agent-replay run ./--help --runs 5'],
])('the rerun command of %s is one that a shell reads as meant', (pin, command) => {
  const made = report([session('s', { pin })]);
  expect(rerunCommand(made.results.sessions[0]!, made)).toBe(command);
});

test('the rerun command calls no tool for real that the run spared', () => {
  const made = report([session('s')], { evidence: { command: 'agent-replay run --runs 5 --tools recorded' } });
  expect(rerunCommand(made.results.sessions[0]!, made)).toBe(
    'npx agent-replay run replays/s.session.json --runs 5 --tools recorded',
  );
});

test('the rerun command names a configuration and an output folder that were named by hand', () => {
  const made = report([session('s')], { evidence: { config: 'ci/replay.config.ts', outputDir: 'out' } });
  expect(rerunCommand(made.results.sessions[0]!, made)).toBe(
    'npx agent-replay run replays/s.session.json --runs 5 --output-dir out --config ci/replay.config.ts',
  );
});

test.each([
  [840, '840 ms'],
  [999.6, '999 ms'],
  [12_345, '12.3 s'],
  [59_999, '59.9 s'],
  [125_000, '2 min 5 s'],
  [3_720_000, '1 h 2 min'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('the live line tells sessions, runs, waiting traces and the time left', () => {
  const progress = {
    sessionsDone: 3,
    sessions: 8,
    replaysDone: 10,
    replays: 40,
    waitingForTraces: 4,
    elapsedMs: 4_000,
  };
  expect(progressLine(progress)).toBe('3/8 sessions, 10/40 replays, 4 waiting for traces, about 12 s left');
  expect(progressLine(progress, 20)).toBe('3/8 sessions, 10/40…');
});

test('the live line promises no time before it can know it, nor when all is done', () => {
  const start = { sessionsDone: 0, sessions: 8, replaysDone: 2, replays: 40, waitingForTraces: 0, elapsedMs: 4_000 };
  expect(progressLine(start)).toBe('0/8 sessions, 2/40 replays');
  expect(progressLine({ ...start, replaysDone: 40 })).toBe('0/8 sessions, 40/40 replays');
});
