import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { steady } from '../whole-message.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The support agent with its model at a temperature, by recordings that runs made. */
async function demo(config: string) {
  const outputDir = await mkdtemp(path.join(os.tmpdir(), 'live-example-'));
  const args = ['run', '--config', `examples/support-agent/${config}`, '--output-dir', outputDir];
  const { code, stdout } = await command(args, { cwd: ROOT });
  const report = parseReport(await readFile(path.join(outputDir, 'report.json'), 'utf8'));
  await rm(outputDir, { recursive: true });
  return { code, stdout, report, verdicts: report.results.sessions.map(({ verdict }) => verdict) };
}

test('demo:live: an agent that wanders as it was recorded is green, and varies where it varies', async () => {
  const { code, stdout, verdicts } = await demo('live.config.ts');
  expect(code, stdout).toBe(0);
  expect(new Set(verdicts)).toEqual(new Set(['varies', 'reproduced']));
  expect(stdout).toContain('Gate: 4 sessions by shift (5 or more recordings made by runs).');
});

test('demo:shift: with an edited prompt it is red, says what sets the runs apart, and why', async () => {
  const { code, stdout, report } = await demo('shift.config.ts');
  expect(code).toBe(1);
  const changed = report.results.sessions.filter(({ verdict }) => verdict === 'changed');
  expect(changed.map(({ id }) => id)).toEqual(['small-refund']);
  expect(changed[0]?.turns[0]?.shift?.separation).toContain('no replay calls refund_order, and all 10 recordings do');
  expect(changed[0]?.turns[0]?.comparison.divergence?.cause.kind).toBe('agent');
  // How old the recordings are depends on the day.
  expect(steady(stdout.replace(/made .*?;/, 'made <when>;'))).toMatchInlineSnapshot(`
    "Gate: 4 sessions by shift (5 or more recordings made by runs).
    Recordings: of 2026-11-22, made <when>; models: support-1.
    All sessions of support together have shifted in the calls: p = 0.000017, 80 % further from the
    recordings than these are from each other, found again in a second look.

      session            verdict     as recorded         agreement  first divergence
    ✘ small-refund       changed     0/20                26 %       all 20 replays call create_ticket, …
    ∿ tent-warranty      varies      20/20 (1 reworded)  81 %       2 ways in 20 runs, as in its 10 rec…
    ✔ two-parcels        reproduced  10/10               100 %
    ✔ where-is-my-order  reproduced  10/10               100 %

    ✘ small-refund: changed
      Please refund FO-1023, the socks are too small.
      red at once: all 20 replays call create_ticket, and no recording does
      red at once: no replay calls refund_order, and every recording does
      turn 1, step 5: call of get_customer is missing in 12 of 20 runs. Cause: agent (its system prompt
      differs at line 5: recorded "- Never refund more than 200 EUR yourself: create a ticket instead.",
      replayed "- Never refund more than 20 EUR yourself: create a ticket instead."). Replays agree with
      each other 26 %.
      step 3: 15 of 20 calls check_refund_policy (as recorded), 3 of 20 calls get_customer, 1 of 20
      calls create_ticket …priority":"normal","subject":"Refund of FO-1023"}, 1 of 20 calls
      create_ticket …priority":"normal","subject":"Refund request FO-1023"}, 0 of 20 calls refund_order
      (as recorded)
      step 5: 10 of 15 calls create_ticket …priority":"normal","subject":"Refund of FO-1023"}, 3 of 15
      calls get_customer (as recorded), 2 of 15 calls create_ticket
      …priority":"normal","subject":"Refund request FO-1023"}, 0 of 15 calls refund_order (as recorded)
      step 7: 2 of 3 calls create_ticket …priority":"normal","subject":"Refund of FO-1023"}, 1 of 3
      calls create_ticket …priority":"normal","subject":"Refund request FO-1023"}, 0 of 3 calls
      refund_order (as recorded)
      turn 1: has shifted, p = 0.000017 (0.000067 among all turns): all 20 replays call create_ticket,
      and no recording does; no replay calls refund_order, and all 10 recordings do; create_ticket is
      given 'of' as /subject in 16 of 20 replays and in no recording
      If this is wanted, keep these runs: agent-replay accept --as-recordings --pin
      examples/support-agent/live/small-refund.session.json. If nothing was changed, record more of what
      the agent did before the change: agent-replay pin --runs 10 --more
      examples/support-agent/live/small-refund.session.json.
      rerun: npx agent-replay run examples/support-agent/live/small-refund.session.json --config examples/support-agent/shift.config.ts --runs 5

    ∿ tent-warranty: varies
      How long is the warranty on a tent?
      step 1: 18 of 20 calls search_help_articles {"query":"warranty"} (as recorded), 2 of 20 calls
      search_help_articles {"query":"warranty period"} (as recorded)
      turn 1: 2 ways in 20 runs, as in its 10 recordings (p = 0.033)
      rerun: npx agent-replay run examples/support-agent/live/tent-warranty.session.json --config examples/support-agent/shift.config.ts --runs 5

    ✘ failed: 1 of 4 sessions diverged, all sessions together have shifted, 1 varies as recorded
      The agent does not behave as recorded. Look at the first divergence of each session; if the new
      behaviour is wanted, keep its runs with \`agent-replay accept --as-recordings\`.
      60 calls, 58,174 tokens in, 4,040 tokens out, <time>
    "
  `);
});
