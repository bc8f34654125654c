import type { Step } from '../shapes/step.ts';

/** Every call of a run with its outcome, which may come after the steps of a sub-agent. */
export function callsWithOutcomes<S extends Step>(run: readonly S[]): { call: S; outcome: S | undefined }[] {
  const calls: { call: S; outcome: S | undefined }[] = [];
  const open: { call: S; outcome: S | undefined }[] = [];
  for (const step of run) {
    if (step.kind === 'call') {
      const entry: { call: S; outcome: S | undefined } = { call: step, outcome: undefined };
      calls.push(entry);
      open.push(entry);
    } else if (isOutcome(step)) {
      const index = open.findLastIndex(({ call }) => call.name === step.name && call.callId === step.callId);
      const [entry] = index === -1 ? [] : open.splice(index, 1);
      if (entry !== undefined) entry.outcome = step;
    }
  }
  return calls;
}

/** The end of a call: its result or its error. */
export function isOutcome({ kind, name }: Pick<Step, 'kind' | 'name'>): boolean {
  return (kind === 'result' || kind === 'error') && name !== undefined;
}
