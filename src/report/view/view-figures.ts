import { percent } from '../../counted.ts';
import type { TurnResult } from '../schema.ts';
import { agreement } from '../words/words.ts';
import type { Fact } from './view-shapes.ts';

/** `1 of 5 as recorded (95 %: 4 to 62 %), replays agree 60 %`. */
export function figuresLine(turn: TurnResult): string {
  const { figures, requested } = turn.comparison;
  const { n, asRecorded, interval } = figures;
  if (n === 0) return `0 of ${requested} runs could be compared`;
  const counts = `${asRecorded} of ${n} as recorded`;
  if (interval === null) return counts;
  const bounds = `95 %: ${percent(interval[0]).replace(' %', '')} to ${percent(interval[1])}`;
  // A single replay has no other to agree with.
  return `${counts} (${bounds})${n > 1 ? `, replays agree ${agreement(turn)}` : ''}`;
}

/** The figures of a turn by name, each with what it counts and its n. */
export function figuresOf(turn: TurnResult): Fact[] {
  const { figures, requested } = turn.comparison;
  const { n, asRecorded: alike, interval, behaviours, tarAtK, passHatK, leastStableStep } = figures;
  const of = `n = ${n}`;
  if (n === 0) return [{ name: 'conclusive runs', text: `0 of ${requested}` }];
  const bounds = interval?.map(percent).join(' to ') ?? '';
  const [allAgree, allAsRecorded] = [tarAtK, passHatK].map((each) => percent(each.at(-1) ?? null)) as [string, string];
  const facts: readonly (readonly [isKnown: boolean, name: string, text: string, hint: string])[] = [
    [true, 'as recorded', `${alike} of ${n}`, `${n} conclusive runs of ${requested}`],
    [interval !== null, '95 % interval', bounds, `Wilson score, ${of}`],
    [true, 'agreement', agreement(turn), `share of pairs of replays that agree, TAR@2, ${of}`],
    [true, 'behaviours', String(behaviours), `distinct ones among the replays, ${of}`],
    [tarAtK.length > 2, `TAR@${tarAtK.length}`, allAgree, `so many replays all agree, ${of}`],
    [passHatK.length > 1, `pass^${passHatK.length}`, allAsRecorded, `so many replays are all as recorded, ${of}`],
    [
      leastStableStep !== null,
      'least stable step',
      String(leastStableStep),
      `where the largest share leaves the recording, ${of}`,
    ],
  ];
  return facts.flatMap(([isKnown, name, text, hint]) => (isKnown ? [{ name, text, hint }] : []));
}
