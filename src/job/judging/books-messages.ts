import { AgentReplayError } from '../../errors.ts';
import { parseJson } from '../../json/index.ts';
import type { FurtherRuns, ReplayResult } from '../../replay/index.ts';
import { type Problem, type Report, toProblem } from '../../report/index.ts';
import type { Remark } from '../journal/journal-format.ts';
import { errorOf } from '../journal/read-journal.ts';
import type { BooksOptions, Ended, Forbidding, SidedCall, Taken } from './books.ts';
import type { Finding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import type { Concluded } from './ledger.ts';
import type { ReplayAlone } from './replay-alone.ts';
import type { ReplayedSession } from './replayed-session.ts';
import type { RunScope } from './run-scope.ts';
import type { RunFailure } from './session-progress.ts';

// Messages between books and their thread, as JSON text like in a journal, because only text keeps every digit of a number.

/** Questions to the books by method name, and their answers. */
export interface Talk {
  /** Answers whether any session is judged by shift. */
  open: { given: BooksOptions; answer: boolean };
  note: { given: { result: ReplayResult; side?: Finding['side'] }; answer: Finding | undefined };
  take: { given: { call: SidedCall; said?: Forbidding | undefined }; answer: Taken };
  reopen: {
    given: { calls: readonly SidedCall[]; said: readonly (Forbidding | undefined)[] };
    answer: readonly ReplayAlone[];
  };
  secondLooks: { given: readonly string[]; answer: readonly FurtherRuns[] };
  isInDoubt: { given: null; answer: boolean };
  fail: { given: { error: AgentReplayError; sessions: readonly string[] }; answer: undefined };
  remark: { given: Remark; answer: undefined };
  close: { given: { reason?: AgentReplayError | undefined }; answer: undefined };
  questions: { given: null; answer: readonly JudgeTexts[] };
  judge: { given: readonly Judged[]; answer: undefined };
  report: { given: Ended; answer: Report };
  replayed: { given: { accepting: boolean }; answer: ReplayedSession };
  /** After this the journal is on the disk. */
  end: { given: null; answer: undefined };
}

export interface Asked {
  /** Number of the books that are asked. */
  readonly books: number;
  readonly to: keyof Talk;
  /** JSON. */
  readonly given: string;
}

/** What else the thread is told: a further secret, or the number of books that nobody waits for any more. */
export type ThreadNews = { readonly secret: string } | { readonly givenUp: number };

/** An answer, and the state of the sessions that it concerns. */
export interface Answered {
  /** JSON; undefined if there is nothing to say. */
  readonly value?: string | undefined;
  readonly error?: Problem | undefined;
  /** A failure to write an output meanwhile, with the system's code, so that a full disk is reported once. */
  readonly notWritten?: { readonly problem: Problem; readonly code: string | undefined } | undefined;
  readonly sessions: readonly {
    readonly id: string;
    readonly isOver: boolean;
    /** {@link Concluded} as JSON, if it was computed again: kept in case the thread is abandoned. */
    readonly concluded?: string | undefined;
  }[];
}

export function toText(value: unknown): string {
  return JSON.stringify(value, (_, each) => (each instanceof AgentReplayError ? { [ERROR]: toProblem(each) } : each));
}

export function fromText<T>(text: string): T {
  return parseJson(text) as T;
}

/** No JSON from outside has it as its only key. */
const ERROR = '\0error';

export function revived(error: object): AgentReplayError {
  return errorOf((error as { [ERROR]: Problem })[ERROR]);
}

/** A finding, or what was said about one, with its errors restored. */
export function findingIn<Any extends Partial<Finding>>({ outcome, callError, warnings, ...rest }: Any): Any {
  return {
    ...rest,
    ...(callError && { callError: revived(callError) }),
    ...(warnings && { warnings: warnings.map(revived) }),
    ...(outcome && {
      outcome: outcome.kind === 'inconclusive' ? { ...outcome, error: revived(outcome.error) } : outcome,
    }),
  } as Any;
}

export function resultIn({ outcome, callError, replaced, ...rest }: ReplayResult): ReplayResult {
  return {
    ...rest,
    ...(callError && { callError: revived(callError) }),
    ...(replaced && { replaced: replaced.map(resultIn) }),
    outcome: outcome.kind === 'inconclusive' ? { ...outcome, error: revived(outcome.error) } : outcome,
  };
}

export function concludedIn(text: string): Concluded {
  const { outcome, runs } = fromText<Concluded>(text);
  const failureIn = ({ run, error }: RunFailure) => ({ run, error: revived(error) });
  const turns = outcome.turns.map(({ failures, warnings = [], ...turn }) => {
    return { ...turn, failures: failures.map(failureIn), warnings: warnings.map(failureIn) };
  });
  return { outcome: { ...outcome, turns, problems: outcome.problems.map(revived) }, runs };
}

export function scopeIn(scope: RunScope): RunScope {
  return {
    ...scope,
    problems: scope.problems.map(revived),
    sessions: scope.sessions.map((session) => ({ ...session, problems: session.problems.map(revived) })),
  };
}
