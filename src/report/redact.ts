import { type Json, mapTexts } from '../json/index.ts';
import { redactor } from '../redaction/index.ts';
import type { Report } from './schema.ts';

/** Fields with words of our own. A secret that happens to equal such a word must not break the report. */
const OWN_WORDS = new Set([
  'version',
  'status',
  'strictness',
  'verdict',
  'aspects',
  'level',
  'kind',
  'severity',
  'change',
  'because',
  'code',
  'outcome',
  'said',
  'reason',
  'startedAt',
  'traceSource',
  'interruptedBy',
  'by',
]);

/** Fields with a JSON value from outside: nothing in them is ours, not even the keys. */
const FOREIGN = new Set(['recorded', 'replayed', 'environment']);

/**
 * @param redact replaces the secrets that this run knows, see `Redaction`; whatever looks like a key is removed anyway
 */
export function redactReport(report: Report, redact: (text: string) => string): Report {
  const shapes = redactor({ personal: false });
  const text = (value: string) => shapes(redact(value)) as string;

  const lines = (values: readonly string[]): string[] => {
    // A secret can be split over lines of a log. The number of lines stays the same, so each returns to its place.
    const redacted = redact(values.join('\n')).split('\n');
    return values.map((value) => text(redacted.splice(0, value.split('\n').length).join('\n')));
  };

  const own = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.every(isText) ? lines(value) : value.map(own);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, field(name, item)]));
  };

  const field = (name: string, value: unknown): unknown => {
    if (FOREIGN.has(name) && typeof value !== 'boolean') return shapes(mapTexts(value as Json, redact));
    return OWN_WORDS.has(name) && !Array.isArray(value) ? value : own(value);
  };

  const redacted = own(report) as Report;
  return { ...redacted, evidence: { ...redacted.evidence, tool: report.evidence.tool } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
