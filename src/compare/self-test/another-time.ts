import type { TurnRequest } from '../../contract/index.ts';
import type { CompareRules } from '../rules.ts';
import { mapLeaves } from '../values/canonical.ts';
import type { Script } from './script.ts';
import { mapValues, numbersIn, replaceTokens, tokensIn } from './script-values.ts';

const DAY_MS = 86_400_000;
/** Days by which a run is moved, in whole weeks. The first one is used with which no meaningful time falls into the run. */
const MOVES = [3_640, 5_460, 7_280, 9_100];
const TIME = /(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/;
/** Times this close to a run were written by its clocks, as in the comparison. */
const NEAR_MS = 5 * 60_000;
/** Milliseconds and seconds since 1970. */
const UNITS = [1, 1_000];

/**
 * Moves the run to another time, together with everything that clocks wrote in it.
 * @returns false if that would be another run: the model wrote the time, or a date falls into the new one
 */
export function moveInTime(script: Script, rules: CompareRules, request: TurnRequest | undefined): boolean {
  const { clock, hasTrace } = script;
  if (!hasTrace || rules.identities === 'literal') return false;
  const isNear = (time: number, by: number, slack: number) =>
    time >= clock.from + by - slack && time <= clock.to + by + slack;
  const isInRun = (time: number) => isNear(time, 0, NEAR_MS);
  const unitOf = (number: number) => UNITS.find((unit) => isInRun(number * unit));
  const asked = JSON.stringify(request ?? null);
  const texts = new Map([...tokensIn(script, TIME)].filter(([text]) => !asked.includes(text)));
  const numbers = numbersIn(script);

  const written = [
    ...[...texts].filter(([text, isGiven]) => !isGiven && isInRun(parsed(text))),
    ...[...numbers].filter(([number, isGiven]) => !isGiven && unitOf(number) !== undefined),
  ];
  if (written.length > 0) return false;
  const times = [
    ...[...texts.keys()].map(parsed),
    ...[...numbers.keys()].flatMap((n) => UNITS.map((unit) => n * unit)),
  ];
  const days = MOVES.find((each) => !times.some((time) => isNear(time, each * DAY_MS, 2 * NEAR_MS)));
  if (days === undefined) return false;

  const by = days * DAY_MS;
  const clocks = [...texts.keys()].filter((text) => isInRun(parsed(text)));
  replaceTokens(script, new RegExp(TIME, 'g'), new Map(clocks.map((text) => [text, moved(text, by)])));
  mapValues(script, (value) =>
    mapLeaves(
      value,
      (text) => text,
      (number) => number + by / (unitOf(number) ?? Number.POSITIVE_INFINITY),
    ),
  );
  script.clock = { from: clock.from + by, to: clock.to + by };
  return true;
}

function parsed(text: string): number {
  return Date.parse(text.includes('T') ? text : text.replace(' ', 'T'));
}

/** Only the date changes; precision and zone stay as written. */
function moved(text: string, by: number): string {
  return new Date(Date.parse(text.slice(0, 10)) + by).toISOString().slice(0, 10) + text.slice(10);
}
