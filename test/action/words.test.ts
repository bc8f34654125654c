import { expect, test } from 'vitest';
import { inAction } from '../../action/words.ts';

test.for([
  ['12 runs could settle it: --runs 12', '12 runs could settle it: input "runs" set to 12'],
  [
    'name it with --config, or give --url and --start.',
    'name it with input "config", or give input "url" and input "start".',
  ],
  ['Run `agent-replay doctor`.', 'Run `agent-replay doctor`.'],
  [
    'make it the original with `agent-replay accept`.',
    'make it the original with `/agent-replay accept` in a comment.',
    'make it the original with `agent-replay accept`.',
  ],
  [
    'keep these runs: agent-replay accept --as-recordings --pin replays/small-refund.session.json. Or record more: agent-replay pin --runs 10 --more replays/a.session.json.',
    'keep these runs: `/agent-replay accept --as-recordings small-refund` in a comment. Or record more: `agent-replay pin --runs 10 --more replays/a.session.json`.',
    'keep these runs: `agent-replay accept --as-recordings`. Or record more: `agent-replay pin --runs 10 --more replays/a.session.json`.',
  ],
] as const)('what the core says in options is said in inputs: %s', ([core, action, withoutAccept = action]) => {
  expect(inAction(core, { accepts: true })).toBe(action);
  expect(inAction(core, { accepts: false })).toBe(withoutAccept);
});
