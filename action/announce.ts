import { existsSync } from 'node:fs';
import path from 'node:path';
import * as core from '@actions/core';
import {
  asAgentReplayError,
  divergenceWords,
  editsIn,
  gateOf,
  isAsRecorded,
  linesForTerminal,
  loadPins,
  OUTCOMES,
  outcomeWord,
  Places,
  type Plan,
  type Problem,
  type Report,
  renderMarkdown,
  type SessionResult,
  sealed,
  sessionName,
  warningsIn,
  withSeen,
} from '../src/rims.ts';
import { Change } from './change.ts';
import { InputError } from './inputs.ts';
import { redact } from './masks.ts';
import { ERROR_TITLE, refuse } from './refuse.ts';
import { setOutput } from './runner-files.ts';
import { inAction } from './words.ts';

type MarkdownOptions = NonNullable<Parameters<typeof renderMarkdown>[1]>;
/** What a page of ours shows of a report's surroundings. */
export type Beside = Pick<
  MarkdownOptions,
  'aside' | 'isOnPull' | 'isUntouched' | 'linkTo' | 'pins' | 'placesOf' | 'reportUrl'
>;

/** The runner shows 10 annotations of each level per step. */
const MAX_PER_LEVEL = 10;
/** The most characters of a session's name in a title. */
const MAX_NAME_CHARS = 60;
/** The runner drops a whole summary if it has more than 1 MiB. */
const MAX_SUMMARY_BYTES = 900 * 1024;

/** Reports a failure that left no report: as an annotation with the next move, and in the output `status`. */
export function reportError(thrown: unknown): void {
  if (thrown instanceof InputError) {
    refuse(thrown);
    return;
  }
  const { message, hint = '', code, evidence, location } = asAgentReplayError(thrown);
  const text = [`${message} (${code})`, ...evidence, hint].filter((part) => part !== '').join('\n');
  core.error(plain(redact(inAction(text))), {
    title: ERROR_TITLE,
    ...(location?.file === undefined ? {} : { file: location.file, startLine: location.line ?? 1 }),
  });
  setOutput('status', 'error');
}

/** Prints one sentence as a notice. It never changes the result. */
export function notice(message: string): undefined {
  core.notice(plain(message), { title: 'agent-replay' });
}

interface Placed {
  readonly level: 'error' | 'warning';
  /** Undefined for the run as a whole. */
  readonly session?: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

export type PlannedPin = Plan['sessions'][number]['pin'];

/**
 * Annotates first the edited lines that fail sessions, in the diff of the pull request where they stand there; then the
 * result, and each divergence and doubt at its place in the pin, if the pin exists.
 * @param root the folder that the paths of pins are relative to
 * @param known the pins, if they have been read
 */
export async function annotate(
  report: Report,
  root: string,
  change?: Change,
  known?: readonly PlannedPin[],
): Promise<void> {
  const { results } = withSeen(report);
  const wanted = results.sessions.filter(({ verdict }) => !isAsRecorded(verdict)).map(({ pin }) => pin);
  const read: readonly PlannedPin[] = known ?? (await loadPins(wanted, { root, allowEmpty: true })).pins;
  const pins = new Map(read.map((pin) => [pin.path, pin]));
  const lineOf = (pin: string, turn: number) => pins.get(pin)?.locate?.(`/turns/${turn - 1}`)?.line;
  const placed = [
    ...results.problems.map((problem) => placedProblem(problem, 'error')),
    ...results.sessions.flatMap((session) => placedIn(session, lineOf)),
    ...warningsIn(results.sessions).map(({ problem }) => placedProblem(problem, 'warning')),
  ];
  const edits = editsPlaced(report, root, change);
  const isOdd = results.base?.blame === 'world' || results.base?.blame === 'open';
  const isFailed = results.status !== 'passed';
  const errors = placed.filter(({ level }) => level === 'error').length;
  const left = errors + edits.length + 1 - MAX_PER_LEVEL;
  const more = isFailed && left > 0 ? ` ${left} more are listed in the job summary.` : '';
  const message = inAction(`${results.title}. ${results.message}${more}`);
  const result: Placed = { level: isFailed ? 'error' : 'warning', message };
  const all = [...edits, ...(isFailed || isOdd ? [result] : []), ...placed];
  for (const level of ['error', 'warning']) {
    const write = level === 'error' ? core.error : core.warning;
    for (const { session, message, file, line } of all.filter((each) => each.level === level).slice(0, MAX_PER_LEVEL)) {
      const place = file === undefined ? {} : { file: fromWorkspace(file, root), startLine: line ?? 1 };
      const title = session === undefined ? 'agent-replay' : `agent-replay: ${session}`;
      write(plain(message), { title, ...place });
    }
  }
}

/** Edited lines that could be found in a file, those in the diff first. */
function editsPlaced(report: Report, root: string, change?: Change): Placed[] {
  const locate = locateIn(root, change);
  const found = editsIn(report).flatMap(({ line, does }) =>
    locate({ line })
      .slice(0, 1)
      .map((place) => ({ level: 'error' as const, message: does, ...place })),
  );
  return found.sort(shownFirst).slice(0, MAX_EDITS);
}

/** Finds the places of a line of a prompt; those come first that the diff of the pull request shows. */
export function locateIn(root: string, change = new Change()) {
  const places = new Places(root);
  return (clue: { readonly line: string }) => {
    const found = places.of(clue).map((place) => {
      const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(place) ?? [];
      return { file, line: Number(line), isShown: change.shows(fromWorkspace(file, root), Number(line)) };
    });
    return found.sort(shownFirst);
  };
}

const shownFirst = (a: { readonly isShown: boolean }, b: typeof a) => Number(b.isShown) - Number(a.isShown);

const MAX_EDITS = 3;

function placedIn(result: SessionResult, lineOf: (pin: string, turn: number) => number | undefined): Placed[] {
  const levelOf = (each: SessionResult['level']): Placed['level'] => (each === 'error' ? 'error' : 'warning');
  const { pin, level, turns, problems } = result;
  const session = sessionName(result)
    .replace(/[^\w.-]/g, '-')
    .slice(0, MAX_NAME_CHARS);
  return [
    ...problems.map((problem) => ({
      session,
      ...placedProblem(problem, levelOf(level)),
      file: problem.location?.file ?? pin,
    })),
    ...turns
      .filter(({ comparison, level }) => !isAsRecorded(comparison.verdict) && level !== 'off')
      .map(({ turn, level, comparison, problems: [problem] }) => ({
        session,
        level: levelOf(level),
        message: [
          `${outcomeWord(comparison.verdict)}: ${divergenceWords(comparison, { isLineShown: true }) || (problem?.message ?? comparison.note ?? '')}`,
          // The answer, and the last lines that the agent printed.
          ...(comparison.divergence === null ? (problem?.evidence ?? []) : []),
        ].join('\n'),
        file: pin,
        line: lineOf(pin, turn),
      })),
  ];
}

function placedProblem({ code, message, hint, location }: Problem, level: Placed['level']): Placed {
  const text = [`${message} (${code})`, hint].filter((part) => part !== undefined).join('\n');
  return { level, message: inAction(text), file: location?.file, line: location?.line };
}

/** Turns a path into one from the checked-out repository, as annotations need it. */
export function fromWorkspace(file: string, root: string): string {
  const { GITHUB_WORKSPACE = process.cwd() } = process.env;
  return plain(path.relative(GITHUB_WORKSPACE, path.resolve(root, file)).replaceAll(path.sep, '/'));
}

export async function writeSummary(report: Report, options: Beside & Pick<MarkdownOptions, 'head'>): Promise<void> {
  await addToSummary(renderMarkdown(report, { maxBytes: MAX_SUMMARY_BYTES, ...options, say: inAction }));
}

export async function addToSummary(markdown: string): Promise<void> {
  try {
    await core.summary.addRaw(sealed('the job summary', markdown), true).write();
  } catch {
    core.warning('The job summary could not be written; the report is in the output folder.', {
      title: 'agent-replay',
    });
  }
}

/** Scripts read them, so they hold only our own words, numbers, and paths that we made. */
export function publishOutputs(report: Report, folder: string): void {
  const { sessions } = report.results;
  const count = (name: string) => sessions.filter(({ verdict }) => verdict === name).length;
  const verdicts = Object.fromEntries(Object.keys(OUTCOMES).map((name) => [name, count(name)]));
  const written = (name: string) => [path.join(folder, name)].filter((file) => existsSync(file)).join();
  setOutput('status', gateOf(report).status);
  setOutput('verdicts', JSON.stringify(verdicts));
  setOutput('report', written('report.json'));
  setOutput('html', written('report.html'));
}

export function publishAddresses({ comment = '', issue = '' }: { comment?: string; issue?: string }): void {
  setOutput('comment-url', comment);
  setOutput('issue-url', issue);
}

/** Makes invisible characters visible. The toolkit escapes the rest. */
function plain(text: string): string {
  return linesForTerminal(text).join('\n');
}
