import { z } from 'zod';

/** The gates that a setting can name. */
export const gateKind = z.enum(['every-run', 'shift']);
export type GateKind = z.infer<typeof gateKind>;

/** Whether a gate tests all runs of a session together, so that a run may vary and fail nothing. @param gate its name */
export function isTestedBy(gate: string | undefined): boolean {
  return gate === 'shift';
}
