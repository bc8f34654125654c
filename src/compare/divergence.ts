import type { Behaviour, Group } from './behaviour.ts';
import { causeOf, type InputEvidence, inputEvidence } from './explain/cause.ts';
import type { Explanation } from './explain/explain.ts';
import { commonPrefix } from './figures/trie.ts';
import { type Difference, type Divergence, type FirstDifference, MAX_DIFFERENCES } from './result.ts';
import { sentenceFor } from './sentence.ts';
import { maskText } from './values/names.ts';
import { leafDifferences } from './values/paths.ts';

/** The divergence of a cluster, with all that is to be said of it. */
export function divergenceOf(
  at: Difference,
  { differences, pairs, recorded, replayed }: Explanation,
  anchor: Behaviour,
  group: Group,
  told: { of: number; asRecorded: number; agreement: number | null; turn: number },
): Divergence {
  const { representative, runs } = group;
  const before = differences.slice(0, differences.indexOf(at));
  const earlier: Divergence['earlier'] = {};
  for (const { severity } of before) earlier[severity] = (earlier[severity] ?? 0) + 1;
  const place = pairs.findIndex(({ a, b }) =>
    at.recordedStep === null ? replayed[b]?.number === at.replayedStep : recorded[a]?.number === at.recordedStep,
  );
  const meets = pairs
    .slice(place + 1)
    .map(({ a, b }) => [recorded[a], replayed[b]] as const)
    .find(([a, b]) => a !== undefined && a.kind !== 'result' && a.kind !== 'text' && a.exact === b?.exact);
  const cause = causeOf(at, ...inputsAt(at, anchor, representative), before);
  const meetsAgainAt = meets?.[0]?.number ?? null;
  return {
    ...at,
    cause,
    runs: runs.length,
    of: told.of,
    earlier,
    meetsAgainAt,
    sentence: sentenceFor({ ...told, difference: at, cause, runs: runs.length, earlier, meetsAgainAt }),
  };
}

/** What the generations behind the two sides were given; where a side has no step there, the same generation in order. */
function inputsAt(
  { recordedStep, replayedStep }: Difference,
  anchor: Behaviour,
  replay: Behaviour,
): [InputEvidence | undefined, InputEvidence | undefined] {
  const of = ({ steps }: Behaviour, number: number | null) => steps.find((step) => step.number === number)?.generation;
  const [a, b] = [of(anchor, recordedStep), of(replay, replayedStep)];
  return [evidenceAt(anchor, a ?? b ?? 0), evidenceAt(replay, b ?? Math.min(a ?? 0, replay.inputs.length - 1))];
}

function evidenceAt({ inputs, clock }: Behaviour, generation: number): InputEvidence | undefined {
  const input = inputs[generation];
  return input && inputEvidence(input, (text) => maskText(text, clock));
}

/** Where two runs part by position alone. */
export function firstDifferenceOf(anchor: Behaviour, replay: Behaviour): FirstDifference | null {
  const prefix = commonPrefix(anchor.keys, replay.keys);
  const [a, b] = [anchor.seen[prefix], replay.seen[prefix]];
  if (a === undefined && b === undefined) return null;
  const [callA, callB] = [a, b].map((step) => step?.kind === 'call');
  const kind: FirstDifference['kind'] =
    callA && callB
      ? a?.name === b?.name
        ? 'args'
        : 'name'
      : callB
        ? 'extra'
        : callA
          ? 'ended'
          : a && b
            ? 'value'
            : a
              ? 'ended'
              : 'extra';
  return {
    step: (a ?? b)?.number ?? 1,
    callIndex: anchor.seen.slice(0, prefix).filter((step) => step.kind === 'call').length,
    kind,
    recordedName: a?.name ?? null,
    replayedName: b?.name ?? null,
    pointers:
      kind === 'args'
        ? leafDifferences(a?.value, b?.value, { limit: MAX_DIFFERENCES }).map(({ pointer }) => pointer)
        : [],
  };
}
