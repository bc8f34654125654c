import type { Cause } from '../shapes/result.ts';

export const SAME_INPUT: Cause = { kind: 'model', detail: 'same input as recorded, so not an edit' };

/** Whether the model was given the same as recorded where the runs part. */
export function reachedNoEdit({ kind, detail }: Cause): boolean {
  return kind === SAME_INPUT.kind && detail.startsWith(SAME_INPUT.detail);
}
