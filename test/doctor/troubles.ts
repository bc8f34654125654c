import type { Diagnosis } from '../../src/doctor/diagnose.ts';

/** The rules that neither passed nor were skipped, with how they came out: `headers: fail`. */
export function troublesOf({ environment, agents }: Diagnosis): string[] {
  return [...environment, ...agents.flatMap(({ rules }) => rules)]
    .filter(({ state }) => state !== 'pass' && state !== 'skip')
    .map(({ rule, state }) => `${rule}: ${state}`);
}
