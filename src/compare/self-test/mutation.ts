import type { Change, DifferenceKind } from '../result.ts';
import type { StepKind } from '../rules.ts';
import type { PathRules } from '../values/paths.ts';
import type { Script } from './script.ts';

/** What the comparison must report about a planted change. */
export interface Planted {
  readonly kinds: readonly DifferenceKind[];
  /** Steps at which it may be reported, the first being its own; empty: any call of its tool. */
  readonly steps: readonly number[];
  /** Side of these steps; default: the recording. */
  readonly side?: 'replayed';
  /** The tool whose call was changed. */
  readonly tool?: string;
  readonly pointer?: string;
  /** Absent if the value itself changed: a number that was a time is reported as a change of type. */
  readonly change?: Exclude<Change, 'value'>;
  /**
   * It is behaviour whatever is learned about the tool. Other changes may be minor: a read that is left out, a reworded
   * search.
   */
  readonly isBehaviour?: boolean;
}

/** A change that matters, and how to make it. */
export interface Mutation {
  readonly name: string;
  /** Only if all of these kinds of steps are compared. */
  readonly needs: readonly StepKind[];
  /**
   * Plants the change in a script.
   * @param place from 0
   * @returns undefined if it cannot be planted there; `past` if there is no such place
   */
  readonly plant: (script: Script, place: number, context: PlantContext) => Planted | undefined | 'past';
}

export interface PlantContext {
  /** Ignored places are skipped. */
  readonly paths: PathRules;
  /** Whether a tool may change something, by its declaration or its name. */
  readonly mayChange: (tool: string) => boolean;
}
