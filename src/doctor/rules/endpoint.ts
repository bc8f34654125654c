import { asText, isJsonObject, type Json } from '../../contract/index.ts';
import type { AgentEvidence, Call } from '../evidence.ts';
import {
  againOf,
  failureOf,
  isAnswered,
  isReplayed,
  obstacleOf,
  oldTraceOf,
  plainOf,
  shown,
  shows,
  statusOf,
  told,
} from '../reading.ts';
import { because, type Finding, fail, pass, type Rule, skip, warn } from '../rule.ts';

const NOT_REACHED = skip('not reached: an earlier call failed');
/** Nothing is said of a request by an endpoint that answers none. */
const ANSWERS = ['answers', 'messages'];

/** What the HTTP side of an endpoint must do. */
export const ENDPOINT_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'agent',
    demand: 'The agent starts, becomes ready, and is still there at the end.',
    fix: "Look into the agent's own log.",
    judge: ({ problem, wasStarted, readyMs }) => {
      if (problem !== undefined) return because('unknown', problem);
      return pass(wasStarted ? `ready after ${Math.round(readyMs ?? 0)} ms` : 'runs already, and answers');
    },
  },
  {
    id: 'answers',
    demand: 'The target URL answers a POST: one that ends in /replay, or a base URL that answers on /replay or /.',
    fix: 'Mount the route for POST at the path of the target URL, with and without a slash at its end.',
    needs: ['agent'],
    judge: judgeAnswers,
  },
  {
    id: 'json',
    demand: 'It takes application/json, and answers with one JSON object as application/json.',
    fix: 'Read the body as JSON, and answer with `content-type: application/json`.',
    needs: ['answers'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const failure = failureOf(plain);
      const status = statusOf(plain) ?? 0;
      if (status === 415 || failure?.code === 'RESPONSE_NOT_JSON') return fail(...told(plain));
      if (status >= 400) return pass('taken');
      if (!isJsonObject(plain.body)) return fail(`the answer is not an object: ${shown(plain.body).slice(0, 80)}`);
      const type = String(plain.exchanges.at(-1)?.headers['content-type'] ?? 'nothing');
      return /^application\/([\w.+-]+\+)?json\b/i.test(type) ? pass(type) : fail(`the answer is called ${type}`);
    },
  },
  {
    id: 'messages',
    demand: 'It takes `messages`: the recorded conversation, earlier turns included.',
    fix: 'Hand `messages` to what a normal turn is taken by.',
    needs: ['answers'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const status = statusOf(plain) ?? 0;
      // A body in JSON under another name is read all the same.
      if (status === 415 || !isJsonObject(plain.body)) return skip('see json');
      if (status >= 400) return fail(...told(plain));
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
    needs: ANSWERS,
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
    demand: 'Where both are there, `messages` wins over `input`.',
    fix: 'Look at `input` only where there are no `messages`.',
    needs: ANSWERS,
    judge: (evidence) => {
      const calls = evidence.calls.filter(({ request }) => request.input !== undefined && request.messages);
      const traced = calls.filter(({ trace }) => trace !== undefined);
      const told = traced.flatMap(({ trace, asked = '', decoy = '' }) => {
        if (trace === undefined || !shows(trace, decoy)) return [];
        return [`asked "${asked}" in messages and "${decoy}" in input, the agent worked on the latter`];
      });
      if (told[0] !== undefined) return fail(told[0]);
      if (traced.some(({ trace, asked }) => trace && asked && shows(trace, asked))) return pass('input was left alone');
      const bodyAlone = evidence.calls.some(
        (call) => call.carrier === 'body' && call.request.input === undefined && isReplayed(call),
      );
      if (calls.length > 0 && bodyAlone) return refused(calls);
      return traced.length > 0 || evidence.source === 'none'
        ? skip('nothing shows what the agent worked on')
        : skip('no trace of a request with both came');
    },
  },
  {
    id: 'body',
    demand: 'The fields of the body alone are enough to name the replay.',
    fix: 'Read each field from the body, or else from its header.',
    needs: ANSWERS,
    judge: (evidence) => judgeCarrier(evidence, 'body'),
  },
  {
    id: 'headers',
    demand: 'The headers alone are enough to name the replay.',
    fix: 'Where the body has no `svc_replay_run_id` and so on, read `X-Svc-Replay-Run-Id` and the other headers.',
    needs: ANSWERS,
    judge: (evidence) => judgeCarrier(evidence, 'headers'),
  },
  {
    id: 'echo-replay-run-id',
    demand: 'The answer holds `svc_replay_run_id` as it was sent.',
    fix: 'Put the id of the request into the answer, unchanged.',
    needs: ANSWERS,
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const said = answeredWith(plain, evidence.names.keys.replayRunId);
      return said === plain.replayRunId ? pass('echoed') : fail(`sent ${plain.replayRunId}, answered ${shown(said)}`);
    },
  },
  {
    id: 'echo-session-id',
    demand: 'The answer holds `session_id`, the one of the trace.',
    fix: 'Answer with the `session_id` that the turn has in its trace, as text.',
    needs: ANSWERS,
    judge: (evidence) => judgeEcho(plainOf(evidence), 'session_id'),
  },
  {
    id: 'echo-run-id',
    demand: 'The answer holds `run_id`, the one of the trace.',
    fix: 'Answer with the `run_id` that the turn has in its trace, as text.',
    needs: ANSWERS,
    judge: (evidence) => judgeEcho(plainOf(evidence), 'run_id'),
  },
  {
    id: 'output',
    demand: "The answer holds the assistant's response as `output`, or under another usual name.",
    fix: 'Answer with `output`, or set `outputPointer` to where it is.',
    needs: ANSWERS,
    judge: (evidence) => {
      const { outcome } = plainOf(evidence);
      if (outcome.kind === 'replayed' && outcome.response?.output !== undefined) return pass('there');
      const isOnly = evidence.source === 'none';
      const isMissing =
        outcome.kind === 'replayed' || outcome.error.evidence.some((line) => /^(?!body:).*\boutput\b/.test(line));
      if (!isMissing) return skip('the replay came to nothing');
      const finding = isOnly ? fail : warn;
      return finding('the output is under no usual name');
    },
  },
  {
    id: 'repeat',
    demand: 'The same payload can be sent again and again, and is worked on anew each time.',
    fix: 'Keep nothing between replays: no cache of answers, no session that is used up.',
    needs: ANSWERS,
    judge: (evidence) => {
      const again = againOf(evidence);
      if (again === undefined) return NOT_REACHED;
      if (oldTraceOf(evidence) !== undefined) return skip('see new-trace');
      const obstacle = obstacleOf(again);
      if (obstacle !== undefined) return because('unknown', obstacle);
      return isReplayed(again) ? pass(`${evidence.calls.length} calls in a row`) : fail(...told(again));
    },
  },
  {
    id: 'side-by-side',
    demand: 'Replays at the same time do not meet.',
    fix: 'Keep what belongs to a request out of globals: hand it on, or use AsyncLocalStorage.',
    needs: [...ANSWERS, 'repeat'],
    judge: judgeSideBySide,
  },
  {
    id: 'errors',
    demand:
      'What went wrong has a status that says so: a request with nothing to work on is refused, and no failed turn is a 200.',
    fix: 'Answer 400 to a request without messages and input, and 500 to a turn that failed.',
    needs: ANSWERS,
    judge: ({ calls }) => {
      const failed = calls.find((call) => isAnswered(call) && errorIn(call) !== undefined);
      if (failed !== undefined)
        return fail(`call ${failed.number} was answered ${statusOf(failed)}, and failed: ${errorIn(failed)}`);
      const unusable = calls.find(({ asked }) => asked === undefined);
      const status = unusable && statusOf(unusable);
      if (unusable === undefined || status === undefined) return NOT_REACHED;
      if (status >= 400) return pass(`${status} where there is nothing to work on`);
      return fail(
        `neither messages nor input was sent, and the answer was ${status}: ${shown(unusable.body).slice(0, 120)}`,
      );
    },
  },
];

function judgeAnswers(evidence: AgentEvidence): Finding {
  const plain = plainOf(evidence);
  const failure = failureOf(plain);
  const obstacle = obstacleOf(plain);
  if (obstacle !== undefined) return because('unknown', obstacle);
  const status = statusOf(plain);
  const paths = plain.exchanges.map(({ path, status }) => `${status ?? 'nothing'} at ${path.replace(/\?.*/, '')}`);
  if (failure?.code === 'RESPONSE_REDIRECT') return because('fail', failure);
  if (status === 404 || status === 405 || status === 410 || (status ?? 500) >= 500) {
    return { ...fail(...paths, ...told(plain)), fix: failure?.hint };
  }
  const type = String(plain.exchanges.at(-1)?.headers['content-type'] ?? '');
  // Somebody's page, and not an endpoint that has a fault.
  if (failure?.code === 'RESPONSE_NOT_JSON' && /html/i.test(type)) return because('unknown', failure);
  return pass(paths.join(', then '));
}

/** None of these calls was answered as it should be. */
function refused(calls: readonly Call[]): Finding {
  const last = calls.at(-1);
  if (last === undefined) return NOT_REACHED;
  const obstacle = obstacleOf(last);
  return obstacle === undefined ? fail(...told(last)) : because('unknown', obstacle);
}

function judgeCarrier(evidence: AgentEvidence, carrier: 'body' | 'headers'): Finding {
  const calls = evidence.calls.filter((call) => call.carrier === carrier && call.asked !== undefined);
  const last = calls.at(-1);
  if (last === undefined) return NOT_REACHED;
  if (evidence.source === 'none') return judgeCarrierByEcho(evidence, calls);
  const replayed = calls.find(isReplayed);
  if (replayed !== undefined) return pass(`the trace of call ${replayed.number} carries its id`);
  const obstacle = obstacleOf(last);
  if (obstacle !== undefined) return because('unknown', obstacle);
  if (calls.some(isAnswered)) return fail(`call ${last.number} was answered, and no trace with its id came`);
  const isTakenOtherwise = evidence.calls.some(
    (call) => call.carrier === 'both' && isReplayed(call) && hasSameForm(call, last),
  );
  return isTakenOtherwise ? fail(...told(last)) : skip('such a request is refused, however its ids come');
}

function judgeCarrierByEcho({ calls: all, names }: AgentEvidence, calls: readonly Call[]): Finding {
  const isEchoed = (call: Call) => answeredWith(call, names.keys.replayRunId) === call.replayRunId;
  if (calls.some(isEchoed)) return pass('the id was echoed');
  const isUsual = all.some((call) => call.carrier === 'both' && isEchoed(call));
  return isUsual && calls.some(isAnswered)
    ? fail('the id was not echoed, as it is when it comes both ways')
    : skip('without traces, only an echoed id shows it');
}

function hasSameForm({ request: a }: Call, { request: b }: Call): boolean {
  return (
    (a.messages === undefined) === (b.messages === undefined) && (a.input === undefined) === (b.input === undefined)
  );
}

function judgeEcho(plain: Call, key: 'session_id' | 'run_id'): Finding {
  const said = answeredWith(plain, key);
  const traced = plain.trace?.metadata[key] ?? (key === 'session_id' ? plain.trace?.sessionId : undefined);
  if (said === undefined || said === null) {
    if (traced === undefined && plain.trace !== undefined) return skip('the trace has none either');
    return plain.trace === undefined
      ? warn('the answer has none')
      : fail(`the trace says ${shown(traced)}, the answer nothing`);
  }
  if (typeof said === 'boolean' || typeof said === 'object')
    return fail(`the answer says ${shown(said)}, which is no id`);
  if (traced !== undefined && asText(traced) !== asText(said)) {
    return fail(`the trace says ${shown(traced)}, the answer ${shown(said)}`);
  }
  return pass(String(said));
}

function answeredWith({ body }: Call, key: string): Json | undefined {
  return isJsonObject(body) && Object.hasOwn(body, key) ? body[key] : undefined;
}

function judgeSideBySide({ calls }: AgentEvidence): Finding {
  const together = calls.filter(({ isTogether }) => isTogether);
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
  // Alone it went well: sent after them, for this.
  const isFineAlone = calls.some(
    (call) => !call.isTogether && isReplayed(call) && hasSameForm(call, one) && call.carrier === 'body',
  );
  return isFineAlone || lost.length < together.length
    ? fail(...lost.flatMap(told))
    : skip('such a request fails by itself too');
}

/** What the trace of a call says went wrong with the turn as a whole. */
function errorIn({ trace }: Call): string | undefined {
  const root = trace?.observations.find(({ parentId, level }) => parentId === null && level === 'ERROR');
  return root && (root.statusMessage ?? `${root.type} "${root.name}"`);
}
