import { type Command, InvalidArgumentError } from 'commander';
import { type Config, loadConfig, parseConfig } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { openPlatform, type Platform, platformCredentials } from '../tracing/index.ts';

/** Which recorded sessions of the platform are meant. */
export interface RecordedFlags {
  readonly since: string;
  readonly limit: number;
  readonly search?: string;
  readonly agentId?: string;
}

const DEFAULT_LIMIT = 20;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The options with which sessions of the platform are chosen. */
export function withRecordedOptions(command: Command): Command {
  return command
    .option('--since <time>', 'with a turn since then: a date, or 30m, 24h, 7d, 2w ago', sinceOption, sinceOption('7d'))
    .option('--limit <n>', 'the newest so many', countOption, DEFAULT_LIMIT)
    .option('--search <text>', 'only sessions that say this in their ids, inputs or outputs')
    .option('--agent-id <id>', 'the sessions of this agent only');
}

/** The platform that the environment names. */
export async function openRecorded({ identifiers }: Config): Promise<Platform> {
  return openPlatform({ ...platformCredentials(process.env, { identifiers }), identifiers });
}

/** Sessions can be listed and pinned before there is a configuration. */
export async function configOrDefaults(file: string | undefined): Promise<Config> {
  try {
    return await loadConfig({ cwd: process.cwd(), file });
  } catch (error) {
    const missing = error instanceof AgentReplayError && error.code === 'CONFIG_NOT_FOUND';
    if (missing && file === undefined) return parseConfig({}, { folder: process.cwd() });
    throw error;
  }
}

/** ISO 8601. */
function sinceOption(text: string): string {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  const ago = count === undefined ? undefined : Number(count) * (UNITS[unit] as number);
  const date = new Date(ago === undefined ? Date.parse(text) : Date.now() - ago);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('It is no date and nothing like 24h or 7d.');
  return date.toISOString();
}

function countOption(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is no number from 1 on.');
  return Number(text);
}
