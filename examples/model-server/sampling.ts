import { createHash } from 'node:crypto';

/** Up to this temperature only the wording wanders; above it, what the model does wanders too. */
const STEADY_BEHAVIOUR_UP_TO = 0.7;

/** How much less likely each next alternative is: its weight is e^(-GAP / temperature) of the one before. */
const GAP = 0.5;

/** Picks one of several alternatives, the most likely first. */
export interface Sampler {
  wording<T>(alternatives: readonly [T, ...T[]]): T;
  behaviour<T>(alternatives: readonly [T, ...T[]]): T;
}

/**
 * A sampler whose picks follow from the seed, the request and how often the same request was seen before:
 * runs of the whole demo repeat, while replays within one run differ as they would with a real model.
 */
export function createSampling(): (request: SampledRequest) => Sampler {
  const timesSeen = new Map<string, number>();
  return ({ seed, temperature, payload }) => {
    const key = hash(seed, payload);
    const nth = timesSeen.get(key) ?? 0;
    if (temperature > 0) timesSeen.set(key, nth + 1);
    let draws = 0;
    const pick = <T>(alternatives: readonly [T, ...T[]], heat: number): T => {
      if (heat <= 0) return alternatives[0];
      const weights = alternatives.map((_, rank) => Math.exp((-rank * GAP) / heat));
      let left = fraction(hash(key, nth, draws++)) * weights.reduce((sum, weight) => sum + weight, 0);
      for (const [rank, weight] of weights.entries()) {
        left -= weight;
        if (left < 0) return alternatives[rank] as T;
      }
      return alternatives[0];
    };
    return {
      wording: (alternatives) => pick(alternatives, temperature),
      behaviour: (alternatives) => pick(alternatives, temperature - STEADY_BEHAVIOUR_UP_TO),
    };
  };
}

interface SampledRequest {
  readonly seed: number;
  readonly temperature: number;
  readonly payload: unknown;
}

/** Ids and times that servers and tools made up on the way; two conversations that differ only in them are the same. */
const MADE_UP = /\b(?:call|rf|tk)_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function hash(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts).replace(MADE_UP, '')).digest('hex');
}

/** The first 48 bits of a hash as a number in [0, 1). */
function fraction(hex: string): number {
  return Number.parseInt(hex.slice(0, 12), 16) / 2 ** 48;
}
