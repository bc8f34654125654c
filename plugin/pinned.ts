import { describe, expect, type TestContext, test } from 'vitest';
import type { Problem } from '../src/rims.ts';
import { ask } from './ask.ts';
import {
  at,
  by,
  CouldNotTell,
  Diverged,
  divergencesIn,
  firstPair,
  from,
  isLoss,
  linesOf,
  minorIn,
  type Place,
  sidesOf,
} from './failures.ts';
import { safeText } from './safe.ts';
import { nameOfTurn, type PinMeta, type PinnedFile, type Replayed, wantedOf } from './wire.ts';

type RunningTask = TestContext['task'];

/** Defines the tests of a pinned session: a suite, with a test per turn. The module of a pin calls it. */
export function pinnedSession({ file, session, problems }: PinnedFile): void {
  // A test that imports a pin wants only its JSON.
  if (expect.getState().testPath !== file) return;
  for (const problem of problems) {
    test(`is a valid pin: ${safeText(problem.code)}`, ({ task }) => {
      putInMeta(task, { problems: [problem] });
      const { line = 1, column = 1 } = problem.location ?? {};
      throw at(CouldNotTell.because(problem), { file, line, column });
    });
  }
  if (session === undefined) return;
  const { name, turns } = session;
  let replaying: Promise<Replayed> | undefined;
  const replay = async ({ task, signal }: TestContext): Promise<Replayed> => {
    const wanted = wantedOf(session, turnsThatRun(task, turns));
    const replayed = await ask({ wanted, project: task.file.projectName ?? '' }, signal).catch((error: Error) => {
      putInMeta(task, { problems: [CouldNotTell.problemIn(error) ?? []].flat() });
      throw error;
    });
    putInMeta(task, { report: replayed.report, tested: replayed.tested, accepted: acceptedIn(replayed) });
    return replayed;
  };
  describe(name, () => {
    for (const { turn, ...position } of turns) {
      const place = { file, ...position };
      // Never retried: that would hide an agent that varies. Concurrent: the whole session is replayed at once. Without
      // a time limit: replays have their own, and nobody knows how long they wait for their turn.
      test.concurrent(nameOfTurn(turn), { timeout: 0, retry: 0 }, async (context) => {
        replaying ??= replay(context);
        judge(await replaying.catch((error) => Promise.reject(by(error, place))), turn, place, context);
      });
    }
  });
}

/** Turns that no filter of Vitest excludes. */
function turnsThatRun({ suite }: RunningTask, turns: readonly { readonly turn: number }[]): number[] {
  const left = new Set(suite?.tasks.flatMap(({ name, mode }) => (mode === 'skip' || mode === 'todo' ? [name] : [])));
  return turns.flatMap(({ turn }) => (left.has(nameOfTurn(turn)) ? [] : [turn]));
}

function putInMeta(
  { file }: RunningTask,
  { report, tested = [], problems = [], accepted = [] }: Partial<PinMeta>,
): void {
  const told = file.meta.agentReplay;
  file.meta.agentReplay = {
    report: report ?? told?.report,
    tested: [...(told?.tested ?? []), ...tested],
    problems: [...(told?.problems ?? []), ...problems],
    accepted: [...(told?.accepted ?? []), ...accepted],
  };
}

/** Throws what the policy fails; notes what it only warns about, and what was accepted. */
function judge(replayed: Replayed, turn: number, place: Place, { annotate, skip }: TestContext): void {
  const [own] = replayed.session.turns.filter((each) => each.turn === turn);
  const part = onlyTurn(replayed, turn);
  const note = (text: string, type: string) => from(place, () => void annotate(text, type));
  for (const sentence of acceptedIn(part)) note(sentence, 'notice');
  const refused = (replayed.acceptance?.refused ?? []).flatMap(notAccepted);
  const [needed, ...others] = own?.problems ?? [];
  // Without its model nobody can tell, and that is no failure of the code.
  if (needed?.code === 'MODEL_NEEDED' && others.length === 0 && own?.comparison.verdict === 'could-not-tell')
    skip(safeText(needed.message));
  if (own === undefined || (own.level === 'error' && own.comparison.verdict === 'could-not-tell')) {
    throw by(CouldNotTell.of(part, refused), place);
  }
  if (own.level === 'error') {
    const told = [...divergencesIn(part), ...refused];
    throw by(new Diverged(told.join('\n'), sidesOf(firstPair(part.turns, 'diverged'))), place);
  }
  if (part.session.problems.some(isLoss)) throw by(CouldNotTell.of(part, refused), place);
  for (const sentence of divergencesIn(part, ['warn'])) note(sentence, 'warning');
  for (const sentence of minorIn(part)) note(sentence, 'notice');
  for (const warning of own.warnings ?? []) note(linesOf(warning).join('\n'), 'warning');
  // A forgiven doubt is still mentioned.
  if (own.level === 'warn' && own.comparison.verdict === 'could-not-tell')
    note(CouldNotTell.of(part).message, 'warning');
}

function notAccepted(problem: Problem): string[] {
  return linesOf({ ...problem, code: '', message: `not accepted: ${problem.message}` });
}

function acceptedIn({ acceptance, session }: Replayed): string[] {
  return (acceptance?.accepted ?? []).map(({ sentence, droppedBaselines }) => {
    const dropped = droppedBaselines === 0 ? '' : ` (${droppedBaselines} further recordings of it are dropped)`;
    return safeText(`accepted: ${session.pin}${dropped}: ${sentence}`);
  });
}

function onlyTurn({ report, session, turns, acceptance, ...rest }: Replayed, turn: number): Replayed {
  return {
    ...rest,
    report,
    session: { ...session, turns: session.turns.filter((each) => each.turn === turn) },
    turns: turns.filter((each) => each.turn === turn),
    acceptance: acceptance && { ...acceptance, accepted: acceptance.accepted.filter((each) => each.turn === turn) },
  };
}
