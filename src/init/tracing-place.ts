import { lineIn, type Source, type SourceLine, sourcesIn } from './sources.ts';

export interface TracingPlace extends SourceLine {
  /** The project's sources already name `replaySpanProcessor`. */
  readonly isDone: boolean;
}

/** How the files of {@link ownSources} end. */
export const SOURCE = /\.[cm]?[jt]sx?$/;
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'test', 'tests']);
/** The list of processors comes first: that is the line to change. */
const SET_UP = [
  /\bspanProcessors\s*:/,
  /\baddSpanProcessor\(/,
  /\bnew (?:NodeSDK|NodeTracerProvider|BasicTracerProvider|WebTracerProvider)\(/,
  /\bregisterOTel\(/,
];

/** The project's own sources in JavaScript and TypeScript. */
export function ownSources(root: string): Promise<Source[]> {
  return sourcesIn(root, SOURCE, SKIPPED);
}

/** Searches the project's own sources; undefined if it is not in the first thousand. */
export async function tracingPlaceIn(root: string): Promise<TracingPlace | undefined> {
  const sources = await ownSources(root);
  const place = lineIn(sources, SET_UP);
  return place && { ...place, isDone: sources.some(({ text }) => text.includes('replaySpanProcessor(')) };
}
