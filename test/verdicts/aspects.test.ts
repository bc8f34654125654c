import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { COMPARED_ASPECTS, type ComparedAspect, compareRules, isAsRecorded } from '../../src/compare/index.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { recordingOf, requestOf } from './recordings.ts';
import { type Edit, edited, type Turn } from './turns.ts';

interface Line {
  readonly id: string;
  readonly base: string;
  /** The aspects in which the replay differs; none where it does and says the same, perhaps in other words. */
  readonly differs: readonly ComparedAspect[];
  readonly replay: Edit;
}

const folder = path.join(import.meta.dirname, 'aspects');
const bases = JSON.parse(readFileSync(path.join(folder, 'bases.json'), 'utf8')) as Record<string, Turn>;
const lines = readFileSync(path.join(folder, 'pairs.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

/** Tools that only read and whose names do not say so: a run prints them once, with the line that declares them. */
const READS =
  `flight_options get_fare_rules itemDetails drug_interactions recent_labs patient_chart kunde_suchen netz_pruefen
  tarif_anzeigen audience_preview template_render campaign_stats quote_rates track_parcel policy_lookup claim_history rerank
  retrieve card.status availability grep freebusy.query run_tests`.split(/\s+/);
const DECLARED = Object.fromEntries(READS.map((name) => [name, { readOnly: true }]));

function judge({ id, base, differs, replay }: Line, tools: object) {
  const turn = bases[base] as Turn;
  const recording = recordingOf(edited(turn, [replay]), 1);
  const comparison = compareTurn([recordingOf(turn, 0)], [{ run: 1, recording }], compareRules.parse({ tools }), {
    request: requestOf(turn),
  });
  const found = COMPARED_ASPECTS.filter((aspect) => comparison.aspects[aspect].runs > 0);
  return { id, differs, found, isGreen: isAsRecorded(comparison.verdict) };
}

const withTools = (tools: object) => lines.map((line) => judge(line, tools));
const undeclared = withTools({});

/** How many differ in an aspect and were found in it, which were not, and of how many that were found it is true. */
function foundIn(aspect: ComparedAspect, judged: typeof undeclared) {
  const real = judged.filter(({ differs }) => differs.includes(aspect));
  const told = judged.filter(({ found }) => found.includes(aspect));
  const right = told.filter(({ differs }) => differs.includes(aspect)).length;
  const missed = real.filter(({ found }) => !found.includes(aspect)).map(({ id }) => id);
  return { right, missed, precision: Math.round((right / told.length) * 100) / 100 };
}

test('of 210 pairs of fifteen agents all that differ in what was done are told so, with nothing declared', () => {
  expect(lines).toHaveLength(210);
  expect(foundIn('did', undeclared)).toEqual({ right: 95, missed: [], precision: 0.96 });
});

test('where tools that only read are declared, what was done is told with a precision of .94 at least', () => {
  const { missed, precision } = foundIn('did', withTools(DECLARED));
  expect(missed).toEqual([]);
  expect(precision).toBeGreaterThanOrEqual(0.94);
});

test('nothing that differs in what was done or said passes as recorded', () => {
  const passed = undeclared.filter(({ isGreen }) => isGreen);
  expect(passed.filter(({ differs }) => differs.includes('did') || differs.includes('said'))).toEqual([]);
});
