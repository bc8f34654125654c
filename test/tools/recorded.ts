import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../src/config/index.ts';
import { type Project, projectWith } from '../cli/project.ts';

/** `[tool, arguments]`, and what it came to when it was recorded: a result, or `{ error }`. */
export type Scripted = readonly [tool: string, args: object, came?: object];

export interface ToolsProject extends Project {
  /** The calls that reached the tools themselves. */
  acted(): Promise<[string, object][]>;
}

/** A project whose agent does what its input says, see fixtures/agent.ts, and pins of what it did once. */
export async function projectOf(
  sessions: Readonly<Record<string, readonly (readonly Scripted[])[]>>,
  {
    tools,
    env = {},
    recordings = 0,
    ...config
  }: Partial<ConfigInput> & { env?: Readonly<Record<string, string>>; recordings?: number },
): Promise<ToolsProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tools-'));
  const ledger = path.join(folder, 'ledger');
  const command = `"${process.execPath}" "${fileURLToPath(new URL('./fixtures/agent.ts', import.meta.url))}"`;
  const pins = Object.entries(sessions).map(([id, steps]) => [
    `replays/${id}.session.json`,
    JSON.stringify(pinOf(id, steps, recordings)),
  ]);
  const project = await projectWith({
    files: Object.fromEntries(pins),
    config: { tools, ...config },
    agent: { command, env: { LEDGER: ledger, ...env } },
  });
  return {
    ...project,
    acted: async () => {
      const text = await readFile(ledger, 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const AT = Date.UTC(2026, 0, 1);
const time = (ms: number): string => new Date(AT + ms).toISOString();

function pinOf(id: string, steps: readonly (readonly Scripted[])[], recordings: number): object {
  const ids: string[] = [];
  const observations: object[] = [];
  const output: unknown[] = [];
  for (const [at, calls] of steps.entries()) {
    const before = [...ids];
    for (const [name, given, came] of calls) {
      const own = `id_${String(ids.length).padStart(2, '0')}${'ab12'.repeat(6)}`.slice(0, 27);
      ids.push(own);
      const args = JSON.parse(JSON.stringify(given).replace(/\{(\d+)\}/g, (_, index) => before[Number(index)] ?? ''));
      const result = came ?? { did: name, id: own, at: time(10 * at + 5) };
      const isError = 'error' in result;
      output.push(isError ? result : (result as { did?: string }).did);
      observations.push({
        id: `t${observations.length}`,
        parentId: 'r',
        type: 'tool',
        name,
        startTime: time(10 * at + 1),
        endTime: time(10 * at + 9),
        input: args,
        ...(isError ? { level: 'ERROR', statusMessage: result.error } : { output: result }),
      });
    }
  }
  const input = JSON.stringify(steps.map((calls) => calls.map(([name, args]) => [name, args])));
  const root = {
    id: 'r',
    parentId: null,
    type: 'agent',
    name: 'turn',
    startTime: time(0),
    endTime: time(1_000),
    input,
  };
  const answer = JSON.stringify(output);
  const recorded = { output: answer, observations: [{ ...root, output: answer }, ...observations] };
  return {
    version: 1,
    id,
    turns: [{ request: { input }, recorded, baselines: Array.from({ length: recordings }, () => recorded) }],
  };
}
