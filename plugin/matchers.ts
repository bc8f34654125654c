import { expect, type MatcherResult, type MatcherState, type SyncMatcherResult } from 'vitest';
import { CouldNotTell, divergencesIn, firstPair, minorIn, sidesOf } from './failures.ts';
import { askOnce, retryNote } from './retried.ts';
import { safeText, safeValue } from './safe.ts';
import { isDoubtful, isSession, type ReplayHow } from './session.ts';
import { callsOf, type ExpectedCall, isCall, isTrajectory, type ToolCall, type TrajectoryMode } from './tool-calls.ts';
import type { Replayed } from './wire.ts';

/** The plugin registers these in every test file, as a set-up file. */
expect.extend({ toReproduce, toAgree, toHaveCalledTool, toMatchTrajectory });

async function toReproduce(this: MatcherState, received: unknown, how?: ReplayHow): MatcherPromise {
  const session = sessionIn(received, 'toReproduce');
  const replayed = await askOnce(session, how, this.task);
  const { status } = replayed.report.results;
  const isForgiven = status === 'passed' && isDoubtful(replayed);
  if ((status !== 'passed' && status !== 'failed') || (this.isNot && isForgiven)) throw CouldNotTell.of(replayed);
  warn(replayed, this.task);
  return {
    pass: status === 'passed',
    message: () =>
      (status === 'passed'
        ? `expected session "${safeText(session.id)}" not to reproduce, and no divergence was found`
        : divergencesIn(replayed).join('\n')) + retryNote(this.task),
    ...(status === 'failed' ? sidesOf(firstPair(replayed.turns, 'diverged')) : {}),
  };
}

async function toAgree(this: MatcherState, received: unknown, how?: ReplayHow): MatcherPromise {
  const session = sessionIn(received, 'toAgree');
  if (how?.runs === 1) throw new CouldNotTell('one run has nothing to agree with.', { hint: 'Give at least 2 runs.' });
  // How a gate judges these replays makes no difference, so that it asks for no further ones.
  const replayed = await askOnce(session, { ...how, isExact: how?.runs !== undefined }, this.task);
  const { turns } = replayed.session;
  const split = turns.filter(({ comparison }) => comparison.figures.behaviours > 1);
  const isSingle = turns.some(({ comparison }) => comparison.figures.n < 2);
  if (split.length === 0 && (isDoubtful(replayed) || isSingle)) throw CouldNotTell.of(replayed);
  warn(replayed, this.task);
  const told = split.map(({ turn, comparison: { figures } }) => {
    const ways = `turn ${turn}: ${figures.n} runs behaved in ${figures.behaviours} ways`;
    const which = figures.behaviours === 2 ? 'which' : 'of which the two most frequent';
    return `${ways}, ${which} ${safeText(replayed.disagreements[turn] ?? 'differ')}`;
  });
  const replays = `the replays of session "${safeText(session.id)}"`;
  return {
    pass: split.length === 0,
    message: () =>
      (split.length === 0
        ? `expected ${replays} not to agree, and they do`
        : `expected ${replays} to agree: ${told.join('; ')}`) + retryNote(this.task),
    ...(split.length === 0 ? {} : sidesOf(firstPair(replayed.turns, 'disagreed'))),
  };
}

function toHaveCalledTool(this: MatcherState, received: unknown, name: string, args?: unknown): SyncMatcherResult {
  const calls = callsIn(received, 'toHaveCalledTool');
  const expected: ExpectedCall = args === undefined ? name : { name, args };
  const pass = calls.some((call) => isCall(call, expected, this.equals));
  const ofTool = calls.filter((call) => call.name === name);
  const asExpected = args === undefined ? '' : ' with these arguments';
  return {
    pass,
    message: () =>
      pass
        ? `expected ${safeText(name)} not to be called${asExpected}`
        : `expected ${safeText(name)} to be called${asExpected}; called: ${namesOf(calls)}`,
    // Without a call of that tool there is nothing to compare the arguments with.
    ...(pass || args === undefined || ofTool.length === 0
      ? {}
      : {
          expected: args,
          actual: safeValue((ofTool.length === 1 ? ofTool[0]?.args : ofTool.map((call) => call.args)) ?? null),
        }),
  };
}

function toMatchTrajectory(
  this: MatcherState,
  received: unknown,
  expected: readonly ExpectedCall[],
  { mode = 'strict' }: { mode?: TrajectoryMode } = {},
): SyncMatcherResult {
  const calls = callsIn(received, 'toMatchTrajectory');
  const pass = isTrajectory(calls, expected, mode, this.equals);
  const wanted = expected.map((each) => (typeof each === 'string' ? { name: each } : each));
  // Arguments that the test did not ask about are no difference.
  const shown = calls.map(({ name, args }, index) => (hasArgs(wanted[index]) ? { name, args } : { name }));
  return {
    pass,
    message: () =>
      `expected the calls${pass ? ' not' : ''} to match (${mode}) ${namesOf(wanted)}; called: ${namesOf(calls)}`,
    ...(pass ? {} : { expected: wanted, actual: safeValue(shown) }),
  };
}

/** Notes on the test what the policy only warns about, such as a reworded answer that nobody judged. */
function warn(replayed: Replayed, task: MatcherState['task']): void {
  for (const sentence of divergencesIn(replayed, ['warn'])) void task?.context.annotate(sentence, 'warning');
  for (const sentence of minorIn(replayed)) void task?.context.annotate(sentence, 'notice');
}

type MatcherPromise = Promise<Awaited<MatcherResult>>;

function namesOf(calls: readonly { readonly name: string }[]): string {
  return safeText(calls.map(({ name }) => name).join(', ')) || 'no tool';
}

function hasArgs(expected: { readonly args?: unknown } | undefined): boolean {
  return expected === undefined || expected.args !== undefined;
}

function sessionIn(received: unknown, matcher: string) {
  if (isSession(received)) return received;
  throw new TypeError(`${matcher} is for a pinned session: await expect(session('refund')).${matcher}()`);
}

function callsIn(received: unknown, matcher: string): ToolCall[] {
  if (typeof received === 'object' && received !== null && 'steps' in received && Array.isArray(received.steps)) {
    return callsOf({ steps: received.steps });
  }
  throw new TypeError(`${matcher} is for a trace: const [trace] = await session('refund').replay()`);
}
