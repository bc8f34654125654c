import { asText, isJsonObject } from '../../json/index.ts';
import { topsOf } from '../../trace/index.ts';
import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import { answeredWith, isAnswered, NOT_REACHED, plainOf, shortJson, statusOf } from '../evidence/reading.ts';
import { fail, pass, type Rule, type RuleResult, skip, warn } from '../evidence/rule.ts';

const NEEDS = ['answers', 'messages'];

export const ANSWER_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'echo-replay-run-id',
    demand: 'The answer holds `svc_replay_run_id` as it was sent.',
    fix: 'Put the id of the request into the answer, unchanged.',
    needs: NEEDS,
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const said = answeredWith(plain, evidence.names.keys.replayRunId);
      return said === plain.replayRunId
        ? pass('echoed')
        : fail(`sent ${plain.replayRunId}, answered ${shortJson(said)}`);
    },
  },
  ...(['session_id', 'run_id'] as const).map((key) => ({
    id: `echo-${key.replace('_', '-')}`,
    demand: `The answer holds the \`${key}\` of the trace.`,
    fix: `Answer with the \`${key}\` that the turn has in its trace, as text.`,
    needs: NEEDS,
    judge: (evidence: AgentEvidence) => judgeEcho(plainOf(evidence), key),
  })),
  {
    id: 'output',
    demand: 'The answer holds `output`, under this or another usual name.',
    fix: 'Answer with `output`, or set `outputPointer` to where it is.',
    needs: NEEDS,
    judge: (evidence) => {
      const { outcome, body } = plainOf(evidence);
      if (outcome.kind === 'replayed' && outcome.response?.output !== undefined) return pass('there');
      const isOnly = evidence.source === 'none';
      const isMissing =
        outcome.kind === 'replayed' || outcome.error.evidence.some((line) => /^(?!body:).*\boutput\b/.test(line));
      if (!isMissing) return skip('the replay failed');
      const finding = isOnly ? fail : warn;
      const keys = isJsonObject(body) ? Object.keys(body) : [];
      return finding(`the output is under no usual name; the answer has ${keys.join(', ') || 'no names'}`);
    },
  },
  {
    id: 'errors',
    demand: 'A request without messages and input is refused, and a failed turn is no 200.',
    fix: 'Answer 400 to a request without messages and input, and 500 to a turn that failed.',
    needs: NEEDS,
    judge: ({ calls }) => {
      const failed = calls.find((call) => isAnswered(call) && errorIn(call) !== undefined);
      if (failed !== undefined)
        return fail(`call ${failed.number} was answered ${statusOf(failed)}, and failed: ${errorIn(failed)}`);
      const unusable = calls.find(({ asked }) => asked === undefined);
      const status = unusable && statusOf(unusable);
      if (unusable === undefined || status === undefined) return NOT_REACHED;
      if (status >= 400) return pass(`${status} for a request without messages and input`);
      return fail(
        `neither messages nor input was sent, and the answer was ${status}: ${shortJson(unusable.body).slice(0, 120)}`,
      );
    },
  },
];

function judgeEcho(plain: Call, key: 'session_id' | 'run_id'): RuleResult {
  const said = answeredWith(plain, key);
  const traced = plain.trace?.metadata[key] ?? (key === 'session_id' ? plain.trace?.sessionId : undefined);
  if (said === undefined || said === null) {
    if (traced === undefined && plain.trace !== undefined) return skip('the trace has none either');
    return plain.trace === undefined
      ? warn('the answer has none')
      : fail(`the trace says ${shortJson(traced)}, the answer nothing`);
  }
  if (typeof said === 'boolean' || typeof said === 'object')
    return fail(`the answer says ${shortJson(said)}, which is not an id`);
  if (traced !== undefined && asText(traced) !== asText(said)) {
    return fail(`the trace says ${shortJson(traced)}, the answer ${shortJson(said)}`);
  }
  return pass(asText(said));
}

/** What went wrong with the turn as a whole, according to its trace. */
function errorIn({ trace }: Call): string | undefined {
  const root = topsOf(trace?.observations ?? []).find(({ level }) => level === 'ERROR');
  return root && (root.statusMessage ?? `${root.type} "${root.name}"`);
}
