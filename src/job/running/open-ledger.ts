import path from 'node:path';
import { type Config, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { type Finding, withForbidden } from '../judging/finding.ts';
import { PlacedLedger } from '../ledger/placed-ledger.ts';
import type { RunLedgerOptions } from '../ledger/run-ledger.ts';
import { JOURNAL_FILE } from '../records/journal-file.ts';
import { settingsOf } from '../records/run-settings.ts';
import type { Concluding, Conductor } from './conductor.ts';
import { journalHeader } from './journal-header.ts';
import { type RunPlan, scopeOf } from './plan.ts';

/** How long a cancelled run waits for pending comparisons: CI gives 7.5 s for everything. */
const CANCELLED_PATIENCE_MS = 2_000;
/** The same after `timeouts.total`: replays that finished in time are still reported. */
const LATE_PATIENCE_MS = 5_000;

interface LedgerMeans extends Pick<Concluding, 'about' | 'signal'>, Pick<RunLedgerOptions, 'isOnDemand'> {
  readonly conductor: Conductor;
  /** Aborted when the time of the whole run is over. */
  readonly late: AbortSignal;
  /** Everything is judged by this configuration. Default: the conductor's own. */
  readonly config?: Config;
  /** Number of turns judged by shift in the whole project, if the plan is one session of it. */
  readonly turns?: number;
  readonly journalIn?: string;
  /** The journal there holds the beginning of this run. */
  readonly goesOn?: boolean;
  /** The parent of `traces`, the folder of the distinct behaviours. */
  readonly tracesIn?: string;
}

/** Opens the ledger of a plan, with its journal and its files of behaviours. */
export function openLedger(plan: RunPlan, means: LedgerMeans): Promise<PlacedLedger> {
  const { conductor, about, late, signal, config = conductor.config, turns, journalIn, tracesIn } = means;
  const { isOnDemand, goesOn } = means;
  const { root, runs, looks, gate, failOn, tracing, prices, compare, language, offline } = conductor.config;
  const settings = settingsOf(config);
  const hasFunctions = compare.forbid.some((rule) => typeof rule === 'function');
  return PlacedLedger.open({
    run: {
      settings,
      scope: scopeOf(plan),
      part: {
        saysSeen: true,
        counted: turns,
        ...(plan.part && { isPart: true, planned: plan.part.tested }),
        ...(conductor.config.lastLook && { lastLook: plan.part?.lastLook }),
      },
      header: journalHeader(about, settings, plan),
      // Functions cannot be sent to another thread, so this thread calls them.
      config: { root, runs, looks, gate, failOn, tracing, prices, compare: settings.compare, language, offline },
      isOnDemand,
      ...(tracesIn !== undefined && { traces: path.join(tracesIn, 'traces') }),
    },
    ...(journalIn !== undefined && { journal: path.join(journalIn, JOURNAL_FILE) }),
    goesOn,
    limits: [
      { signal: late, patienceMs: LATE_PATIENCE_MS },
      ...(signal ? [{ signal, patienceMs: CANCELLED_PATIENCE_MS }] : []),
    ],
    ...(hasFunctions && { forbidding: forbidding(plan, conductor) }),
    onNotWritten: once((error) => conductor.tell({ kind: 'not-written', error })),
    redaction: conductor.redaction,
    thread: () => conductor.thread,
  });
}

/** Asks the user's functions about a replay. */
function forbidding(plan: RunPlan, { config, redaction }: Conductor): (finding: Finding) => Finding {
  const sessions = new Map(plan.sessions.map((session) => [session.pin.session.id, session]));
  return (finding) => {
    const session = sessions.get(finding.session);
    return session === undefined
      ? finding
      : withForbidden(finding, session.pin, redaction.text, withOwn(config, session.own));
  };
}

/** A full disk refuses every later write too, and the results do not depend on it. */
function once(tell: (error: AgentReplayError) => void): (error: AgentReplayError) => void {
  let isTold = false;
  return (error) => {
    if (!isTold) tell(error);
    isTold = true;
  };
}
