import type { KnownBy } from '../../agent/index.ts';
import { isJsonObject } from '../../json/index.ts';
import type { AgentEvidence } from '../evidence/evidence.ts';
import { callLines, failureOf, obstacleOf, plainOf, shortJson, statusOf } from '../evidence/reading.ts';
import { because, fail, pass, type Rule, type RuleResult } from '../evidence/rule.ts';

/** Rules: there is an endpoint, and it speaks JSON. */
export const REACH_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'agent',
    demand: 'The agent starts, becomes ready, and is still there at the end.',
    fix: "Read the agent's own log.",
    judge: ({ problem, wasStarted, readyMs, knownBy = 'said' }) => {
      if (problem !== undefined) return because('unknown', problem);
      if (!wasStarted) return pass('runs already, and answers');
      return pass(`ready after ${Math.round(readyMs ?? 0)} ms`, KNOWN_BY[knownBy]);
    },
  },
  {
    id: 'answers',
    demand: 'The target URL answers a POST, or a base URL does so on /replay or /.',
    fix: 'Mount the route for POST at the path of the target URL, with and without a slash at its end.',
    needs: ['agent'],
    judge: judgeAnswers,
  },
  {
    id: 'json',
    demand: 'It takes JSON, and answers with one JSON object as application/json.',
    fix: 'Read the body as JSON, and answer with `content-type: application/json`.',
    needs: ['answers'],
    judge: (evidence) => {
      const plain = plainOf(evidence);
      const failure = failureOf(plain);
      const status = statusOf(plain) ?? 0;
      if (status === 415 || failure?.code === 'RESPONSE_NOT_JSON') return fail(...callLines(plain));
      if (status >= 400) return pass('taken');
      if (!isJsonObject(plain.body)) return fail(`the answer is not an object: ${shortJson(plain.body).slice(0, 80)}`);
      const type = String(plain.exchanges.at(-1)?.headers['content-type'] ?? 'nothing');
      return /^application\/([\w.+-]+\+)?json\b/i.test(type) ? pass(type) : fail(`the answer is called ${type}`);
    },
  },
];

/** Whether a stranger on the agent's port would be noticed, and how. */
const KNOWN_BY: Readonly<Record<KnownBy, string>> = {
  listener: 'a process of it is seen to listen on its port',
  proof: 'it cannot be seen who listens on its port; its replay endpoint proves that this run started it',
  life: 'it cannot be seen who listens on its port, and its replay endpoint proves nothing; it counts as ready while its process lives',
  said: 'not checked who answers: it is external, on another machine or was running before',
};

function judgeAnswers(evidence: AgentEvidence): RuleResult {
  const plain = plainOf(evidence);
  const failure = failureOf(plain);
  const obstacle = obstacleOf(plain);
  if (obstacle !== undefined) return because('unknown', obstacle);
  const status = statusOf(plain);
  const paths = plain.exchanges.map(({ path, status }) => `${status ?? 'nothing'} at ${path.replace(/\?.*/, '')}`);
  if (failure?.code === 'RESPONSE_REDIRECT') return because('fail', failure);
  if (status === 404 || status === 405 || status === 410 || (status ?? 500) >= 500) {
    return { ...fail(...paths, ...callLines(plain)), fix: failure?.hint };
  }
  const type = String(plain.exchanges.at(-1)?.headers['content-type'] ?? '');
  // A web page, not a faulty endpoint.
  if (failure?.code === 'RESPONSE_NOT_JSON' && /html/i.test(type)) return because('unknown', failure);
  return pass(paths.join(', then '));
}
