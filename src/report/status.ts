import { EXIT } from '../exit.ts';
import { messageOf, titleOf } from './run-words.ts';
import type { InterruptedBy, Status } from './schema.ts';
import { type Counts, countStandings, divergedIn, type GateInput } from './standings.ts';

export interface Gate {
  readonly status: Status;
  /** One line, made of counts and fixed words only. */
  readonly title: string;
  readonly message: string;
  readonly exitCode: number;
}

/** Decides on a whole run. Pure. Diverged and could-not-tell are never mixed, and doubt never passes. */
export function gate(given: GateInput): Gate {
  const {
    sessions,
    problems,
    compared = [],
    shift,
    base,
    cost,
    drift = [],
    untold = 0,
    allowEmpty = false,
    interruptedBy,
    offline,
  } = given;
  const count = {
    ...countStandings(sessions, untold, base),
    isNoneMeant: allowEmpty && sessions.length + untold === 0,
    /** Agents whose sessions have shifted when taken together. */
    suites: shift?.suites.filter(({ state }) => state === 'shifted').length ?? 0,
    blame: base?.blame ?? null,
    /** Sessions, and agents with all of theirs. */
    dearer: [...(cost?.suites ?? []), ...(cost?.sessions ?? [])].filter(({ state }) => state === 'changed').length,
    drifted: drift.filter(({ isAlarm }) => isAlarm).length,
    fails: cost?.fails === true || drift.some((each) => each.fails),
  };
  const status = statusOf(count, problems.length, interruptedBy);
  return {
    status,
    title: titleOf(status, count, problems),
    message: messageOf(status, count, { sessions, compared, base, drift, offline }),
    exitCode: exitCodeOf(status, interruptedBy),
  };
}

/** The gate of a report. Its verdicts decide, not the status written in the file. */
export function gateOf({
  results,
  evidence: { interruptedBy, offline },
}: {
  readonly results: Omit<GateInput, 'interruptedBy' | 'offline'>;
  readonly evidence: Pick<GateInput, 'interruptedBy' | 'offline'>;
}): Gate {
  return gate({ ...results, interruptedBy, offline });
}

function statusOf(count: Counts, problems: number, interruptedBy: InterruptedBy | undefined): Status {
  if (interruptedBy !== undefined) return 'interrupted';
  if (divergedIn(count) + count.suites > 0 || count.fails) return 'failed';
  const isUntried = count.verified === 0 && !count.isNoneMeant;
  return count.doubtful + count.unread > 0 || problems > 0 || isUntried ? 'error' : 'passed';
}

/** 0 passed, 1 diverged, 2 could not tell; 129, 130 or 143 if a signal interrupted the run. */
export function exitCodeOf(status: Status, interruptedBy: InterruptedBy | undefined): number {
  if (status === 'interrupted') return interruptedBy === 'unknown' ? EXIT.error : EXIT[interruptedBy ?? 'SIGINT'];
  return { passed: EXIT.passed, failed: EXIT.diverged, error: EXIT.error }[status];
}
