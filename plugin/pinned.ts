import { describe, expect, type TestContext, test } from 'vitest';
import { ask } from './ask.ts';
import { at, CouldNotTell, Diverged, divergencesIn, firstPair, type Place, sidesOf } from './failures.ts';
import { safeText } from './safe.ts';
import type { PinnedFile, Replayed } from './wire.ts';

/** The tests of a pinned session: a suite for it, a test for each turn. Called by what a pin is turned into. */
export function pinnedSession({ file, session, problems }: PinnedFile): void {
  // A test that imports a pin wants its JSON.
  if (expect.getState().testPath !== file) return;
  for (const { line, column, ...problem } of problems) {
    test(`is a valid pin: ${safeText(problem.code)}`, () => {
      throw at(CouldNotTell.because(problem), { file, line, column });
    });
  }
  if (session === undefined) return;
  const { id, title, turns, inSequence } = session;
  let whole: Promise<Replayed> | undefined;
  describe(safeText(title === undefined ? id : `${id}: ${title}`), () => {
    for (const { turn, ...position } of turns) {
      const place = { file, ...position };
      const replayed = async (signal: AbortSignal) => {
        if (!inSequence) return ask({ session: id, turn }, signal);
        whole ??= ask({ session: id });
        return onlyTurn(await whole, turn);
      };
      // Never retried: that would hide a flaky agent. Side by side, so that the replays of one turn need not wait for those of another. Each replay has its own
      // time limits, and nobody can know how long they wait for their turn.
      test.concurrent(`turn ${turn}`, { timeout: 0, retry: 0 }, async (context) => {
        judge(await replayed(context.signal).catch((error) => Promise.reject(at(error, place))), place, context);
      });
    }
  });
}

/** Throws what the policy fails, and notes what it only warns of. */
function judge(replayed: Replayed, place: Place, { annotate }: TestContext): void {
  const { status, turns } = replayed;
  if (status === 'failed') {
    throw at(new Diverged(divergencesIn(replayed).join('\n'), sidesOf(firstPair(turns, 'diverged'))), place);
  }
  if (status !== 'passed') throw at(CouldNotTell.of(replayed), place);
  for (const sentence of divergencesIn(replayed, ['warn'])) void annotate(sentence, 'warning');
}

function onlyTurn({ session, turns }: Replayed, turn: number): Replayed {
  const own = session.turns.filter((each) => each.turn === turn);
  const verdict = own[0]?.comparison.verdict ?? 'inconclusive';
  const isFailing = own[0] === undefined || own[0].level === 'error';
  return {
    status: !isFailing ? 'passed' : verdict === 'inconclusive' ? 'error' : 'failed',
    session: { ...session, turns: own },
    turns: turns.filter((each) => each.turn === turn),
  };
}
