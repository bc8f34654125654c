import { isAsRecorded, isDoubt } from '../../compare/index.ts';
import { forXml } from '../../text/index.ts';
import type { Problem, Report, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { causesOf } from '../words/causes.ts';
import { howOften, whereAndWhat } from '../words/divergence.ts';
import { runsOf } from '../words/runs-of.ts';
import { gateLines } from '../words/shift-words.ts';
import { type Quoted, quotedIn, turnStory } from '../words/story.ts';
import { placeOf, replacedNote, rerunCommand, runNumbers, separationOf } from '../words/words.ts';

/**
 * A suite per session, a case per turn. A divergence is a `<failure>`, a doubt an `<error>`; if the policy
 * lets it pass, the first is in `<system-out>`, and the second `<skipped>`.
 */
export function renderJunit(report: Report): string {
  const { sessions, problems } = withSeen(report).results;
  const quoted = quotedIn(causesOf(sessions));
  const suites = [
    ...sessions.map((session) => suite(session.pin, sessionCases(session, report, quoted))),
    ...(problems.length > 0 ? [suite('agent-replay', problems.map(problemCase))] : []),
  ];
  const root = element(
    'testsuites',
    { name: 'agent-replay', ...totals(suites.flatMap(({ cases }) => cases)), time: report.evidence.durationMs / 1_000 },
    suites.length === 0 ? [] : ['\n', ...suites.map(({ xml }) => `${xml}\n`)],
  );
  // Two hyphens would end the comment.
  const gate = gateLines(report).map((line) => `<!-- ${forXml(line).replaceAll('--', '- -')} -->\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${gate.join('')}${root}\n`;
}

type CaseState = 'passed' | 'failure' | 'error' | 'skipped';

interface Case {
  readonly outcome: CaseState;
  readonly xml: (suite: string) => string;
}

function sessionCases(session: SessionResult, report: Report, quoted: Quoted): Case[] {
  const rerun = `rerun: ${rerunCommand(session, report)}`;
  return [
    ...session.turns.map((turn) => {
      const runs = runsOf(report, session.id).filter((run) => run.turn === turn.turn);
      const { verdict, divergence, note } = turn.comparison;
      const what =
        divergence === null ? undefined : `${whereAndWhat(divergence)} ${howOften(divergence, turn.comparison)}`;
      const lines = [
        ...turnStory(turn, session, quoted),
        ...[...turn.problems, ...(turn.warnings ?? [])].flatMap((problem) => [
          runNumbers(problem.runs),
          ...problemLines(problem),
        ]),
        ...replacedNote(runs),
        ...(isAsRecorded(verdict) ? [] : [rerun]),
      ];
      const reason = separationOf(turn) ?? what ?? turn.problems[0]?.message ?? note ?? verdict;
      return testCase(`turn ${turn.turn}`, outcomeOf(turn), verdict, reason, lines);
    }),
    ...session.problems.map((problem) => {
      const outcome = session.level === 'error' ? 'error' : 'skipped';
      return testCase('session', outcome, problem.code, problem.message, [...problemLines(problem), rerun]);
    }),
  ];
}

function outcomeOf({ level, comparison: { verdict } }: TurnResult): CaseState {
  if (isAsRecorded(verdict)) return 'passed';
  if (isDoubt(verdict)) return level === 'error' ? 'error' : 'skipped';
  return level === 'error' ? 'failure' : 'passed';
}

function problemCase(problem: Problem): Case {
  const { code, message, location } = problem;
  return testCase(location?.file ?? code, 'error', code, message, problemLines(problem));
}

function problemLines({ code, message, evidence, hint, location }: Problem): string[] {
  return [
    `${code}: ${message}`,
    ...(location === undefined ? [] : [`at ${placeOf(location)}`]),
    ...evidence,
    ...(hint === undefined ? [] : [hint]),
  ];
}

function testCase(name: string, outcome: CaseState, type: string, message: string, lines: readonly string[]): Case {
  const text = lines.map(forXml).join('\n');
  const children = {
    passed: () => (lines.length > 0 ? [element('system-out', {}, [text])] : []),
    failure: () => [element('failure', { type, message }, [text])],
    error: () => [element('error', { type, message }, [text])],
    skipped: () => [element('skipped', { message }), element('system-out', {}, [text])],
  };
  return { outcome, xml: (suite) => element('testcase', { classname: suite, name }, children[outcome]()) };
}

function suite(name: string, cases: readonly Case[]): { readonly cases: readonly Case[]; readonly xml: string } {
  const xml = element(
    'testsuite',
    { name, ...totals(cases) },
    cases.map((each) => each.xml(name)),
  );
  return { cases, xml };
}

function totals(cases: readonly Case[]): Record<string, number> {
  const count = (outcome: CaseState) => cases.filter((each) => each.outcome === outcome).length;
  return { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
}

/** @param children already XML: texts have passed through {@link forXml} */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[] = [],
): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${forXml(String(value))}"`)].join(
    ' ',
  );
  return children.length === 0 ? `<${start}/>` : `<${start}>${children.join('')}</${name}>`;
}
