import path from 'node:path';
import { secretsOf, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { JOURNAL_FILE } from '../journal/journal-file.ts';
import { journalHeader } from '../journal/journal-format.ts';
import type { Forbidding } from '../judging/books.ts';
import { BooksApart } from '../judging/books-apart.ts';
import { type Finding, withForbidden } from '../judging/finding.ts';
import { settingsOf } from '../judging/run-settings.ts';
import type { RunAbout } from './about.ts';
import type { Conductor } from './conductor.ts';
import type { JobOptions } from './job-events.ts';
import { scopeOf } from './plan.ts';
import type { RunPlan } from './shard.ts';

/** How long a cancelled run waits for pending comparisons: CI gives 7.5 s for everything. */
const CANCELLED_PATIENCE_MS = 2_000;
/** The same after `timeouts.total`: replays that finished in time are still reported. */
const LATE_PATIENCE_MS = 5_000;

export interface JobBooksMeans {
  readonly conductor: Conductor;
  /** Aborted when the time of the whole run is over. */
  readonly late: AbortSignal;
  readonly options: JobOptions;
}

/** Opens the books of a whole job: journal, behaviours and comparison, in a thread of their own. */
export function openJobBooks(plan: RunPlan, about: RunAbout, { conductor, late, options }: JobBooksMeans): BooksApart {
  const { config, redaction } = conductor;
  const { outputDir, signal, secrets } = options;
  const { runs, gate, failOn, tracing, prices, compare } = config;
  const settings = settingsOf(config);
  const hasFunctions = compare.forbid.some((rule) => typeof rule === 'function');
  return new BooksApart({
    settings,
    scope: scopeOf(plan),
    part: { isPart: plan.part !== undefined },
    header: journalHeader(about, settings, plan),
    // Functions cannot be sent to the thread as JSON, so this thread calls them.
    config: { runs, gate, failOn, tracing, prices, compare: settings.compare },
    secrets: secretsOf(config, process.env, secrets),
    ...(outputDir !== undefined && {
      journal: path.join(outputDir, JOURNAL_FILE),
      traces: path.join(outputDir, 'traces'),
    }),
    limits: [
      { signal: late, patienceMs: LATE_PATIENCE_MS },
      ...(signal ? [{ signal, patienceMs: CANCELLED_PATIENCE_MS }] : []),
    ],
    ...(hasFunctions && { forbidding: asking(plan, conductor) }),
    onNotWritten: once((error) => conductor.tell({ kind: 'not-written', error })),
    redact: redaction.text,
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
