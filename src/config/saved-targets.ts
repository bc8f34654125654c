import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type AgentOptions, agentOptions } from '../agent/index.ts';
import { AgentReplayError } from '../errors.ts';
import { notWritable, OUR_FOLDER, readTextFile, replaceFile } from '../files/index.ts';
import { JsonError, parseJson } from '../json/index.ts';
import type { Config } from './schema.ts';
import { expectOwn } from './trust.ts';

/** Target URLs saved on the Reproducibility page, by agent; relative to the root. */
const FILE = path.join(OUR_FOLDER, 'agents.json');
const VERSION = 1;
const entry = z.object({ id: z.string(), url: z.string() });
const file = z.object({ version: z.literal(VERSION), agents: z.array(entry) });

/** Target URLs by agent id. The empty id stands for sessions that name no agent. */
type SavedTargets = ReadonlyMap<string, string>;

/** @throws AgentReplayError `CONFIG_NOT_TRUSTED`; `CONFIG_INVALID` if the file exists and cannot be read */
export async function readSavedTargets(root: string): Promise<SavedTargets> {
  const place = path.join(root, FILE);
  await expectOwn(place);
  try {
    const { agents } = file.parse(parseJson(await readTextFile(place)));
    return new Map(agents.map(({ id, url }) => [id, url]));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // If a file has the place of the folder, a later write into it reports the reason.
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    const why = error instanceof JsonError ? error.message : (code ?? 'it is not what was saved');
    throw new AgentReplayError('CONFIG_INVALID', `${FILE} could not be read: ${why}.`, {
      location: { file: place },
      hint: 'Delete it, and save the target URLs again on the Reproducibility page.',
      cause: error,
    });
  }
}

/**
 * Saves the target URL of one agent. The file is replaced in one step, or stays as it was.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`, and as {@link readSavedTargets}
 */
export async function saveTarget(root: string, agentId: string, url: string): Promise<void> {
  const saved = new Map(await readSavedTargets(root)).set(agentId, url);
  const place = path.join(root, FILE);
  try {
    const agents = [...saved].map(([id, url]) => ({ id, url }));
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await replaceFile(place, `${JSON.stringify({ version: VERSION, agents }, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw notWritable(FILE, cause, 'give the address with --url');
  }
}

/** Adds saved URLs where the configuration has none: to its agents, or, if it has no agent, for all that were saved. */
export function withSavedTargets(config: Config, saved: SavedTargets): Config {
  const { agent, agents } = config;
  const filled = (one: AgentOptions, id: string): AgentOptions => {
    const url = one.url ?? saved.get(id);
    return url === undefined ? one : { ...one, url };
  };
  if (agents !== undefined) return { ...config, agents: mapped(Object.entries(agents), filled) };
  if (agent !== undefined) return { ...config, agent: filled(agent, agent.id ?? '') };
  const named = [...saved].filter(([id]) => id !== '');
  if (named.length > 1) return { ...config, agents: mapped(named, (url) => agentOptions.parse({ url })) };
  const [only] = named.length === 1 ? named : saved;
  if (only === undefined) return config;
  const [id, url] = only;
  return { ...config, agent: agentOptions.parse({ url, ...(id === '' ? {} : { id }) }) };
}

/** The name under which the target URL of a session's agent is saved. */
export function savedName({ agent }: Config, agentId: string | undefined): string {
  const isOnly = agent !== undefined && (agent.id === undefined || agentId === undefined);
  return isOnly ? (agent.id ?? '') : (agentId ?? '');
}

function mapped<T>(entries: readonly (readonly [string, T])[], to: (one: T, id: string) => AgentOptions) {
  return Object.fromEntries(entries.map(([id, one]) => [id, to(one, id)]));
}
