import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import {
  againOf,
  callLines,
  hasSameForm,
  isReplayed,
  NOT_REACHED,
  obstacleOf,
  oldTraceOf,
  shows,
} from '../evidence/reading.ts';
import { because, fail, pass, type Rule, type RuleResult, skip } from '../evidence/rule.ts';

/** Rules: an endpoint can be called repeatedly, and several times at once. */
export const REPETITION_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'repeat',
    demand: 'The agent works anew on the same payload each time.',
    fix: 'Keep nothing between replays: no cache of answers, no session that is used up.',
    needs: ['answers', 'messages'],
    judge: (evidence) => {
      const again = againOf(evidence);
      if (again === undefined) return NOT_REACHED;
      if (oldTraceOf(evidence) !== undefined) return skip('see new-trace');
      const obstacle = obstacleOf(again);
      if (obstacle !== undefined) return because('unknown', obstacle);
      return isReplayed(again) ? pass(`${evidence.calls.length} calls in a row`) : fail(...callLines(again));
    },
  },
  {
    id: 'side-by-side',
    demand: 'Replays at the same time do not mix.',
    fix: {
      javascript: 'Keep what belongs to a request out of globals: hand it on, or use AsyncLocalStorage.',
      python: 'Keep what belongs to a request out of globals: hand it on, or use a ContextVar.',
    },
    needs: ['repeat'],
    judge: judgeSideBySide,
  },
];

function judgeSideBySide({ calls }: AgentEvidence): RuleResult {
  const together = calls.filter(({ isTogether, history }) => isTogether && history === undefined);
  if (together.length === 0) return NOT_REACHED;
  const obstacle = together.map(obstacleOf).find((found) => found !== undefined);
  if (obstacle !== undefined) return because('unknown', obstacle);
  const [one, other] = together as [Call, Call];
  for (const [own, foreign] of [
    [one, other],
    [other, one],
  ] as const) {
    if (own.trace && foreign.asked && shows(own.trace, foreign.asked)) {
      return fail(`the trace of call ${own.number} shows what call ${foreign.number} asked: "${foreign.asked}"`);
    }
  }
  const lost = together.filter((call) => !isReplayed(call));
  if (lost.length === 0) return pass('2 at the same time');
  // Sent alone afterwards, it worked.
  const isFineAlone = calls.some(
    (call) => !call.isTogether && isReplayed(call) && hasSameForm(call, one) && call.carrier === 'body',
  );
  return isFineAlone || lost.length < together.length
    ? fail(...lost.flatMap(callLines))
    : skip('such a request fails by itself too');
}
