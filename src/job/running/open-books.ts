import path from 'node:path';
import { type Config, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { JOURNAL_FILE } from '../journal/journal-file.ts';
import { journalHeader } from '../journal/journal-format.ts';
import type { BooksOptions, Forbidding } from '../judging/books.ts';
import { BooksApart } from '../judging/books-apart.ts';
import { type Finding, withForbidden } from '../judging/finding.ts';
import { settingsOf } from '../judging/run-settings.ts';
import type { Concluding, Conductor } from './conductor.ts';
import { scopeOf } from './plan.ts';
import type { RunPlan } from './shard.ts';

/** How long a cancelled run waits for pending comparisons: CI gives 7.5 s for everything. */
const CANCELLED_PATIENCE_MS = 2_000;
/** The same after `timeouts.total`: replays that finished in time are still reported. */
const LATE_PATIENCE_MS = 5_000;

export interface BooksMeans
  extends Pick<Concluding, 'about' | 'signal'>,
    Pick<BooksOptions, 'isOnDemand' | 'isFollowed'> {
  readonly conductor: Conductor;
  /** Aborted when the time of the whole run is over. */
  readonly late: AbortSignal;
  /** Everything is judged by this configuration. Default: the conductor's own. */
  readonly config?: Config | undefined;
  /** Number of turns judged by shift in the whole project, if the plan is one session of it. */
  readonly turns?: number | undefined;
  /** Folder of the journal. */
  readonly journalIn?: string | undefined;
  /** The parent of `traces`, the folder of the distinct behaviours. */
  readonly tracesIn?: string | undefined;
}

/** Opens the books of a plan: journal, behaviours and comparison, in the conductor's thread. */
export function openBooks(plan: RunPlan, means: BooksMeans): BooksApart {
  const { conductor, about, late, signal, config = conductor.config, turns, journalIn, tracesIn } = means;
  const { isOnDemand, isFollowed } = means;
  const { root, runs, gate, failOn, tracing, prices, compare, language } = conductor.config;
  const settings = settingsOf(config);
  const hasFunctions = compare.forbid.some((rule) => typeof rule === 'function');
  return new BooksApart(conductor.thread, {
    settings,
    scope: scopeOf(plan),
    part: { isPart: plan.part !== undefined, turns },
    header: journalHeader(about, settings, plan),
    // Functions cannot be sent to the thread as JSON, so this thread calls them.
    config: { root, runs, gate, failOn, tracing, prices, compare: settings.compare, language },
    isOnDemand,
    isFollowed,
    ...(journalIn !== undefined && { journal: path.join(journalIn, JOURNAL_FILE) }),
    ...(tracesIn !== undefined && { traces: path.join(tracesIn, 'traces') }),
    limits: [
      { signal: late, patienceMs: LATE_PATIENCE_MS },
      ...(signal ? [{ signal, patienceMs: CANCELLED_PATIENCE_MS }] : []),
    ],
    ...(hasFunctions && { forbidding: asking(plan, conductor) }),
    onNotWritten: once((error) => conductor.tell({ kind: 'not-written', error })),
    redact: conductor.redaction.text,
  });
}

/** Asks the user's functions about a replay. They can only run in this thread. */
function asking(plan: RunPlan, { config, redaction }: Conductor): (finding: Finding) => Forbidding {
  const sessions = new Map(plan.sessions.map((session) => [session.pin.session.id, session]));
  return (finding) => {
    const session = sessions.get(finding.session);
    if (session === undefined) return {};
    const own = withOwn(config, session.own);
    const { forbidden, outcome } = withForbidden(finding, session.pin, redaction.text, own);
    return outcome.kind === 'inconclusive' ? { outcome } : { forbidden };
  };
}

/** Tells only the first failure: a full disk refuses every later write too, and the results do not depend on it. */
function once(tell: (error: AgentReplayError) => void): (error: AgentReplayError) => void {
  let isTold = false;
  return (error) => {
    if (!isTold) tell(error);
    isTold = true;
  };
}
