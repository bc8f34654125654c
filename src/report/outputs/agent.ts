import type { Report } from '../schema.ts';
import { exitCodeOf } from '../status.ts';
import { agentLine, agentLines, NEXT } from '../words/agent-lines.ts';
import { costLines } from '../words/cost-words.ts';

/** The report for a coding agent: {@link agentLines}, and a last line for the run. */
export function renderAgent(report: Report, placesOf: Parameters<typeof agentLines>[1]): string {
  const { results, evidence } = report;
  const cost = costLines(results);
  const run = {
    status: results.status,
    exitCode: exitCodeOf(results.status, evidence.interruptedBy),
    title: results.title,
    ...(cost.length > 0 && { cost }),
    next: results.status === 'failed' ? NEXT : results.message,
  };
  return [...agentLines(report, placesOf), agentLine(run)].map((line) => `${line}\n`).join('');
}
