// Measures the comparison on labelled pairs: `npm run verdicts [-- --list] [-- --held-out | --all | --others | --others-kept] [-- GROUP ...]`.
import { parseArgs } from 'node:util';
import { whereAndWhat } from '../../src/report/index.ts';
import { type Judged, judged, scoreOf } from './judged.ts';
import { type PairSet, readPairs } from './pairs.ts';
import { figure, tableOf } from './table.ts';

const { values, positionals } = parseArgs({
  options: {
    'held-out': { type: 'boolean' },
    all: { type: 'boolean' },
    others: { type: 'boolean' },
    'others-kept': { type: 'boolean' },
    list: { type: 'boolean' },
  },
  allowPositionals: true,
});

const one = values['others-kept'] ? 'others-kept' : values.others ? 'others-seen' : 'development';
const which: readonly PairSet[] = values.all ? ['development', 'held-out'] : [values['held-out'] ? 'held-out' : one];
const pairs = which.flatMap(readPairs);
const all = pairs.filter(({ group }) => positionals.length === 0 || positionals.includes(group)).map(judged);
const total = scoreOf(all);

console.log(tableOf(all));
const { meaning, short } = total;
console.log(`
Meaning changed, no form did: ${meaning.pairs}, ${meaning.silent} as recorded, ${figure(meaning.openShare)} not judged.
Short answers among them: ${short.pairs}, ${short.silent} as recorded, ${figure(short.openShare)} not judged.
${placesOf(all)}`);
if (values.list) list(all);

/** How often the first divergence was told as it is. */
function placesOf(results: readonly Judged[]): string {
  const expected = results.filter(({ otherwise }) => otherwise !== undefined);
  const right = expected.filter(({ otherwise }) => otherwise?.length === 0).length;
  const red = results.filter(({ isRed }) => isRed);
  const unknown = red.filter(({ divergence }) => divergence?.cause.kind === 'unknown').length;
  return `First divergence as expected: ${right} of ${expected.length}. Cause unknown: ${unknown} of ${red.length} red.`;
}

function list(results: readonly Judged[]): void {
  const shown = {
    missed: 'missed',
    'false alarm': 'false alarm',
    doubt: 'could not tell',
    open: 'not judged',
  } as const;
  for (const { pair, outcome, verdict, divergence, otherwise } of results) {
    const isListed = outcome === 'open' ? pair.label === 'meaning-changed' : outcome !== 'right';
    if (!isListed && !otherwise?.length) continue;
    const length = pair.isShort ? ', short' : '';
    const what = outcome === 'right' ? `told otherwise (${otherwise?.join(', ')})` : `${shown[outcome]}${length}`;
    console.log(`\n${pair.group}/${pair.id}: ${what}; labelled ${pair.label}: ${pair.why}`);
    console.log(`  ${verdict}${divergence === null ? '' : `: ${whereAndWhat(divergence)}`}`);
    if (otherwise?.length) console.log(`  expected ${JSON.stringify(pair.expect)}`);
  }
}
