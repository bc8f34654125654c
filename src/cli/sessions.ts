import type { Command } from 'commander';
import type { Config } from '../config/index.ts';
import { missingMetadata } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { replayable, sessionsFromTraces } from '../session/index.ts';
import { counted, forTerminal } from '../text/index.ts';
import {
  type Conversation,
  type FoundConversations,
  findConversations,
  type Platform,
  searchNotes,
  someAtATime,
} from '../tracing/index.ts';
import { CONFIG } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { openRecorded, type RecordedFlags, recordedQuery, withRecordedOptions } from './recorded.ts';

interface SessionsFlags extends RecordedFlags {
  readonly config?: string;
}

export function define(command: Command): void {
  withRecordedOptions(command)
    .option(...CONFIG)
    .action(sessions);
}

async function sessions(flags: SessionsFlags): Promise<void> {
  const query = recordedQuery(flags);
  const config = await foundConfig(flags.config);
  await using platform = await openRecorded(config, flags.from);
  const { signal } = new AbortController();
  const found = await findConversations(platform, { ...query, identifiers: config.identifiers }, { signal });
  const { conversations } = found;
  if (conversations.length === 0) throw noneFound(platform, query, found);
  const rows: string[][] = [];
  const looks = someAtATime(conversations, async (conversation) => ({
    conversation,
    derived: await firstLook(conversation, platform, config, signal),
  }));
  for await (const { conversation, derived } of looks) {
    const [session] = derived.sessions;
    rows.push([
      conversation.id,
      (conversation.turns.at(-1)?.timestamp ?? '').slice(0, 16).replace('T', ' '),
      session?.agentId ?? '-',
      String(conversation.turns.length),
      statusOf(derived),
      gapsOf(conversation),
      session?.title ?? '',
    ]);
  }
  printTable([['session', 'last turn', 'agent', 'turns', 'replayable', 'lacks', 'title'], ...rows]);
  for (const note of searchNotes(found)) process.stderr.write(`${note}\n`);
}

type Derived = ReturnType<typeof sessionsFromTraces>;

/** Most traces contain their request. Observations are read only for the others. */
async function firstLook(
  { turns }: Conversation,
  platform: Platform,
  { identifiers, request }: Config,
  signal: AbortSignal,
): Promise<Derived> {
  const looked = [];
  for (const head of turns) {
    const [seen] = sessionsFromTraces([head], { identifiers }).sessions;
    const isEnough = seen?.turns.every((turn) => turn.request !== undefined) === true;
    looked.push(isEnough ? head : ((await platform.trace(head.id, { signal })) ?? head));
  }
  return sessionsFromTraces(looked, { identifiers, ...request });
}

function statusOf({ sessions: [session], skipped }: Derived): string {
  if (session === undefined) return `no: ${skipped[0]?.reason}`;
  const reasons = session.turns.map(replayable).flatMap((status) => (status.ok ? [] : [status.reason]));
  if (reasons.length === 0) return 'yes';
  return reasons.length === session.turns.length ? `no: ${reasons[0]}` : `but ${reasons.length}: ${reasons[0]}`;
}

/** Keys of the contract that the trace of some turn lacks. */
function gapsOf({ turns }: Conversation): string {
  const gaps = new Set(turns.flatMap(missingMetadata));
  return gaps.size === 0 ? '-' : [...gaps].join(' ');
}

function noneFound(
  { url }: Platform,
  { since, search, agentId }: ReturnType<typeof recordedQuery>,
  found: FoundConversations,
): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', 'No recorded session was found.', {
    evidence: [
      `searched: ${url}, since ${since}`,
      ...(search === undefined ? [] : [`that says: ${search}`]),
      ...(agentId === undefined ? [] : [`of the agent: ${agentId}`]),
      `looked at: ${counted(found.traces, 'trace')}`,
      ...searchNotes(found),
    ],
    hint: 'Look further back with --since 30d, and check that the keys are those of the project that the agent traces to.',
  });
}

/** Cells contain no line breaks, because text of traces is escaped before the layout. */
function printTable(rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map((cell) => forTerminal(cell).replace(/\s+/g, ' ')));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}
