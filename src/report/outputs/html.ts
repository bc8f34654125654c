/// <reference path="../../pages.d.ts" />

import { cut } from '../../text/index.ts';
import type { Report } from '../schema.ts';
import { gateOf } from '../status.ts';
import { carriedTraces, packed, type ReadKept } from '../view/traces.ts';

/** The data of the page. */
export interface CarriedReport {
  readonly report: Report;
  /** Its sessions and runs, where there are very many: some at once, as {@link packed}. Then the report has none. */
  readonly sessions?: readonly string[];
  readonly runs?: readonly string[];
  /** See {@link carriedTraces}. */
  readonly traces: Readonly<Record<string, string>>;
  readonly places: PlacedLines;
}

/** Where edited lines of prompts stand in the project, by their text: `prompts/support.md:5`, or all places of a line. */
export type PlacedLines = Readonly<Record<string, string>>;
export type PlacesOf = (clue: { readonly line: string }) => readonly string[];

/** The edited lines of a report that the project's files hold. */
export function placedLines({ results: { sessions } }: Report, placesOf: PlacesOf): PlacedLines {
  const lines = sessions.flatMap(({ turns }) => turns.flatMap((turn) => turn.comparison.divergence?.cause.line ?? []));
  const texts = new Set(lines.flatMap(({ replayed, recorded }) => replayed ?? recorded ?? []));
  return Object.fromEntries([...texts].map((line) => [line, placesOf({ line }).join(' or ')]).filter(([, at]) => at));
}

/** Longest text of a report that the page carries; report.json has the whole. */
const MAX_CHARS = 4_000;

/** More sessions are packed: their plain text takes a browser minutes. So many at once are a short text. */
const MANY_SESSIONS = 1_000;

/**
 * One HTML file that loads nothing. @param read what the runs of a session did, as far as it is known; the file carries it
 */
export async function renderHtml(
  report: Report,
  read: ReadKept = async () => [],
  placesOf: PlacesOf = () => [],
): Promise<string> {
  // Large, and not needed for reading reports.
  const { page, data } = await import('#pages/report');
  const [before, after] = page.split(data) as [string, string];
  const { status, title, message } = gateOf(report);
  const { sessions } = report.results;
  const { runs } = report.evidence;
  const areMany = sessions.length > MANY_SESSIONS;
  const shown = {
    ...report,
    results: { ...report.results, status, title, message, ...(areMany && { sessions: [] }) },
    evidence: { ...report.evidence, ...(areMany && { runs: [] }) },
  };
  const parts = {
    report: shortJson(shown),
    traces: JSON.stringify(await carriedTraces(report, read)),
    places: JSON.stringify(placedLines(report, placesOf)),
    ...(areMany && { sessions: await packedParts(sessions), runs: await packedParts(runs) }),
  } satisfies Partial<Record<keyof CarriedReport, string>>;
  const json = Object.entries(parts).map(([name, part]) => `"${name}":${part}`);
  return `${before}${forScript(`{${json.join(',')}}`)}${after}`;
}

function shortJson(of: unknown): string {
  return JSON.stringify(of, (_, value) => (typeof value === 'string' ? cut(value, MAX_CHARS) : value));
}

async function packedParts(items: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < items.length; at += MANY_SESSIONS)
    parts.push(await packed(shortJson(items.slice(at, at + MANY_SESSIONS))));
  return JSON.stringify(parts);
}

/**
 * HTML ends a script element at `</script` and hides what follows `<!--`: without any `<` there is neither. Line separators
 * look like line breaks in the source.
 */
function forScript(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
