import type { Command } from 'commander';
import { type Config, recordedAt } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { delayNote, openPlatform, type Platform, placeOf, type ReadDelay } from '../tracing/index.ts';
import { wholeNumber } from './whole-number.ts';

export interface RecordedFlags {
  readonly from?: string[];
  readonly since?: string;
  readonly limit?: number;
  readonly search?: string;
  readonly agentId?: string;
}

const DEFAULT_SINCE = '7d';
const DEFAULT_LIMIT = 20;
/** Earlier than any agent's trace. */
const EVER = '1970-01-01T00:00:00.000Z';
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export function withRecordedOptions(command: Command): Command {
  return command
    .option(
      '--from <file...>',
      'files or folders of traces instead of the platform: OTLP/JSON, or an export (docs/sources.md)',
    )
    .option(
      '--since <time>',
      `only sessions with a turn since then: a date, or 30m, 24h, 7d, 2w ago (${DEFAULT_SINCE})`,
    )
    .option('--limit <n>', `only the newest N (${DEFAULT_LIMIT})`, (text) => wholeNumber('--limit', text))
    .option('--search <text>', 'only sessions with these words in their ids, inputs or outputs')
    .option('--agent-id <id>', 'only sessions of this agent');
}

/**
 * The search that the options describe. Files are searched without limits unless an option sets one.
 * @throws AgentReplayError `USAGE`
 */
export function recordedQuery({ from, since, limit, search, agentId }: RecordedFlags) {
  const isFile = from !== undefined;
  return {
    since: since === undefined && isFile ? EVER : sinceOption(since ?? DEFAULT_SINCE),
    limit: limit ?? (isFile ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT),
    search,
    agentId,
  };
}

/** Where sessions are recorded: the named files, the configured source of traces, or else the platform. */
export async function openRecorded(config: Config, from?: readonly string[], signal?: AbortSignal): Promise<Platform> {
  const { identifiers, tracing } = config;
  const onDelay = (delay: ReadDelay) => process.stderr.write(`waiting: ${delayNote(delay)}\n`);
  if (from !== undefined)
    return openPlatform({ platform: 'files', paths: from, identifiers, takesPipes: true, signal });
  return openPlatform({
    ...placeOf(recordedAt(config), { ...tracing, ...config, environment: process.env }),
    identifiers,
    onDelay,
    signal,
  });
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
