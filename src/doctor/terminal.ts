import { styleText } from 'node:util';
import { EXIT } from '../exit.ts';
import { pad, widest, wrap } from '../report/index.ts';
import { counted, forTerminal } from '../text/index.ts';
import type { AgentDiagnosis, Diagnosis } from './diagnose.ts';
import type { State } from './evidence/rule.ts';
import type { CheckedRule } from './judge-rules.ts';

/** One sign per state, always beside its word. */
const SIGNS: Readonly<Record<State, string>> = { pass: '✔', warn: '!', fail: '✘', unknown: '?', skip: '–' };
const STYLES: Readonly<Record<State, Parameters<typeof styleText>[0]>> = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'yellow',
  skip: 'dim',
};

const DEFAULT_COLUMNS = 100;
/** Narrower terminals wrap the lines. */
const MIN_COLUMNS = 60;
/** Facts shown per rule; `--json` has all. */
const MAX_FACTS = 8;

/** 0: no rule failed; 1: one did; 2: none did, but something could not be checked. */
export function exitCodeOf(diagnosis: Diagnosis): number {
  const states = new Set(verdictsOf(diagnosis).map(({ state }) => state));
  return states.has('fail') ? EXIT.diverged : states.has('unknown') ? EXIT.error : EXIT.passed;
}

/**
 * The table for people: rule, result, evidence, and the next move below a failure.
 * @param look.columns width of the terminal
 */
export function renderDiagnosis(
  diagnosis: Diagnosis,
  { colour = false, columns = DEFAULT_COLUMNS }: { readonly colour?: boolean; readonly columns?: number },
): string {
  const width = Math.max(MIN_COLUMNS, columns);
  const paint = (state: State, text: string) =>
    colour ? styleText(STYLES[state], text, { validateStream: false }) : text;
  const all = verdictsOf(diagnosis);
  const idWidth = widest(['rule', ...all.map(({ rule }) => rule)], width);
  const stateWidth = widest(['result', ...all.map(({ state }) => state)], width);
  const indent = ' '.repeat(idWidth + stateWidth + 6);
  const row = ({ rule, state, seen, fix }: CheckedRule): string[] => {
    const told = [...factsOf(seen), ...(fix === undefined ? [] : [`-> ${fix}`])];
    const lines = told.flatMap((fact) => wrap(forTerminal(fact), width - indent.length));
    const head = `${SIGNS[state]} ${pad(rule, idWidth)}  ${pad(state, stateWidth)}`;
    const [first = '', ...rest] = lines;
    return [`${paint(state, head)}  ${first}`.trimEnd(), ...rest.map((line) => indent + line)];
  };
  const rows = (verdicts: readonly CheckedRule[]) => foldSkipped(verdicts).flatMap(row);
  return [
    `  ${pad('rule', idWidth)}  ${pad('result', stateWidth)}  what was seen`,
    ...rows(diagnosis.environment),
    ...diagnosis.agents.flatMap((agent) => ['', ...wrap(titleOf(agent), width), ...rows(agent.rules)]),
    '',
    ...wrap(summaryOf(diagnosis), width),
    '',
  ].join('\n');
}

/** The end of an agent's output shows the reason. */
function factsOf(seen: readonly string[]): string[] {
  if (seen.length <= MAX_FACTS) return [...seen];
  const facts = seen.filter((fact) => !PRINTED.test(fact)).slice(0, MAX_FACTS);
  const printed = seen
    .filter((fact) => PRINTED.test(fact) && !FRAME.test(fact))
    .slice(Math.min(-1, facts.length - MAX_FACTS));
  return [...facts, ...printed, `and ${seen.length - facts.length - printed.length} more`];
}

/** More are a wall of names. */
const NAMED_RULES = 5;

const PRINTED = /^agent[|:] /;
/** Where it was thrown says less than what was. */
const FRAME = /^agent[|:] +(?:at .*|[{}]?)$/;

/** Rules skipped for one reason share a row, so that important rows stand out. */
function foldSkipped(verdicts: readonly CheckedRule[]): CheckedRule[] {
  const reasons = Map.groupBy(
    verdicts.filter(({ state }) => state === 'skip'),
    ({ seen }) => seen.join(),
  );
  const groups = [...reasons.values()].filter(({ length }) => length > 1);
  const folded = groups.map((group): CheckedRule => {
    const names = group.map(({ rule }) => rule).join(', ');
    const seen = [...(group[0]?.seen ?? []), group.length > NAMED_RULES ? '`--json` names them' : names];
    return { rule: counted(group.length, 'rule'), state: 'skip', seen };
  });
  const isFolded = new Set(groups.flat());
  return [...verdicts.filter((verdict) => !isFolded.has(verdict)), ...folded];
}

function titleOf({ id, url }: AgentDiagnosis): string {
  const name = id === undefined ? 'the agent' : `agent ${id}`;
  return forTerminal(url === undefined ? name : `${name} at ${url}`);
}

const WORDS: Readonly<Record<State, string>> = {
  fail: 'failed',
  unknown: 'could not be checked',
  warn: 'with a warning',
  pass: 'passed',
  skip: 'skipped',
};

function summaryOf(diagnosis: Diagnosis): string {
  const all = verdictsOf(diagnosis);
  const counts = Object.entries(WORDS).flatMap(([state, word]) => {
    const number = all.filter((verdict) => verdict.state === state).length;
    return number === 0 ? [] : [`${number} ${word}`];
  });
  const calls = diagnosis.agents.reduce((sum, agent) => sum + agent.calls, 0);
  return `${counts.join(', ')}; ${counted(calls, 'call')}. npx agent-replay help doctor explains each rule.`;
}

function verdictsOf({ environment, agents }: Diagnosis): CheckedRule[] {
  return [...environment, ...agents.flatMap(({ rules }) => rules)];
}
