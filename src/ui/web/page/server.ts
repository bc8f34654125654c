import type { Problem } from '../../../report/index.ts';
import { dataIn } from '../parts/traces.tsx';

const TOKEN = 'agent-replay token';
/** Interval of requests while something runs. A stream would hold one of each tab's six connections. */
export const ASKED_MS = 1_000;

/** Keeps the token that the page was opened with, for this address only, and removes it from the address bar. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(TOKEN, token);
  history.replaceState(null, '', location.pathname + location.search);
}

/** Why something failed, in the server's words. */
class Failure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Failure) return error.problem;
  return {
    code: 'GONE',
    message: 'The page has lost its server.',
    evidence: [error instanceof Error ? error.message : String(error)],
    hint: 'Start `agent-replay ui` again, and open the address that it prints.',
  };
}

interface Asking {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** @throws Failure, and errors of fetch if the server is gone */
export async function ask<T>(path: string, { method = 'GET', query = {}, body, signal }: Asking = {}): Promise<T> {
  const response = await fetch(`${path}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      authorization: `Bearer ${localStorage.getItem(TOKEN) ?? ''}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = dataIn(await response.text());
  if (isProblem(answer)) throw new Failure(answer.problem);
  return answer as T;
}

/** Asks again and again for what is under way. */
export async function* watch<T>(path: string, asking: Asking): AsyncGenerator<T> {
  for (;;) {
    yield await ask<T>(path, asking);
    await new Promise((resolve) => setTimeout(resolve, ASKED_MS));
  }
}

function isProblem(answer: unknown): answer is { problem: Problem } {
  return typeof answer === 'object' && answer !== null && 'problem' in answer;
}
