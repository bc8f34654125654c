import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';

/** An event that starts workflows: its name, its payload, and other values of the context `github`. */
export interface Started {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly github: Readonly<Record<string, string>>;
}

export type Outcome = 'success' | 'failure' | 'cancelled';

export interface PlayedStep {
  readonly job: string;
  /** The step's name, the action that it uses, or the first line that it runs. */
  readonly name: string;
  readonly run: string | undefined;
  readonly uses: string | undefined;
  readonly with: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface Played {
  /** Group of concurrency, and whether it ends what runs in it. */
  readonly group: string;
  readonly cancels: boolean;
  /** In order; legs of a matrix one after another. */
  readonly steps: readonly PlayedStep[];
}

export interface PlayOptions {
  /** The outcomes of steps, by name. Steps that are not named succeed. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  /** The outputs of steps, by id. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: unknown;
  readonly with?: object;
  readonly env?: object;
  readonly 'continue-on-error'?: unknown;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: unknown;
  readonly uses?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly Step[];
}

/**
 * Evaluates a workflow: which of its jobs and steps run after an event, and with what. GitHub's own library evaluates
 * the expressions. When a job or step runs follows our reading of GitHub's documentation. No step is run here.
 * @returns undefined when the event does not start it
 */
export function play(text: string, started: Started, options: PlayOptions = {}): Played | undefined {
  const workflow = parse(text);
  if (!isStartedBy(workflow.on, started)) return undefined;
  const needs: Record<string, object> = {};
  const contexts = { ...contextsOf(started, options), needs };
  const { group = '', 'cancel-in-progress': cancels = false } = workflow.concurrency ?? {};
  const steps: PlayedStep[] = [];
  const results = new Map<string, Outcome | 'skipped'>();
  for (const [id, job] of Object.entries<Job>(workflow.jobs)) {
    const needed = [job.needs ?? []].flat().map((name) => results.get(name) ?? 'skipped');
    const state = needed.includes('cancelled')
      ? 'cancelled'
      : needed.every((each) => each === 'success')
        ? 'success'
        : 'failure';
    const runs = isMeant(job.if, contexts, state);
    results.set(id, runs ? playJob(id, job, { contexts, outcomes: options.outcomes ?? {}, steps }) : 'skipped');
    const outputs = Object.entries(job.outputs ?? {}).map(([name, value]) => [name, filled(value, contexts)]);
    needs[id] = { result: results.get(id), outputs: Object.fromEntries(outputs) };
  }
  return { group: filled(group, contexts), cancels: filled(String(cancels), contexts) === 'true', steps };
}

interface JobPlay {
  readonly contexts: Contexts;
  readonly outcomes: Readonly<Record<string, Outcome>>;
  readonly steps: PlayedStep[];
}

function playJob(id: string, job: Job, { contexts, outcomes, steps }: JobPlay): Outcome {
  let result: Outcome = 'success';
  for (const matrix of legsOf(job)) {
    let state: Outcome = 'success';
    const own = { ...contexts, matrix };
    const called: Step[] = job.uses === undefined ? [] : [{ uses: job.uses }];
    for (const step of job.steps ?? called) {
      if (!isMeant(step.if, own, state)) continue;
      const name = step.name ?? step.uses?.replace(/@.*/, '').replace(/^.*\//, '') ?? step.run?.split('\n', 1)[0] ?? '';
      const all = (values: object = {}) =>
        Object.fromEntries(Object.entries(values).map(([key, value]) => [key, filled(String(value), own)]));
      const run = step.run === undefined ? undefined : filled(step.run, own);
      steps.push({ job: id, name, run, uses: step.uses, with: all(step.with), env: all(step.env) });
      const outcome = outcomes[name] ?? 'success';
      if (outcome === 'cancelled' || (outcome === 'failure' && step['continue-on-error'] !== true)) state = outcome;
    }
    if (state !== 'success') result = state;
  }
  return result;
}

function legsOf({ strategy }: Job): Record<string, unknown>[] {
  return Object.entries(strategy?.matrix ?? {}).reduce<Record<string, unknown>[]>(
    (legs, [key, values]) => legs.flatMap((leg) => values.map((value) => ({ ...leg, [key]: value }))),
    [{}],
  );
}

type Contexts = Readonly<Record<string, unknown>>;

function contextsOf({ name, payload, github }: Started, { outputs = {} }: PlayOptions): Contexts {
  return {
    github: { event_name: name, event: payload, token: 'TOKEN', workflow: 'w', run_id: '77', ...github },
    inputs: payload.inputs ?? {},
    steps: Object.fromEntries(Object.entries(outputs).map(([id, each]) => [id, { outputs: each }])),
    secrets: {},
    runner: { temp: '/tmp' },
    matrix: {},
  };
}

interface Filter {
  readonly types?: readonly string[];
  readonly branches?: readonly string[];
  readonly tags?: readonly string[];
  readonly workflows?: readonly string[];
}

const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
};

function isStartedBy(on: unknown, { name, payload, github }: Started): boolean {
  const events =
    typeof on === 'string'
      ? { [on]: null }
      : Array.isArray(on)
        ? Object.fromEntries(on.map((each) => [each, null]))
        : Object(on);
  if (!(name in events)) return false;
  const filter: Filter = events[name] ?? {};
  const { types = DEFAULT_TYPES[name] } = filter;
  if (types !== undefined && !types.includes(String(payload.action))) return false;
  if (name !== 'push') return true;
  const { branches, tags } = filter;
  const [wanted, other] = github.ref_type === 'tag' ? [tags, branches] : [branches, tags];
  if (wanted === undefined) return other === undefined;
  return wanted.some((pattern) => patternOf(pattern).test(github.ref_name ?? ''));
}

/** A pattern of branches or tags, in which `+` repeats and a bracket is a set, as GitHub has it. */
function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
}

const STATES = ['success', 'failure', 'cancelled', 'always'] as const;

/** A condition without a status function (`always()` and the like) holds only if nothing has failed. */
function isMeant(condition: unknown, contexts: Contexts, state: Outcome): boolean {
  const text = String(condition ?? 'success()').replace(/^\s*\$\{\{([\s\S]*)\}\}\s*$/, '$1');
  const asksState = STATES.some((name) => text.includes(`${name}()`));
  return isTruthy(evaluated(asksState ? text : `success() && (${text})`, contexts, state));
}

function isTruthy(value: data.ExpressionData): boolean {
  return (
    !['', '0', 'false', 'null'].includes(value.coerceString()) ||
    value.kind === data.Kind.Dictionary ||
    value.kind === data.Kind.Array
  );
}

/** A text with the values of its expressions in it. */
function filled(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, expression) => evaluated(expression, contexts).coerceString());
}

function evaluated(expression: string, contexts: Contexts, state: Outcome = 'success'): data.ExpressionData {
  const functions = STATES.map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(name === 'always' || name === state),
  }));
  const { tokens } = new Lexer(expression.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const context: data.Dictionary = JSON.parse(JSON.stringify(contexts), data.reviver);
  return new Evaluator(parsed, context, new Map(functions.map((each) => [each.name, each]))).evaluate();
}
