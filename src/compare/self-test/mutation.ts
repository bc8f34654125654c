import type { Change, DifferenceKind } from '../result.ts';
import type { StepKind } from '../rules.ts';
import type { PathRules } from '../values/paths.ts';
import type { Script } from './script.ts';

/** What a comparison has to say of a planted change, for it to be told. */
export interface Planted {
  readonly kinds: readonly DifferenceKind[];
  /** Steps at any of which it may be told, the first is its own; none: wherever its tool is called. */
  readonly steps: readonly number[];
  /** Whose steps these are; default the recording's. */
  readonly side?: 'replayed';
  /** The tool whose call was changed. */
  readonly tool?: string;
  readonly pointer?: string;
  /** Left out where the value itself changed: a number that was a time is told as one of another type. */
  readonly change?: Exclude<Change, 'value'>;
  /**
   * It is behaviour whatever is learned of the tool. Other changes can be minor: a read that is left out, a reworded
   * search.
   */
  readonly isBehaviour?: boolean;
}

/** A change that matters, and how to plant it. */
export interface Mutation {
  readonly name: string;
  /** Only where all of these steps are compared. */
  readonly needs: readonly StepKind[];
  /**
   * Plants it in a script.
   * @param place from 0
   * @returns undefined when it cannot be planted there; `past` when there is no such place
   */
  readonly plant: (script: Script, place: number, context: PlantContext) => Planted | undefined | 'past';
}

export interface PlantContext {
  /** What they ignore is no place. */
  readonly paths: PathRules;
  /** Whether a tool may change something, by its declaration or by its name. */
  readonly mayChange: (tool: string) => boolean;
}
