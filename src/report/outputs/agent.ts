import { isRawNumber, type Json } from '../../json/index.ts';
import { cut, linesForTerminal } from '../../text/index.ts';
import { exitCodeOf } from '../gate.ts';
import type { Problem, Report, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { costLines } from '../words/cost-words.ts';
import { whereAndWhat } from '../words/divergence.ts';
import { forkCommand, rerunCommand, runNumbers, sessionsWithStory, summary } from '../words/words.ts';

/** A text by which a divergence can be found in the project's files. */
export interface Clue {
  /** A line of a prompt as the replays had it; if it was cut, without its end. */
  readonly line?: string | undefined;
  readonly tool?: string | undefined;
}

/** Whether other behaviour is wanted is for a person to say, so nothing here tells how it is accepted. */
const NEXT =
  'Mend what was changed by mistake, and run the `rerun` of each line. If the new behaviour may be wanted, stop and ask a person.';
/** Of a value: `what` says what differs, and the report has the whole. */
const MAX_VALUE_CHARS = 300;
const MAX_TEXT_CHARS = 1_000;

/**
 * The report for a coding agent: one line of JSON per turn that diverged or is in doubt, and a last line for the run. Texts
 * of models and tools are plain data in one line, with everything invisible written out.
 * @param placesOf files, as `file` or `file:line`, that contain what a clue names
 */
export function renderAgent(report: Report, placesOf: (clue: Clue) => readonly string[]): string {
  const { results } = withSeen(report);
  const told = sessionsWithStory(results).filter(({ level }) => level !== 'off');
  const cost = costLines(results);
  const lines = [
    ...told.flatMap((session) => sessionLines(session, report, placesOf)),
    ...results.problems.map((problem) => problemLine(problem)),
    {
      status: results.status,
      exitCode: exitCodeOf(results.status, report.evidence.interruptedBy),
      title: results.title,
      ...(cost.length > 0 && { cost }),
      next: results.status === 'failed' ? NEXT : results.message,
    },
  ];
  return lines.map((line) => `${JSON.stringify(line, inert)}\n`).join('');
}

function sessionLines(session: SessionResult, report: Report, placesOf: (clue: Clue) => readonly string[]): object[] {
  const about = { session: session.id, pin: session.pin };
  const rerun = rerunCommand(session, report);
  const diverged = session.turns.filter(({ level, comparison }) => level !== 'off' && comparison.divergence !== null);
  const problems = [...session.problems, ...session.turns.flatMap((turn) => turn.problems)];
  const lines = [
    ...diverged.map((turn) => ({
      ...about,
      ...divergenceOf(turn, placesOf),
      rerun,
      measure: forkCommand(turn, session, report),
    })),
    ...problems.map((problem) => ({ ...about, ...problemLine(problem), rerun })),
  ];
  if (lines.length > 0) return lines;
  return [{ ...about, verdict: session.verdict, what: summary(session), rerun }];
}

function divergenceOf(
  { turn, level, comparison, events = [] }: TurnResult,
  placesOf: (clue: Clue) => readonly string[],
) {
  const { verdict, divergence } = comparison;
  if (divergence === null) return {};
  const { recordedStep, replayedStep, recorded, replayed, runs, of, cause, tool } = divergence;
  const replayedLine = cause.line?.replayed ?? cause.line?.recorded ?? undefined;
  const files = placesOf(replayedLine === undefined ? { tool } : { line: replayedLine, tool });
  return {
    turn,
    step: recordedStep ?? replayedStep,
    verdict,
    ...(level !== 'error' && { fails: false }),
    what: whereAndWhat(divergence),
    recorded,
    replayed,
    runs: `${runs} of ${of}`,
    // The detail of a changed line would quote both of its sides again.
    cause: { kind: cause.kind, ...(cause.line === undefined ? { detail: cause.detail } : { line: cause.line }) },
    ...(events.length > 0 && { events: events.map(({ sentence }) => sentence) }),
    ...(files.length > 0 && { files }),
  };
}

function problemLine({ code, message, evidence, hint, location, runs = [] }: Problem & { runs?: readonly number[] }) {
  return {
    code,
    message,
    ...(runs.length > 0 && { in: runNumbers(runs) }),
    ...(evidence.length > 0 && { evidence }),
    ...(hint !== undefined && { hint }),
    ...(location !== undefined && { location }),
  };
}

/** Foreign texts, one line each, with long values cut. */
function inert(name: string, value: Json): Json {
  if ((name === 'recorded' || name === 'replayed') && typeof value === 'object' && value !== null) {
    const text = JSON.stringify(value);
    return isRawNumber(value) || text.length <= MAX_VALUE_CHARS ? value : cut(text, MAX_VALUE_CHARS);
  }
  if (typeof value !== 'string') return value;
  return cut(linesForTerminal(value).join('\n'), MAX_TEXT_CHARS);
}
