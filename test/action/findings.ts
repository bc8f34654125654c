import { pinOf, projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { IN_VAIN_MS } from '../patience.ts';
import type { StepResult } from './runner/job.ts';
import { runAction, type StepOptions } from './step.ts';

/** What a run found out. */
export interface Found {
  /** A prefix of the input: with one, the agent does something else and its sessions diverge. */
  readonly prefix?: string;
  /** Inputs of the sessions, by their ids. */
  readonly sessions?: Readonly<Record<string, string>>;
  /** The id of the agent. */
  readonly agent?: string;
  /** The sessions that diverge, by their ids: the others do as recorded. By default all of them diverge, if there is a prefix. */
  readonly diverging?: readonly string[];
}

const journals = new Map<string, Promise<string>>();

/** The journal of a real run. The run is made once. */
async function journalOf({ diverging, ...found }: Found): Promise<string> {
  if (diverging !== undefined)
    return mixed(await journalOf({ ...found, prefix: '' }), await journalOf(found), diverging);
  const key = JSON.stringify(found);
  const made = journals.get(key) ?? replayed(found);
  journals.set(key, made);
  return made;
}

/** One journal out of two of the same sessions: what the second one has of some sessions, and of the others the first. */
function mixed(one: string, other: string, ids: readonly string[]): string {
  const linesOf = (journal: string) => journal.trimEnd().split('\n');
  const isOfThem = (line: string) => {
    const { type, session } = JSON.parse(line);
    return type === 'result' && ids.includes(session);
  };
  const end = linesOf(one).pop();
  const kept = linesOf(one).filter((line) => line !== end && !isOfThem(line));
  const taken = linesOf(other).filter((line) => isOfThem(line) || JSON.parse(line).type === 'behaviour');
  return `${[...kept, ...taken, end].join('\n')}\n`;
}

async function replayed({ prefix = 'x ', sessions = { one: 'a' }, agent: agentId }: Found): Promise<string> {
  const config = { runs: 4, timeouts: { trace: IN_VAIN_MS } };
  const pins = Object.entries(sessions).map(([id, input]) => [
    `replays/${id}.session.json`,
    JSON.stringify({ ...pinOf(id, [input]), agentId }),
  ]);
  await using project = await projectWith({
    config,
    files: Object.fromEntries(pins),
    agent: { env: { PREFIX: prefix }, ...(agentId && { id: agentId }) },
  });
  await runAction(project);
  return await project.read('.agent-replay/journal.ndjson');
}

/** A checkout that holds the results of a run in its folder `reports`. */
export async function checkoutWith(found: Found, files: Readonly<Record<string, string>> = {}) {
  const folder = await folderWith({ 'reports/journal.ndjson': await journalOf(found), ...files });
  return {
    ...folder,
    /** Shows the results without replaying: as the job does that merges a single shard. */
    tell: ({ inputs, ...options }: StepOptions): Promise<StepResult> =>
      runAction(folder, { ...options, inputs: { mode: 'merge', ...inputs } }),
  };
}

/** Shows the results of a run, in a checkout of its own. */
export async function tell(found: Found, options: StepOptions): Promise<StepResult> {
  await using checkout = await checkoutWith(found);
  return await checkout.tell(options);
}
