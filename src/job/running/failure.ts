import { asAgentReplayError } from '../../errors.ts';
import { Redaction } from '../../redaction/index.ts';
import { buildReport, gatePolicy, type Report, redactReport } from '../../report/index.ts';
import { VERSION } from '../../version.ts';
import { revisionOf } from './revision.ts';

interface FailureOptions {
  /** Folder of the project, to read commit and branch from. */
  readonly root: string;
  readonly command: string;
  readonly secrets: readonly string[];
}

/** The report of a run that failed before anything was replayed. Its one problem is the thrown error. */
export async function reportOfFailure(thrown: unknown, { root, command, secrets }: FailureOptions): Promise<Report> {
  const parts = {
    sessions: [],
    problems: [asAgentReplayError(thrown)],
    runs: 1,
    strictness: 'behaviour',
    compared: [],
    evidence: {
      tool: { name: 'agent-replay' as const, version: VERSION },
      startedAt: new Date().toISOString(),
      durationMs: 0,
      ...(await revisionOf(root, process.env)),
      command,
      traceSource: '',
      usage: { calls: 0, retries: 0, inputTokens: null, outputTokens: null, cost: null },
      agentLog: [],
      runs: [],
      environment: { node: process.version, platform: `${process.platform} ${process.arch}` },
    },
  };
  return redactReport(buildReport(parts, gatePolicy.parse({})), new Redaction(secrets).text);
}
