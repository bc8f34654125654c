import type { Json } from '../../json/index.ts';
import type { StepKind } from '../rules.ts';

/** One thing that the agent did: our unit of behaviour, whatever SDK told of it. */
export interface Step {
  readonly kind: StepKind;
  /** Tool of a call, of its result and of its error. */
  readonly name?: string;
  readonly value?: Json | undefined;
  readonly observationId?: string | undefined;
  /** Of a call and its result: the id under which the model asked for it. */
  readonly callId?: string | undefined;
  /** Of a result: a sub-agent's model wrote it, and not a tool. */
  readonly byModel?: true;
  /** The calls of one assistant message, with their results, share a number. */
  readonly group?: number;
  /** Index into the `modelCalls` of its trajectory: the generation that this came out of, or behind. */
  readonly generation?: number | undefined;
  /** The agent made this call by itself: no generation asked for it, as far as the trace tells. */
  readonly isUnasked?: true;
  /** The recording does not hold this call; of an end: the run ended with such a call. */
  readonly isMissed?: true;
}
