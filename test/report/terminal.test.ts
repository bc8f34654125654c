import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/progress-line.ts';
import { duration } from '../../src/counted.ts';
import { AgentReplayError } from '../../src/errors.ts';
import { gatePolicy, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { rerunCommand } from '../../src/report/outputs/words.ts';
import { REPORTS, report, SESSIONS, session, turn, VARIES } from './fixtures/reports.ts';

test('all reproduced: the table and the status', () => {
  expect(renderTerminal(REPORTS.passed)).toMatchInlineSnapshot(`
    "  session            verdict     as recorded  agreement  first divergence
    ✔ large-refund       reproduced  5/5          100 %
    ✔ where-is-my-order  reproduced  5/5          100 %

    ✔ passed: 2 of 2 sessions reproduced
      The agent behaved as recorded in every run. Compared: calls, results, errors, answers.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('where the name of a pin is generated the tables show its title beside it, and a name that says something stands alone', () => {
  const titled = (pin: string) => ({ ...SESSIONS.reproduced, pin, title: 'Refund for two orders' });
  const shown = report([
    titled('replays/0f3c9a44-2b7e-4d1f-9a51-6c0e8d7b2a13.session.json'),
    titled('replays/large-refund.session.json'),
  ]);
  const names = renderTerminal(shown).split('\n').slice(1, 3);
  expect(names[0]).toMatch(/^✔ 0f3c9a44… Refund for two orders +reproduced/);
  expect(names[1]).toMatch(/^✔ large-refund +reproduced/);
  expect(renderMarkdown(shown)).toContain('0f3c9a44… Refund for two orders');
});

test('the report of a shard says that it is one, in the terminal and in Markdown', () => {
  const part = report([SESSIONS.reproduced], { evidence: { shard: { index: 2, count: 4, by: 'runs' } } });
  const note = 'This is shard 2/4 by runs: agent-replay merge makes one verdict of all shards.';
  expect(renderTerminal(part)).toContain(note);
  expect(renderMarkdown(part)).toContain(note);
});

test('what many replays failed by alike is told with all that was seen once; another answer is told too', () => {
  const failed = (id: string, body: string) => {
    const evidence = [`body: ${body}`, 'agent: the till is jammed'];
    const error = new AgentReplayError('RESPONSE_STATUS', 'The agent answered with status 500.', {
      evidence,
      hint: 'look',
    });
    return session(id, {
      turns: [turn({ verdict: 'inconclusive', clusters: [0] }, { failures: [{ run: 1, error }] })],
    });
  };
  const text = renderTerminal(report([failed('a', 'x'), failed('b', 'x'), failed('c', 'y')]));
  expect(text.match(/RESPONSE_STATUS turn 1, run 1/g)).toHaveLength(3);
  expect(text.match(/body: x/g)).toHaveLength(1);
  expect(text.match(/body: y/g)).toHaveLength(1);
  expect(text.match(/→ look/g)).toHaveLength(2);
});

test('a mixed run: the table, the story of each session that is not reproduced, and the status last', () => {
  expect(renderTerminal(REPORTS.mixed, { columns: 110 })).toMatchInlineSnapshot(`
    "  session            verdict             as recorded       agreement  first divergence
    ✘ change-payment     changed             0/5               100 %      step 4: argument /payment_id of update_…
    ? old-chat           inconclusive        –                 –          PIN_NOT_REPLAYABLE: Turn 1 holds no use…
    ¶ parcel-on-its-way  reworded (warning)  5/5 (3 reworded)  100 %      step 6: answer: recorded "Your parcel i…
    ≈ small-refund       unsettled           0/5               10 %       step 4: argument /payment_id of update_…
    ? tent-warranty      inconclusive        3/5               100 %      TRACE_MISSING: No trace came for the re…
    ~ two-parcels        flaky               3/5               40 %       turn 2, step 4: argument /payment_id of…
    ✔ where-is-my-order  reproduced          5/5               100 %

    ✘ change-payment: changed
      Customer moves a booking to another card
      turn 1, step 4: argument /payment_id of update_reservation: recorded "gift_card_1", replayed "credit_card_9"
      in 5 of 5 runs. Cause: model (same input, other output). Earlier: 2 wording differences. Runs meet again at
      step 6.
      rerun: npx agent-replay run replays/change-payment.session.json --runs 5
      is it the model: npx agent-replay fork replays/change-payment.session.json --turn 1 --step 4

    ? old-chat: inconclusive
      PIN_NOT_REPLAYABLE Turn 1 holds no user or LLM request.
        at replays/old-chat.session.json:12:5 /turns/0/request
        → Pin the session again from a trace that carries its messages.
      rerun: npx agent-replay run replays/old-chat.session.json --runs 5

    ¶ parcel-on-its-way: reworded (warning)
      step 6: answer: recorded "Your parcel is on its way and will be there on Monday.", replayed "The parcel has
      been sent to you, and it will be there on Monday." in runs 1-3
      turn 1: 5 of 5 as recorded, 3 in other words (not judged)
      rerun: npx agent-replay run replays/parcel-on-its-way.session.json --runs 5

    ≈ small-refund: unsettled
      turn 1, step 4: argument /payment_id of update_reservation: recorded "gift_card_1", replayed "credit_card_9"
      in 2 of 5 runs. Cause: model (same input, other output). Earlier: 2 wording differences. Runs meet again at
      step 6.
      step 4: 2 of 5 calls update_reservation, 1 of 5 calls search, 1 of 5 answers, 1 of 5 ends
      12 runs could settle it: --runs 12
      rerun: npx agent-replay run replays/small-refund.session.json --runs 5
      is it the model: npx agent-replay fork replays/small-refund.session.json --turn 1 --step 4

    ? tent-warranty: inconclusive
      TRACE_MISSING turn 1, runs 4-5: No trace came for the replay within 30 s.
        │ asked for b5f.t1.r1
        │ the receiver got 0 spans
        → Check that the agent exports to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or run \`agent-replay doctor\`.
      turn 1: 2 of 5 runs not verified
      rerun: npx agent-replay run replays/tent-warranty.session.json --runs 5

    ~ two-parcels: flaky
      turn 2, step 4: argument /payment_id of update_reservation: recorded "gift_card_1", replayed "credit_card_9"
      in 2 of 5 runs. Cause: model (same input, other output). Earlier: 2 wording differences. Runs meet again at
      step 6.
      step 4: 3 of 5 calls update_reservation (as recorded), 2 of 5 calls search
      Replays do not agree with each other. If the agent was good in this run, keep them: agent-replay accept
      --as-recordings --pin replays/two-parcels.session.json.
      rerun: npx agent-replay run replays/two-parcels.session.json --runs 5
      is it the model: npx agent-replay fork replays/two-parcels.session.json --turn 2 --step 4

    ✘ failed: 3 of 7 sessions diverged, 1 in other words (not judged), 2 not verified
      The agent does not behave as recorded. Look at the first divergence of each session; if the new behaviour is
      wanted, make it the original with \`agent-replay accept\`. If the agent was good, \`agent-replay accept
      --as-recordings\` keeps all of its replays, although they do not agree with each other: it makes no new call,
      and with five recordings or more only a shift fails.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('runs that vary as their recordings do: the gate, the verdict and how they vary', () => {
  expect(renderTerminal(report([VARIES, SESSIONS.reproduced]))).toMatchInlineSnapshot(`
    "  session            verdict     as recorded  agreement  first divergence
    ∿ gift-ideas         varies      2/5          20 %       3 ways in 5 runs, as in its 10 recordings …
    ✔ where-is-my-order  reproduced  5/5          100 %

    ∿ gift-ideas: varies
      step 4: 2 of 5 calls update_reservation (as recorded), 2 of 5 calls search, 1 of 5 answers
      turn 1: 3 ways in 5 runs, as in its 10 recordings (p = 0.6)
      rerun: npx agent-replay run replays/gift-ideas.session.json --runs 5

    ✔ passed: 1 of 2 sessions reproduced, 1 varies as recorded
      Where runs differ, they differ as the recordings do: nothing has shifted. Compared: calls,
      results, errors, answers.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('a run that could not tell: what kept each session from being compared, and what to do', () => {
  expect(renderTerminal(REPORTS.error)).toMatchInlineSnapshot(`
    "  session            verdict       as recorded  agreement  first divergence
    ? tent-warranty      inconclusive  3/5          100 %      TRACE_MISSING: No trace came for the rep…
    ✔ where-is-my-order  reproduced    5/5          100 %

    ? tent-warranty: inconclusive
      TRACE_MISSING turn 1, runs 4-5: No trace came for the replay within 30 s.
        │ asked for b5f.t1.r1
        │ the receiver got 0 spans
        → Check that the agent exports to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or run \`agent-replay
        doctor\`.
      turn 1: 2 of 5 runs not verified
      rerun: npx agent-replay run replays/tent-warranty.session.json --runs 5

    PIN_INVALID replays/broken.session.json is not valid JSON: comma expected
      at replays/broken.session.json:3:7
      → Restore the file from the repository, or pin the session again.

    ? error: 1 of 2 sessions not verified, 1 problem
      Some sessions could not be verified: agent-replay cannot tell whether they are as recorded or
      diverged. Each problem says what to do next; then run again.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('an interrupted run: what had finished, and that the rest is not verified', () => {
  expect(renderTerminal(REPORTS.interrupted)).toMatchInlineSnapshot(`
    "  session            verdict     as recorded  agreement  first divergence
    ✘ change-payment     changed     0/5          100 %      step 4: argument /payment_id of update_res…
    ✔ where-is-my-order  reproduced  5/5          100 %

    ✘ change-payment: changed
      Customer moves a booking to another card
      turn 1, step 4: argument /payment_id of update_reservation: recorded "gift_card_1", replayed
      "credit_card_9" in 5 of 5 runs. Cause: model (same input, other output). Earlier: 2 wording
      differences. Runs meet again at step 6.
      rerun: npx agent-replay run replays/change-payment.session.json --runs 5
      is it the model: npx agent-replay fork replays/change-payment.session.json --turn 1 --step 4

    ! interrupted: 1 of 2 sessions reproduced, 1 diverged, then interrupted
      The report holds the replays that had finished. The others are not verified; run again for a
      verdict.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('errors: code, message, place, evidence and the next move', () => {
  expect(renderTerminal(REPORTS.nothing)).toMatchInlineSnapshot(`
    "AGENT_EXITED The agent exited with code 1 before it was ready.
      │ $ node server.js
      │ Error: Cannot find module "./prompt.js"
      │     at server.js:3:1
      → Start it by hand with the same command.

    ? error: no session was verified, 1 problem
      Some sessions could not be verified: agent-replay cannot tell whether they are as recorded or
      diverged. Each problem says what to do next; then run again.
      40 calls, 1 retry, 61,200 tokens in, 4,310 tokens out, $0.0931, 12.3 s
    "
  `);
});

test('what kept whole sessions from being tried is told once, and one that has more to tell still does', () => {
  const code = 'AGENT_EXITED';
  const message = 'The agent exited with code 1 before it was ready.';
  const failed = (name: string, conclusive: number) => {
    const failures = [5, 4].map((run) => ({ run, error: new AgentReplayError(code, message) }));
    return session(name, { turns: [turn({ verdict: 'inconclusive', clusters: [conclusive] }, { failures })] });
  };
  const evidence = Array.from({ length: 25 }, (_, line) => `line ${line}`);
  const all = report([failed('one', 0), failed('two', 0), failed('three', 3)], {
    problems: [new AgentReplayError(code, message, { evidence })],
  });
  for (const text of [renderTerminal(all), renderMarkdown(all)]) {
    const stories = text
      .split('\n')
      .filter((line) => /^(<details(?: open)?><summary>)?\? (<code>)?\w+(<\/code>)?: inc/.test(line));
    expect(stories).toEqual([expect.stringContaining('three')]);
    expect(text.match(/line \d+/g)).toHaveLength(20);
  }
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
  for (const line of lines.filter((text) => !/^ {2}(?:(?:rerun|is it the model):|│)|^ +(?:at |│)/.test(text))) {
    expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  }
});

test('a verdict that the policy lets pass is said so', () => {
  const policy = gatePolicy.parse({ failOn: { flaky: 'warn', changed: 'off' } });
  const output = renderTerminal(report([SESSIONS.flaky, SESSIONS.changed], {}, policy));
  expect(output).toContain('flaky (warning)');
  expect(output).toContain('changed (allowed)');
});

test('a session that was stopped early is given no rates, and a verdict only if that was certain', () => {
  const stopped = (certain: 'status' | 'verdict', over = {}) => {
    const turns = [turn({ verdict: 'flaky', clusters: [1, 2], over: { stopped: { after: 3, certain }, ...over } })];
    return renderTerminal(report([session('s', { turns })]));
  };
  expect(stopped('status').split('\n')[1]).toMatch(/^~ s +not reproduced +stopped after 3 of 5 +– /);
  expect(stopped('status')).toContain('~ s: not reproduced, stopped after 3 of 5');
  expect(stopped('verdict').split('\n')[1]).toMatch(/^~ s +flaky +stopped after 3 of 5 +– /);
});

test('agreement is 100 % only when all agree', () => {
  const nearly = turn({ verdict: 'flaky', clusters: [999, 1], requested: 1000 });
  expect(renderTerminal(report([session('s', { turns: [nearly] })]))).toContain('99 %');
});

test.each([
  ['replays/a b.session.json', "npx agent-replay run 'replays/a b.session.json' --runs 5"],
  ["it's$(x).json", "npx agent-replay run 'it'\\''s$(x).json' --runs 5"],
  ['--help', 'npx agent-replay run ./--help --runs 5'],
])('the rerun command of %s is one that a shell reads as meant', (pin, command) => {
  const made = report([session('s', { pin })]);
  expect(rerunCommand(made.results.sessions[0]!, made)).toBe(command);
});

test('the rerun command names a configuration that was named by hand', () => {
  const made = report([session('s')], { evidence: { config: 'ci/replay.config.ts' } });
  expect(rerunCommand(made.results.sessions[0]!, made)).toBe(
    'npx agent-replay run replays/s.session.json --config ci/replay.config.ts --runs 5',
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
  const progress = { sessionsDone: 3, sessions: 8, runsDone: 10, runs: 40, waitingForTraces: 4, elapsedMs: 4_000 };
  expect(progressLine(progress)).toBe('3/8 sessions, 10/40 runs, 4 waiting for traces, about 12 s left');
  expect(progressLine(progress, 20)).toBe('3/8 sessions, 10/40…');
});

test('the live line promises no time before it can know it, nor when all is done', () => {
  const start = { sessionsDone: 0, sessions: 8, runsDone: 2, runs: 40, waitingForTraces: 0, elapsedMs: 4_000 };
  expect(progressLine(start)).toBe('0/8 sessions, 2/40 runs');
  expect(progressLine({ ...start, runsDone: 40 })).toBe('0/8 sessions, 40/40 runs');
});
