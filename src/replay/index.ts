export {
  type Journal,
  type JournalEntry,
  type JournalHeader,
  type JournalledResult,
  type JournalOptions,
  openJournal,
  readJournal,
} from './journal.ts';
export { type ReplayOptions, replayOptions } from './options.ts';
export {
  callCount,
  type ReplaySession,
  type ReplaySessionsOptions,
  type ReplayTurn,
  replaySessions,
} from './replay.ts';
export type { ReplayCall, ReplayedResponse, ReplayOutcome, ReplayResult } from './result.ts';
