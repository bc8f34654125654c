import { ANSWER_MUTATIONS } from './answer-mutations.ts';
import { CALL_MUTATIONS } from './call-mutations.ts';
import type { Mutation } from './mutation.ts';

export const MUTATIONS: readonly Mutation[] = [...CALL_MUTATIONS, ...ANSWER_MUTATIONS];
