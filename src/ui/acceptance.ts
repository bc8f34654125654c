import path from 'node:path';
import { structuredPatch } from 'diff';
import { isAsRecorded, plainSteps } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { openAcceptance } from '../job/index.ts';
import { type Report, type SessionResult, toProblem } from '../report/index.ts';
import { formatJson, type Pin, savePin } from '../session/index.ts';
import { counted } from '../text/index.ts';
import type { Recording } from '../trace/index.ts';
import type { AcceptableChange, Acceptables, AcceptableTurn } from './api-shapes.ts';
import type { Results } from './results.ts';
import { isPinned } from './sessions.ts';

type AcceptedTurn = Acceptance['accepted'][number];
type Acceptance = ReturnType<Awaited<ReturnType<typeof openAcceptance>>['accept']>;

/** Which part of a result to accept; default: what all replays did. */
export interface Meant {
  readonly run?: number | undefined;
  readonly asRecordings?: boolean | undefined;
}

/** Diff lines that are shown; the pin has the whole, under version control. */
const MAX_LINES = 400;
const CONTEXT_LINES = 2;
/** Two recordings with more differing lines are shown whole, one below the other. */
const MAX_EDITS = 2_000;

/** One result of a pinned session, and what can be accepted of it. */
export class AcceptableResult {
  readonly #pin: Pin;
  readonly #report: Report;
  readonly #result: SessionResult;
  readonly #folder: string;

  private constructor(pin: Pin, report: Report, result: SessionResult, folder: string) {
    this.#pin = pin;
    this.#report = report;
    this.#result = result;
    this.#folder = folder;
  }

  /** @throws AgentReplayError `USAGE` if the session is not pinned, `INPUT_INVALID` if the result does not exist */
  static async open(pin: Pin, id: string, results: Results): Promise<AcceptableResult> {
    const session = pin.session.id;
    if (!isPinned(pin)) {
      throw new AgentReplayError('USAGE', 'Only a pinned session has an original that can be replaced.', {
        hint: 'Pin it first.',
      });
    }
    const report = await results.report(session, id);
    const result = report.results.sessions.find((each) => each.id === session);
    if (result === undefined) throw new AgentReplayError('INPUT_INVALID', 'This session is not in the result.');
    return new AcceptableResult(pin, report, result, results.folder(session, id));
  }

  /** Each way to accept it, with what would be written or why it is refused. Writes nothing. */
  async changes(): Promise<Acceptables> {
    const pin = this.#pin.path;
    if (isAsRecorded(this.#result.verdict)) {
      return { pin, refusal: 'There is nothing to accept: the replays are as recorded.', changes: [] };
    }
    const { ways, areAll } = this.#ways();
    const meant: readonly (Meant & { readonly label: string })[] = [
      ...(ways.length < 2 && areAll
        ? [{ label: 'what all replays did' }]
        : ways.map((runs) => ({ run: runs[0] as number, label: `what ${runsIn(runs)} did` }))),
      { asRecordings: true, label: 'all of it, as further recordings' },
    ];
    const changes = await Promise.all(meant.map((each) => this.#changeOf(each)));
    const refused = changes.every(({ refusal }) => refusal !== null);
    return { pin, refusal: refused ? (changes[0]?.refusal?.message ?? '') : '', changes };
  }

  /** Runs with equal behaviour in all turns, once per behaviour, without those as recorded; and whether these are all. */
  #ways(): { ways: number[][]; areAll: boolean } {
    const wayOf = (run: number) =>
      this.#result.turns.map(({ comparison }) => comparison.clusters.find(({ runs }) => runs.includes(run)));
    const runs = new Set(
      this.#result.turns.flatMap(({ comparison }) => comparison.clusters.flatMap((each) => each.runs)),
    );
    const differing = [...runs].filter((run) => wayOf(run).some((cluster) => cluster?.recorded !== true));
    const ways = Map.groupBy(
      differing.sort((a, b) => a - b),
      (run) =>
        wayOf(run)
          .map((cluster) => cluster?.id ?? '-')
          .join(),
    );
    return { ways: [...ways.values()], areAll: differing.length === runs.size };
  }

  async #changeOf({ label, run, asRecordings = false }: Meant & { readonly label: string }): Promise<AcceptableChange> {
    const { accepted, refused } = await this.#accepted({ run, asRecordings });
    const [refusal] = refused;
    return {
      ...{ label, run: run ?? null, asRecordings },
      turns: accepted.map(acceptableTurn),
      refusal: refusal === undefined ? null : toProblem(refusal),
    };
  }

  async #accepted({ run, asRecordings = false }: Meant): Promise<Acceptance> {
    const { accept } = await openAcceptance(this.#folder, this.#report, { asRecordings });
    const acceptance = accept(this.#pin.session, this.#result, { run });
    if (acceptance.accepted.length > 0 || acceptance.refused.length > 0) return acceptance;
    return { ...acceptance, refused: [new AgentReplayError('USAGE', 'The pin already holds what was replayed.')] };
  }

  /**
   * Writes the pin.
   * @returns its path
   * @throws AgentReplayError the first refusal, which names the file itself
   */
  async write(meant: Meant, { root }: Config): Promise<string> {
    const { session, refused } = await this.#accepted(meant);
    const [refusal] = refused;
    if (refusal !== undefined) {
      const { code, message, evidence, hint } = refusal;
      throw new AgentReplayError(code, message, { evidence, ...(hint !== undefined && { hint }) });
    }
    const { dir, base } = path.posix.parse(this.#pin.path);
    return savePin(session, { root, dir, name: base, overwrite: true });
  }
}

/** `run 2`, `runs 2, 4 and 5`. */
function runsIn(runs: readonly number[]): string {
  return `${runs.length === 1 ? 'run' : 'runs'} ${new Intl.ListFormat('en').format(runs.map(String))}`;
}

function acceptableTurn(accepted: AcceptedTurn): AcceptableTurn {
  const { turn } = accepted;
  if (accepted.as === 'original') return { turn, note: '', lines: diffOf(accepted.before, accepted.after) };
  const { added, total, replaced } = accepted;
  const kept = `${counted(added, 'replay')} kept as recordings, ${total} in all`;
  const instead = replaced && `; ${counted(replaced.count, 'recording')} of ${replaced.made.slice(0, 10)} replaced`;
  return { turn, note: `${kept}${instead ?? ''}.`, lines: [] };
}

/** The recording as lines of text, and its replacement, with context around each change. */
function diffOf(before: Recording, after: Recording): string[] {
  const [old, young] = [before, after].map((each) => `${linesOf(each).join('\n')}\n`) as [string, string];
  const patch = structuredPatch('', '', old, young, '', '', { context: CONTEXT_LINES, maxEditLength: MAX_EDITS });
  const lines =
    patch === undefined
      ? [...prefixed('-', old), ...prefixed('+', young)]
      : patch.hunks.flatMap((hunk, index) => [...(index > 0 ? ['…'] : []), ...hunk.lines]);
  const shown = lines.filter((line) => !line.startsWith('\\')).slice(0, MAX_LINES);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `… ${more} more lines`] : shown;
}

function prefixed(sign: string, text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => sign + line);
}

/** `refund_order` and its arguments, its result, the answer: one paragraph per step. */
function linesOf(recording: Recording): string[] {
  return plainSteps(recording).flatMap(({ kind, name, value }) => {
    const text = value === undefined ? '' : typeof value === 'string' ? value : formatJson(value).trimEnd();
    return [
      `${[kind === 'final' ? 'answer' : kind, name].filter(Boolean).join(' ')}:`,
      ...text.split('\n').map((line) => `  ${line}`),
    ];
  });
}
