/**
 * What a difference is about, in the order in which everything is told. `did`: writes that took effect, and how the turn
 * ended. `said`: the answer, and prose in arguments. `path`: reads, results, order, texts in between. `cost`: tokens, calls
 * of the model, money.
 */
export const ASPECTS = ['did', 'said', 'path', 'cost'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** Those in which a replay is compared with the recordings. */
export const COMPARED_ASPECTS = ['did', 'said', 'path'] as const satisfies readonly Aspect[];
export type ComparedAspect = (typeof COMPARED_ASPECTS)[number];
