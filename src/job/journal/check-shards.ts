import { AgentReplayError } from '../../errors.ts';
import type { JournalledRun } from './read-journal.ts';

type Begun = Pick<JournalledRun, 'about' | 'file'>;

/** Further journals are not named one by one. */
const MAX_NAMED = 10;

/** @throws AgentReplayError `SHARDS_DIFFER`, `SHARD_DUPLICATE`: they cannot be merged */
export function checkShards(runs: readonly Begun[]): void {
  const [first, ...others] = runs;
  if (first === undefined) return;
  for (const other of others) {
    const differences = differencesOf(first, other);
    if (differences.length === 0) continue;
    throw new AgentReplayError('SHARDS_DIFFER', 'These are not shards of one run.', {
      evidence: differences,
      hint: 'Merge the output folders of one workflow run, all with the same commit and configuration.',
      location: { file: other.file },
    });
  }
  const byIndex = Map.groupBy(runs, ({ about }) => about.shard?.index);
  for (const [index, same] of byIndex) {
    if (same.length === 1) continue;
    const what =
      index === undefined ? 'These are whole runs, not shards of one' : `Shard ${index} was given more than once`;
    throw new AgentReplayError('SHARD_DUPLICATE', `${what}.`, {
      evidence: same.slice(0, MAX_NAMED).map(({ file }) => file),
      hint: index === undefined ? 'Merge one of them, or run them with --shard.' : 'Leave out all but one of them.',
    });
  }
  checkSessions(runs);
}

/** Each shard reads its own pins only, so two pins of one session may never have met. */
function checkSessions(runs: readonly Begun[]): void {
  const paths = new Map<string, string>();
  for (const { id, path } of runs.flatMap(({ about }) => about.sessions)) {
    const first = paths.get(id);
    paths.set(id, path);
    if (first === undefined) continue;
    throw new AgentReplayError('SHARD_DUPLICATE', `Two pins are of the session "${id}".`, {
      evidence: [first, path],
      hint: 'Delete one of the two files, and run the shards again.',
    });
  }
}

/** The problem that shards are missing, if any is. */
export function missingShards(runs: readonly Begun[]): [AgentReplayError] | undefined {
  const { count = 1 } = runs[0]?.about.shard ?? {};
  const present = new Set(runs.map(({ about }) => about.shard?.index ?? 1));
  const indexes = Array.from({ length: count }, (_, place) => place + 1).filter((index) => !present.has(index));
  if (indexes.length === 0) return undefined;
  const named = indexes.slice(0, MAX_NAMED).join(', ');
  const which =
    indexes.length === 1 ? `Shard ${named} of ${count} is missing` : `Shards ${named} of ${count} are missing`;
  const missing = new AgentReplayError('SHARD_MISSING', `${which}.`, {
    evidence: runs.slice(0, MAX_NAMED).map(({ about, file }) => `shard ${about.shard?.index}: ${file}`),
    hint: 'Check whether a job failed before it wrote its files, or did not upload its output folder. The sessions of a missing shard are "could not tell".',
  });
  return [missing];
}

export function differencesOf(a: Begun, b: Begun): string[] {
  const [left, right] = [identityOf(a), identityOf(b)];
  return Object.keys({ ...left, ...right }).flatMap((name) => {
    const [one, other] = [left[name], right[name]];
    // An unknown commit matches any commit.
    if (one === other || (name === 'commit' && (one === undefined || other === undefined))) return [];
    return [`${name}: ${one ?? 'none'} in ${a.file}, ${other ?? 'none'} in ${b.file}`];
  });
}

/** What all shards of a run have in common, by names that users know. */
function identityOf({ about }: Begun): Record<string, string | undefined> {
  const { tool, commit, settings, shard, whole } = about;
  const { runs, ...rules } = settings;
  const parts = Object.entries(rules).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return {
    'version of agent-replay': tool,
    commit,
    shards: shard && String(shard.count),
    runs: String(runs),
    ...Object.fromEntries(parts),
    'pinned sessions': whole?.slice(0, 12),
  };
}
