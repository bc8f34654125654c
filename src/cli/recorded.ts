import type { Command } from 'commander';
import type { Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { openPlatform, type Platform, placeOf } from '../tracing/index.ts';
import { wholeNumber } from './whole-number.ts';

/** Which recorded sessions of the platform are meant. */
export interface RecordedFlags {
  readonly since: string;
  readonly limit: number;
  readonly search?: string;
  readonly agentId?: string;
}

const DEFAULT_SINCE = '7d';
const DEFAULT_LIMIT = 20;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The options with which sessions of the platform are chosen. */
export function withRecordedOptions(command: Command): Command {
  const since = command
    .createOption('--since <time>', 'only sessions with a turn since then: a date, or 30m, 24h, 7d, 2w ago')
    .argParser(sinceOption)
    .default(sinceOption(DEFAULT_SINCE), DEFAULT_SINCE);
  return command
    .addOption(since)
    .option('--limit <n>', 'the newest so many', (text) => wholeNumber('--limit', text), DEFAULT_LIMIT)
    .option('--search <text>', 'only sessions that say this in their ids, inputs or outputs')
    .option('--agent-id <id>', 'the sessions of this agent only');
}

/** Where sessions are recorded: what traces are read from, or the platform where they are received here. */
export async function openRecorded(config: Config): Promise<Platform> {
  const { source } = config.tracing;
  const isHere = source === 'embedded' || source === 'none';
  const place = placeOf(isHere ? 'platform' : source, { ...config.tracing, ...config, environment: process.env });
  return openPlatform({ ...place, identifiers: config.identifiers });
}

/** Single traces of the platform, which is only opened when one is asked for. */
export class RecordedTraces implements AsyncDisposable {
  readonly #config: Config;
  #platform: Promise<Platform> | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** @throws AgentReplayError `PLATFORM_*` */
  async read(id: string): ReturnType<Platform['trace']> {
    this.#platform ??= openRecorded(this.#config);
    return (await this.#platform).trace(id, { signal: new AbortController().signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Why it could not be opened has been said to whoever asked.
    const platform = await this.#platform?.catch(() => undefined);
    await platform?.[Symbol.asyncDispose]();
  }
}

/** ISO 8601. */
function sinceOption(text: string): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const ago = count === undefined ? undefined : Number(count) * (UNITS[unit] as number);
  const date = new Date(ago === undefined ? Date.parse(text) : Date.now() - ago);
  if (Number.isNaN(date.getTime())) {
    throw new AgentReplayError('USAGE', `--since takes a date, or a time such as 24h or 7d, not "${text}".`);
  }
  return date.toISOString();
}
