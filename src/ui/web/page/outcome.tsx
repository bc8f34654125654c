import type { RunResult } from '../../index.ts';
import { Verdict } from '../parts/verdict.tsx';

/** The result of a run, in a word or two. A cancelled one says nothing about the agent. */
export function Outcome({ result: { cancelled, report } }: { result: RunResult }) {
  const [session] = report.sessions;
  if (cancelled !== undefined) {
    return (
      <span class="badge">
        <span aria-hidden="true">■</span> cancelled, {cancelled.came} of {cancelled.total} finished
      </span>
    );
  }
  return session === undefined ? null : <Verdict {...session} />;
}
