import { isJsonObject, isRawNumber, type Json, present } from '../../json/index.ts';
import { cut, forTerminal, linesForTerminal } from '../../text/index.ts';
import type { Problem, Report, SessionResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { type CauseRow, causesOf } from './causes.ts';
import { whereAndWhat } from './divergence.ts';
import { modelCommand, rerunCommand, runNumbers, separationOf, sessionsWithStory, summary } from './words.ts';

/** A text by which a divergence can be found in the project's files. */
export interface Clue {
  /** A line of a prompt as the replays had it; if it was cut, without its end. */
  readonly line?: string;
  readonly tool?: string;
}

/** Whether other behaviour is wanted is for a person to say, so nothing here tells how it is accepted. */
export const NEXT =
  'Mend what was changed by mistake, and run the `rerun` of each line. If the new behaviour may be wanted, stop and ask a person.';

/** Of a value: `what` says what differs, and the report has the whole. */
const MAX_VALUE_CHARS = 300;
const MAX_TEXT_CHARS = 1_000;

/**
 * What a coding agent must know: one line of JSON per session and cause, and one per doubt. What sessions have in common, an
 * edited line and where it is, stands in the first of them. Texts of models and tools are plain data in one line, with everything
 * invisible written out.
 * @param placesOf files, as `file` or `file:line`, that contain what a clue names
 */
export function agentLines(report: Report, placesOf: (clue: Clue) => readonly string[]): string[] {
  const { results } = withSeen(report);
  const told = sessionsWithStory(results).filter(({ level }) => level !== 'off');
  const rows = causesOf(told).flatMap(({ rows: all }) => {
    const counted = all.filter(({ turn }) => turn.level !== 'off');
    return counted.map((row) => ({ row, first: counted[0] === row ? undefined : counted[0] }));
  });
  return [
    ...rows.map(({ row, first }) => rowLine(row, { report, placesOf, first })),
    ...told.flatMap((session) => doubtLines(session, report, !rows.some(({ row }) => row.session === session))),
    ...results.problems.map((problem) => problemLine(problem)),
  ].map(agentLine);
}

export function agentLine(told: object): string {
  return JSON.stringify(told, inert);
}

interface RowContext {
  readonly report: Report;
  readonly placesOf: (clue: Clue) => readonly string[];
  /** An earlier row with the same cause. */
  readonly first: CauseRow | undefined;
}

function rowLine({ session, turn, also }: CauseRow, { report, placesOf, first }: RowContext): object {
  const { level, comparison, events = [] } = turn;
  const { verdict, divergence } = comparison;
  const { recordedStep, replayedStep, recorded, replayed, runs, of, cause, tool } = divergence ?? {};
  const { kind, line, detail } = cause ?? {};
  const edited = line?.replayed ?? line?.recorded ?? undefined;
  const files = first !== undefined ? [] : placesOf(edited === undefined ? { tool } : { line: edited, tool });
  // The detail of a changed line would quote both of its sides again.
  const why = first !== undefined ? { sameAs: first.session.id } : line === undefined ? { detail } : { line };
  return {
    session: session.id,
    pin: session.pin,
    turn: turn.turn,
    ...(also.length > 0 && { alsoTurns: also }),
    step: recordedStep ?? replayedStep,
    verdict,
    ...(level !== 'error' && { fails: false }),
    what: separationOf(turn) ?? (divergence && whereAndWhat(divergence)),
    recorded,
    replayed,
    ...(divergence && { runs: `${runs} of ${of}`, cause: { kind, ...why } }),
    ...(events.length > 0 && { events: events.map(({ sentence }) => sentence) }),
    ...(files.length > 0 && { files }),
    rerun: rerunCommand(session, report),
    measure: modelCommand(turn, session, report),
  };
}

/** @param isAlone no other line tells of it */
function doubtLines(session: SessionResult, report: Report, isAlone: boolean): object[] {
  const about = { session: session.id, pin: session.pin };
  const rerun = rerunCommand(session, report);
  const problems = [...session.problems, ...session.turns.flatMap((turn) => turn.problems)];
  if (problems.length === 0 && isAlone) return [{ ...about, verdict: session.verdict, what: summary(session), rerun }];
  return problems.map((problem) => ({ ...about, ...problemLine(problem), rerun }));
}

function problemLine({ code, message, evidence, hint, location, runs = [] }: Problem & { runs?: readonly number[] }) {
  return {
    code,
    message,
    ...(runs.length > 0 && { in: runNumbers(runs) }),
    ...(evidence.length > 0 && { evidence }),
    ...present({ hint, location }),
  };
}

/** Foreign texts and names, one line each, with long values cut. */
function inert(name: string, value: Json): Json {
  if (typeof value === 'string') return cut(linesForTerminal(value).join('\n'), MAX_TEXT_CHARS);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (name === 'recorded' || name === 'replayed') {
    const text = JSON.stringify(value);
    if (text.length > MAX_VALUE_CHARS) return cut(linesForTerminal(text).join('\n'), MAX_VALUE_CHARS);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [forTerminal(key), each]));
}
