import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../src/json/index.ts';
import type { Observation, Trace } from '../src/trace/index.ts';

/** One run of an agent that others published, as far as it is compared. */
export interface PublicRun {
  readonly task: string;
  /** Which of the runs of the task. */
  readonly run: string;
  readonly model: string;
  /** What the agent was given before its first answer. */
  readonly request: readonly Json[];
  readonly turns: readonly Answer[];
  /** What stands in the world afterwards, as the set's own checker tells it; null if it tells nothing. */
  readonly state: string | null;
}

/** A message of the model, as its provider spells it, and the calls that it made. */
interface Answer {
  readonly message: Json;
  readonly said: string;
  readonly calls: readonly Call[];
  /** The messages that hold the results. */
  readonly results: readonly Json[];
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly output: Json;
  readonly failed?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: shapes of others, read once
type Foreign = any;

const at = (folder: string, pattern: string) => globSync(pattern, { cwd: folder }).sort();
const json = (...file: string[]): Foreign => JSON.parse(readFileSync(path.join(...file), 'utf8'));
const lines = (...file: string[]): Foreign[] =>
  readFileSync(path.join(...file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A shop's service, as transcripts of Claude Code; a checker hashed the shop's database after each run. */
function retailRuns(folder: string): PublicRun[] {
  const states = new Map<string, string>();
  for (const file of at(folder, 'results/*/eval_results.json')) {
    for (const each of json(folder, file))
      states.set(path.join(path.dirname(file), `task_${each.task_id}.jsonl`), each.predicted_hash);
  }
  return at(folder, 'results/*/task_*.jsonl').flatMap((file) => {
    const all = lines(folder, file).filter(({ message, isSidechain }) => message && !isSidechain);
    const results = new Map<string, Foreign>();
    for (const { message } of all)
      for (const part of parts(message)) if (part.type === 'tool_result') results.set(part.tool_use_id, part);
    const answers = Map.groupBy(
      all.filter(({ type }) => type === 'assistant'),
      ({ message }) => message.id,
    );
    const turns = [...answers.values()].map((pieces): Answer => {
      const content = pieces.flatMap(({ message }) => parts(message)).map(({ signature, caller, ...part }) => part);
      const uses = content.filter(({ type }) => type === 'tool_use');
      return {
        message: { role: 'assistant', content },
        said: content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n\n'),
        calls: uses.map(({ id, name, input }) => {
          const result = results.get(id);
          return {
            id,
            name: name.replace(/^mcp__.*__/, ''),
            input,
            output: told(result?.content),
            failed: result?.is_error,
          };
        }),
        results: [{ role: 'user', content: uses.map(({ id }) => results.get(id) ?? null) }],
      };
    });
    const asked = all.find(({ type }) => type === 'user')?.message;
    if (!asked || turns.length === 0) return [];
    const [, run, task] = /results\/(.*)\/task_(.*)\.jsonl/.exec(file) as unknown as [string, string, string];
    const model = all.find(({ type }) => type === 'assistant').message.model;
    return [{ task, run, model, request: [asked], turns, state: states.get(file) ?? null }];
  });
}

function parts(message: Foreign): Foreign[] {
  return Array.isArray(message.content) ? message.content : [{ type: 'text', text: message.content }];
}

function valueIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function told(content: Foreign): Json {
  const text = Array.isArray(content) ? content.map(({ text }) => text).join('\n') : (content ?? null);
  return typeof text === 'string' ? valueIn(text) : text;
}

/** A programmer, as trajectories of SWE-agent: one command of a shell in each answer, and a patch at the end. */
function programmerRuns(folder: string): PublicRun[] {
  return at(folder, '**/*.traj').flatMap((file) => {
    const { history, trajectory, info } = json(folder, file);
    if (!trajectory?.length) return [];
    const first = history.findLastIndex(
      (message: Foreign, index: number) =>
        message.role === 'user' && index < 3 + history.findIndex(({ is_demo }: Foreign) => !is_demo),
    );
    const turns = trajectory.map(
      ({ action, observation, response }: Foreign, index: number): Answer => ({
        message: { role: 'assistant', content: response },
        said: response,
        calls: action ? [{ id: `call_${index}`, name: 'shell', input: { command: action }, output: observation }] : [],
        results: [{ role: 'user', content: observation }],
      }),
    );
    const request = history.slice(0, first + 1).map(({ role, content }: Foreign) => ({
      role,
      content: typeof content === 'string' ? content : JSON.stringify(content),
    }));
    return [
      {
        task: path.basename(file, '.traj'),
        run: path.dirname(file),
        model: 'gpt-4',
        request,
        turns,
        state: info?.submission ?? null,
      },
    ];
  });
}

/** Calls of functions of all kinds, as results of a leaderboard; its checker says which calls are right. */
function functionRuns(folder: string): PublicRun[] {
  return at(folder, '*/result/*/*.json').flatMap((file) => {
    const [date, , model, name] = file.split(path.sep) as [string, string, string, string];
    const category = name.replace(/^.*_test_|^BFCL_v\d_|_result\.json$/g, '').replace(/_result\.json$/, '');
    let wrong = new Set<number>();
    try {
      wrong = new Set(
        lines(folder, date, 'score', model, `${category}_score.json`)
          .slice(1)
          .map(({ id, idx }) => Number(String(id ?? idx).replace(/^.*_/, ''))),
      );
    } catch {
      return [];
    }
    return lines(folder, file).map(({ idx, id, result }): PublicRun => {
      const index = idx ?? Number(id.replace(/^.*_/, ''));
      const calls = (Array.isArray(result) ? result : []).flatMap((each: Foreign, order: number) =>
        Object.entries(each as Record<string, Foreign>).map(([name, args]) => ({
          ...{ id: `call_${order}`, name, output: null },
          input: typeof args === 'string' ? valueIn(args) : args,
        })),
      );
      const said = Array.isArray(result) ? '' : String(result);
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }));
      const message = { role: 'assistant', content: said, ...(calls.length > 0 && { tool_calls }) };
      const request = [{ role: 'user', content: `Question ${index} of ${category}` }];
      return {
        task: `${model} ${category} ${index}`,
        run: date,
        model,
        request,
        turns: [{ message, said, calls, results: [] }],
        state: wrong.has(index) ? 'wrong' : 'right',
      };
    });
  });
}

/** Twelve trades whose searches hold poisoned pages, each task once. */
function tradeRuns(folder: string): PublicRun[] {
  return at(folder, 'runs/**/*.json').map((file) => {
    const { domain, task_id, pipeline_name, seed, messages } = json(folder, file);
    const all = messages.map(({ content, tool_calls, role, tool_call_id, tool_call }: Foreign) => ({
      role,
      content: Array.isArray(content) ? content.map((part: Foreign) => part.content).join('\n') : (content ?? ''),
      ...(tool_call_id || tool_call?.id ? { tool_call_id: tool_call_id ?? tool_call.id } : {}),
      ...(tool_calls?.length && {
        tool_calls: tool_calls.map((call: Foreign) => ({
          id: call.id,
          type: 'function',
          function: { name: call.function, arguments: JSON.stringify(call.args) },
        })),
      }),
    }));
    const start = all.findIndex(({ role }: Foreign) => role === 'assistant');
    const turns = all.flatMap((message: Foreign, index: number): Answer[] => {
      if (message.role !== 'assistant') return [];
      const uses: Foreign[] = message.tool_calls ?? [];
      const results = all.slice(index + 1, index + 1 + uses.length);
      const calls = uses.map(({ id, function: { name, arguments: args } }, order) => ({
        id,
        name,
        input: JSON.parse(args),
        output: results[order]?.content ?? null,
      }));
      return [{ message, said: message.content, calls, results }];
    });
    return {
      task: `${domain} ${task_id}`,
      run: String(seed),
      model: pipeline_name,
      request: all.slice(0, start),
      turns,
      state: null,
    };
  });
}

/**
 * The sets, each with what reads it from a checkout: of `codesque16/tau2-mermaid`, `SWE-agent/SWE-agent`, `HuanzhiMao/BFCL-Result`
 * and `Liu-Ruotian/agentdojo-luna-trajectories`, all on GitHub.
 */
export const SETS: Readonly<Record<string, (folder: string) => PublicRun[]>> = {
  retail: retailRuns,
  swe: programmerRuns,
  bfcl: functionRuns,
  trades: tradeRuns,
};

export function idOf(set: string, { task, run }: PublicRun): string {
  return `${set} ${task} ${run}`.replace(/[^\w-]+/g, '-');
}

/** The run as a tracing SDK would have recorded it: the agent, its model calls with all messages before, its tools. */
export function traceOf(set: string, each: PublicRun): Trace {
  const { model, request, turns } = each;
  const id = idOf(set, each);
  const started = Date.UTC(2026, 0, 15, 9);
  const observations: Observation[] = [];
  const observe = (fields: Pick<Observation, 'type' | 'name' | 'input' | 'output'> & Partial<Observation>) => {
    const startMs = started + 2 * observations.length + 2;
    const times = { startTime: new Date(startMs).toISOString(), endTime: new Date(startMs + 1).toISOString() };
    observations.push({ id: `${id}.${observations.length}`, parentId: `${id}.root`, ...times, ...fields });
  };
  const messages = [...request];
  for (const { message, calls, results } of turns) {
    observe({ type: 'generation', name: 'model', input: { messages: [...messages] }, output: message, model });
    for (const { id: callId, name, input, output, failed } of calls) {
      observe({
        type: 'tool',
        name,
        input,
        output,
        callId,
        ...(failed && { level: 'ERROR' as const, statusMessage: String(output) }),
      });
    }
    messages.push(message, ...results);
  }
  const root: Observation = {
    ...{ id: `${id}.root`, parentId: null, type: 'agent', name: set, input: { messages: [...request] } },
    output: turns.at(-1)?.said ?? '',
    startTime: new Date(started).toISOString(),
    endTime: new Date(started + 2 * observations.length + 4).toISOString(),
  };
  return {
    id,
    name: set,
    timestamp: root.startTime,
    sessionId: id,
    metadata: { agent_id: set, run_id: id },
    observations: [root, ...observations],
  } as unknown as Trace;
}
