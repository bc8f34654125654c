import { type Report, toProblem } from '../../report/index.ts';
import type { Finding } from './finding.ts';

/** The report's facts about one replay besides its behaviour: ids, times, attempts. */
export type RunEvidence = Report['evidence']['runs'][number];

export function runEvidenceOf(finding: Finding): RunEvidence {
  const {
    session,
    turn,
    run,
    outcome,
    replayRunId,
    traceId,
    attempts,
    status,
    callMs,
    traceMs,
    late,
    replaced,
    tools,
  } = finding;
  const failure = outcome.kind === 'inconclusive' ? outcome.error : finding.callError;
  const error = failure && toProblem(failure);
  return {
    session,
    turn,
    run,
    replayRunId,
    ...(traceId === undefined ? {} : { traceId }),
    attempts,
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(callMs === undefined ? {} : { callMs }),
    ...(traceMs === undefined ? {} : { traceMs }),
    outcome: outcome.kind,
    ...(tools && { tools }),
    ...(late && { late }),
    ...(replaced && { replaced: replaced.map(({ usage: _, ...each }) => each) }),
  };
}
