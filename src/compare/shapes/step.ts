import type { Json } from '../../json/index.ts';
import type { StepKind } from './rules.ts';

/** One thing that the agent did, independent of SDKs. */
export interface Step {
  readonly kind: StepKind;
  /** The tool of a call, result or error. */
  readonly name?: string;
  readonly value?: Json | undefined;
  readonly observationId?: string | undefined;
  /** On a call or its result: the id under which the model asked for it. */
  readonly callId?: string | undefined;
  /** On a result: a sub-agent's model wrote it. */
  readonly byModel?: true;
  /** Shared by the calls of one assistant message and their results. */
  readonly group?: number;
  /** Index into the trajectory's `modelCalls`: the generation that this step came from, or follows. */
  readonly generation?: number | undefined;
  /** No generation asked for this call, as far as the trace shows. */
  readonly isUnasked?: true;
  /** The recording does not hold this call; on an end: the run ended with such a call. */
  readonly isMissed?: true;
}
