import type { RunResult } from '../../src/dashboard/index.ts';
import { Verdict } from '../parts/verdict.tsx';

/** What came of a run, in a word or two. One that was cancelled says nothing of the agent. */
export function Outcome({ result: { cancelled, report } }: { result: RunResult }) {
  const [session] = report.sessions;
  if (cancelled !== undefined) {
    return (
      <span class="badge">
        <span aria-hidden="true">■</span> cancelled, {cancelled.came} of {cancelled.total} finished
      </span>
    );
  }
  return session === undefined ? null : <Verdict verdict={session.verdict} sign={session.sign} word={session.word} />;
}
