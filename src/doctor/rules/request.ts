import { isJsonObject } from '../../json/index.ts';
import type { AgentEvidence, Call } from '../evidence/evidence.ts';
import {
  answeredWith,
  callLines,
  hasSameForm,
  isAnswered,
  isReplayed,
  NOT_REACHED,
  obstacleOf,
  plainOf,
  shows,
  statusOf,
} from '../evidence/reading.ts';
import { because, fail, pass, type Rule, type RuleResult, skip } from '../evidence/rule.ts';

const NEEDS = ['answers', 'messages'];

export const REQUEST_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'messages',
    demand: 'It takes `messages`, with earlier turns.',
    fix: 'Hand `messages` to the function that takes a normal turn.',
    needs: ['answers'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const status = statusOf(plain) ?? 0;
      // A JSON body with another content type is read anyway.
      if (status === 415 || !isJsonObject(plain.body)) return skip('see json');
      if (status >= 400) return fail(...callLines(plain));
      const { trace, asked = '' } = plain;
      if (trace === undefined || shows(trace, asked)) return pass(`"${asked}" was answered`);
      const records = evidence.calls.some((call) => call.trace && call.asked && shows(call.trace, call.asked));
      return records
        ? fail(`the trace does not show "${asked}"`)
        : pass('answered; the trace does not show what was asked');
    },
  },
  {
    id: 'input',
    demand: 'It takes `input`: what the user said, as text.',
    fix: 'Where there are no `messages`, take the turn with `input` as the only user message.',
    needs: NEEDS,
    judge: (evidence) => {
      const calls = evidence.calls.filter(({ request }) => request.input !== undefined && !request.messages);
      const answered = calls.find(isAnswered);
      if (answered === undefined) return refused(calls);
      const { trace, asked = '' } = answered;
      const plain = plainOf(evidence);
      const isRecorded = plain.trace !== undefined && shows(plain.trace, plain.asked ?? '');
      if (trace !== undefined && isRecorded && !shows(trace, asked)) return fail(`the trace does not show "${asked}"`);
      return pass(`"${asked}" was answered`);
    },
  },
  {
    id: 'messages-first',
    demand: '`messages` wins over `input`.',
    fix: 'Read `input` only if there are no `messages`.',
    needs: NEEDS,
    judge: (evidence) => {
      const calls = evidence.calls.filter(({ request }) => request.input !== undefined && request.messages);
      const traced = calls.filter(({ trace }) => trace !== undefined);
      const misled = traced.flatMap(({ trace, asked = '', decoy = '' }) => {
        if (trace === undefined || !shows(trace, decoy)) return [];
        return [`asked "${asked}" in messages and "${decoy}" in input, the agent worked on the latter`];
      });
      if (misled[0] !== undefined) return fail(misled[0]);
      if (traced.some(({ trace, asked }) => trace && asked && shows(trace, asked))) return pass('input was ignored');
      const bodyAlone = evidence.calls.some(
        (call) => call.carrier === 'body' && call.request.input === undefined && isReplayed(call),
      );
      if (calls.length > 0 && bodyAlone) return refused(calls);
      return skip('nothing shows what the agent worked on');
    },
  },
  {
    id: 'body',
    demand: 'A replay is recognised by ids in the body alone.',
    fix: 'Read each field from the body, or else from its header.',
    needs: NEEDS,
    judge: (evidence) => judgeCarrier(evidence, 'body'),
  },
  {
    id: 'headers',
    demand: 'A replay is recognised by ids in the headers alone.',
    fix: 'Where the body has no `svc_replay_run_id` and so on, read `X-Svc-Replay-Run-Id` and the other headers.',
    needs: NEEDS,
    judge: (evidence) => judgeCarrier(evidence, 'headers'),
  },
];

/** None of these calls was answered correctly. */
function refused(calls: readonly Call[]): RuleResult {
  const last = calls.at(-1);
  if (last === undefined) return NOT_REACHED;
  const obstacle = obstacleOf(last);
  return obstacle === undefined ? fail(...callLines(last)) : because('unknown', obstacle);
}

function judgeCarrier(evidence: AgentEvidence, carrier: 'body' | 'headers'): RuleResult {
  const calls = evidence.calls.filter((call) => call.carrier === carrier && call.asked !== undefined);
  const last = calls.at(-1);
  if (last === undefined) return NOT_REACHED;
  if (evidence.source === 'none') return judgeCarrierByEcho(evidence, calls);
  const replayed = calls.find(isReplayed);
  if (replayed !== undefined) return pass(`the trace of call ${replayed.number} carries its id`);
  const obstacle = obstacleOf(last);
  if (obstacle !== undefined) return because('unknown', obstacle);
  if (calls.some(isAnswered)) return fail(`call ${last.number} was answered, and no trace with its id arrived`);
  const usual = plainOf(evidence).carrier;
  const isTakenOtherwise = evidence.calls.some(
    (call) => call.carrier === usual && isReplayed(call) && hasSameForm(call, last),
  );
  return isTakenOtherwise ? fail(...callLines(last)) : skip('such a request is refused, however its ids come');
}

function judgeCarrierByEcho(evidence: AgentEvidence, calls: readonly Call[]): RuleResult {
  const key = evidence.names.keys.replayRunId;
  const isEchoed = (call: Call) => answeredWith(call, key) === call.replayRunId;
  if (calls.some(isEchoed)) return pass('the id was echoed');
  return isEchoed(plainOf(evidence)) && calls.some(isAnswered)
    ? fail('the id was not echoed; it is when it is sent as configured')
    : skip('without traces, only an echoed id shows it');
}
