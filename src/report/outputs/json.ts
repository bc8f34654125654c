import { isRawNumber } from '../../json/index.ts';
import { type Report, report as reportSchema } from '../schema.ts';

/** Fields whose keys the schema does not fix: these are sorted. */
const FREE = new Set(['recorded', 'replayed', 'environment']);

/** Of more sessions nobody reads the file, and with indents it could be longer than a text can be. */
const MOST_INDENTED = 5_000;

/**
 * Keys are in the order of the schema, or sorted where it has none, so that equal behaviours give equal bytes of `results`.
 */
export function renderJson(report: Report): string {
  const ordered = reportSchema.parse(report);
  const indent = ordered.results.sessions.length > MOST_INDENTED ? 0 : 2;
  return `${JSON.stringify(ordered, (name, value) => (FREE.has(name) ? sorted(value) : value), indent)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
