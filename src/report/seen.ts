import type { Problem, Report, TurnResult } from './schema.ts';

type Failure = NonNullable<Report['evidence']['failures']>[number];
type TurnProblem = TurnResult['problems'][number];

/** Takes the parts that vary from run to run, evidence and hint, out of the problems of a turn. */
export function withoutSeen(problems: readonly TurnProblem[]): TurnProblem[] {
  return problems.map(({ hint: _, ...problem }) => ({ ...problem, evidence: [] }));
}

/** The evidence and hints of a turn's problems: the part that belongs under `evidence`. */
export function seenIn(session: string, turn: number, problems: readonly TurnProblem[]): Failure[] {
  return problems.flatMap(({ code, message, evidence, hint }) =>
    evidence.length === 0 && hint === undefined
      ? []
      : [{ session, turn, code, message, evidence, ...(hint !== undefined && { hint }) }],
  );
}

/** A report for people: puts the evidence back into the problems of turns. */
export function withSeen(report: Report): Report {
  const { results, evidence } = report;
  const seen = new Map((evidence.failures ?? []).map((each) => [placeOf(each.session, each.turn, each), each]));
  if (seen.size === 0) return report;
  const whole = <T extends Problem>(problem: T, session: string, turn: number): T => {
    const { evidence, hint } = seen.get(placeOf(session, turn, problem)) ?? problem;
    return { ...problem, evidence, ...(hint !== undefined && { hint }) };
  };
  const sessions = results.sessions.map((session) => ({
    ...session,
    turns: session.turns.map((turn) => ({
      ...turn,
      problems: turn.problems.map((problem) => whole(problem, session.id, turn.turn)),
      ...(turn.warnings && { warnings: turn.warnings.map((each) => whole(each, session.id, turn.turn)) }),
    })),
  }));
  return { ...report, results: { ...results, sessions } };
}

/** Reports of older versions have no message here. */
function placeOf(session: string, turn: number, { code, message }: Pick<Failure, 'code' | 'message'>): string {
  return JSON.stringify([session, turn, code, message]);
}
