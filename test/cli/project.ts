import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../src/config/index.ts';
import { parseReport, type Report } from '../../src/report/index.ts';
import { freePort, processesWith } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';

export function fixture(name: string): string {
  return `"${process.execPath}" "${fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))}"`;
}

export interface Project extends AsyncDisposable {
  readonly path: string;
  readonly port: number;
  /** `report.json` of the last run. */
  report(): Promise<Report>;
  read(file: string): Promise<string>;
  /** The texts of all files in the output folder, by their names there. */
  outputs(): Promise<Record<string, string>>;
  /** Ids of processes that the agent left. */
  leftovers(): number[];
}

export interface ProjectOptions {
  /** The inputs of each session, by its id, one turn each. The recording is what the agent does without a prefix. */
  readonly sessions?: Readonly<Record<string, string | readonly string[]>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Partial<ConfigInput>;
  readonly agent?: Partial<NonNullable<ConfigInput['agent']>>;
}

/** A project on disk with the small agent, its configuration and its pinned sessions. */
export async function projectWith({ sessions = {}, files = {}, config, agent }: ProjectOptions): Promise<Project> {
  const port = await freePort();
  const marker = randomUUID();
  const { env, ...rest } = agent ?? {};
  const written: ConfigInput = {
    runs: 2,
    retries: 0,
    ...config,
    // Unless it is told to send one late, the small agent sends its spans before it answers.
    timeouts: { trace: 20_000, ...(env?.LATE === undefined && { late: 1 }), ...config?.timeouts },
    agent: {
      command: fixture('agent.ts'),
      url: `http://127.0.0.1:${port}/replay`,
      env: { PORT: String(port), MARKER: marker, ...env },
      ...rest,
    },
  };
  const pins = Object.entries(sessions).map(([id, inputs]) => [
    `replays/${id}.session.json`,
    JSON.stringify(pinOf(id, [inputs].flat())),
  ]);
  const folder = await folderWith({
    'agent-replay.config.json': JSON.stringify(written),
    ...Object.fromEntries(pins),
    ...files,
  });
  const read = (file: string) => readFile(path.join(folder.path, file), 'utf8');
  return {
    ...folder,
    port,
    read,
    outputs: async () => {
      const dir = path.join(folder.path, '.agent-replay');
      const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
      const names = files.map(({ parentPath, name }) => path.relative(dir, path.join(parentPath, name)));
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await read(`.agent-replay/${name}`)] as const)),
      );
    },
    report: async () => parseReport(await read('.agent-replay/report.json')),
    leftovers: () => processesWith(marker),
  };
}

export function pinOf(id: string, inputs: readonly string[]): object {
  return { version: 1, id, turns: inputs.map((input) => ({ request: { input }, recorded: recordingOf(input) })) };
}

function recordingOf(input: string): object {
  const output = input === 'varies' ? 'answer 0' : `answer to ${input}`;
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  return {
    output,
    observations: [
      { id: 'r', parentId: null, type: 'agent', name: 'turn', startTime: at(0), endTime: at(3), input, output },
      {
        id: 't',
        parentId: 'r',
        type: 'tool',
        name: 'lookup',
        startTime: at(1),
        endTime: at(2),
        input: { text: input },
        output: 'found',
      },
    ],
  };
}
