import { isJsonObject } from '../../json/index.ts';
import type { Behaviour } from '../keys/behaviour.ts';
import type { Hints } from '../keys/effects.ts';

/** What the tool definitions of these runs say about tools; where two disagree, that one writes. */
export function hintsIn(runs: readonly Pick<Behaviour, 'modelCalls'>[]): Hints {
  const hints = new Map<string, boolean>();
  for (const { generation } of runs.flatMap(({ modelCalls }) => modelCalls)) {
    for (const { name, more } of generation.tools ?? []) {
      const annotations = more?.annotations;
      if (!isJsonObject(annotations)) continue;
      const { readOnlyHint, destructiveHint } = annotations;
      if (readOnlyHint === false || destructiveHint === true) hints.set(name, false);
      else if (readOnlyHint === true && !hints.has(name)) hints.set(name, true);
    }
  }
  return hints;
}
