import { AgentReplayError } from '../../errors.ts';
import { parseJson } from '../../json/index.ts';
import { type Problem, toProblem } from '../../report/index.ts';
import { errorOf } from '../journal/read-journal.ts';
import type { Finding } from './finding.ts';
import type { LedgerPart } from './ledger.ts';
import type { RunScope } from './run-scope.ts';

// What a ledger and its thread say to each other. It is JSON as text, as in a journal: only so does a number that is
// kept to the digit stay what it is.

/** What a ledger is asked, by the name of its method. */
export type Asked =
  | { readonly do: 'open'; readonly settings: string; readonly scope: string; readonly part: LedgerPart }
  | { readonly do: 'take'; readonly finding: string }
  | {
      readonly do: 'reopen';
      readonly session: string;
      readonly before: string;
      readonly after: string;
      readonly side?: 'base' | undefined;
    }
  | { readonly do: 'secondLooks'; readonly sessions: readonly string[] }
  | { readonly do: 'isInDoubt' | 'questions' }
  | { readonly do: 'close' | 'report'; readonly given: string }
  | { readonly do: 'fail' | 'traced' | 'log' | 'against' | 'withoutBase' | 'judge'; readonly given: string };

/** What it answers, and whether the sessions that it was about are over then. */
export interface Answered {
  /** JSON; undefined when there is nothing to be said. */
  readonly value?: string | undefined;
  readonly error?: Problem | undefined;
  readonly sessions: readonly (readonly [id: string, isOver: boolean])[];
}

/** A finding, or several, as text. */
export function written(value: unknown): string {
  return JSON.stringify(value, (_, each) => (each instanceof AgentReplayError ? { [ERROR]: toProblem(each) } : each));
}

/** No JSON that comes from outside has it as its only key. */
const ERROR = '\0error';

/** A finding whose errors are errors again. */
export function findingIn({ outcome, callError, warnings, ...rest }: Finding): Finding {
  return {
    ...rest,
    ...(callError && { callError: revived(callError) }),
    ...(warnings && { warnings: warnings.map(revived) }),
    outcome: outcome.kind === 'inconclusive' ? { ...outcome, error: revived(outcome.error) } : outcome,
  };
}

export function scopeIn(scope: RunScope): RunScope {
  return {
    ...scope,
    problems: scope.problems.map(revived),
    sessions: scope.sessions.map((session) => ({ ...session, problems: session.problems.map(revived) })),
  };
}

export function revived(error: object): AgentReplayError {
  return errorOf((error as { [ERROR]: Problem })[ERROR]);
}

export function read<T>(text: string): T {
  return parseJson(text) as T;
}
