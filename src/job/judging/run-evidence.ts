import { type Report, toProblem } from '../../report/index.ts';
import type { Finding } from './finding.ts';

/** Facts about one replay besides its behaviour. */
export type RunEvidence = Report['evidence']['runs'][number];

export function runEvidenceOf(finding: Finding): RunEvidence {
  const { session, turn, run, replayRunId, traceId, attempts, status, callMs, traceMs } = finding;
  const { outcome, callError, tools, late, ended, replaced } = finding;
  const failure = outcome.kind === 'unverified' ? outcome.error : callError;
  const error = failure && toProblem(failure);
  return {
    session,
    turn,
    run,
    replayRunId,
    traceId,
    attempts,
    status,
    error: error && { code: error.code, message: error.message },
    callMs,
    traceMs,
    outcome: outcome.kind,
    tools,
    late,
    ended,
    replaced: replaced?.map(({ usage: _, ...each }) => each),
  };
}
