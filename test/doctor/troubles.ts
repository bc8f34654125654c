import type { Diagnosis } from '../../src/doctor/diagnose.ts';

/**
 * The rules that neither passed nor were skipped, with how they came out: `headers: fail`. Where the agent itself is in
 * the way, what was seen follows, since nothing else tells why.
 */
export function troublesOf({ environment, agents }: Diagnosis): string[] {
  return [...environment, ...agents.flatMap(({ rules }) => rules)]
    .filter(({ state }) => state !== 'pass' && state !== 'skip')
    .map(({ rule, state, seen }) =>
      rule === 'agent' ? [`${rule}: ${state}`, ...seen].join(' | ') : `${rule}: ${state}`,
    );
}
