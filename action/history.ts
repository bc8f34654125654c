import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  appendHistory,
  asAgentReplayError,
  historyEntryOf,
  parseHistory,
  type Report,
  readHistory,
  renderTrendMarkdown,
  renderTrendSvg,
  trendsOf,
} from '../src/rims.ts';
import { addToSummary, notice } from './announce.ts';
import { commitTo } from './branch.ts';
import { connect, reasonOf } from './github.ts';
import type { HistoryPlace } from './inputs.ts';

const FILE = 'history.ndjson';
const CHART = 'trend.svg';
const BUDGET_MS = 45_000;
/** GitHub hands out files up to 1 MiB; on a branch the older runs are in its commits. */
const MAX_BRANCH_CHARS = 500_000;

type HistoryEntry = ReturnType<typeof historyEntryOf>;
type Trends = ReturnType<typeof trendsOf>;

export interface HistoryOptions {
  readonly repository: string;
  readonly token: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Notes a run down in the history, and adds the trend to the summary. Trouble with it changes no verdict. */
export async function noteDown(report: Report, place: HistoryPlace, options: HistoryOptions): Promise<void> {
  const entry = historyEntryOf(report);
  try {
    const trend =
      place.kind === 'file' ? await noteInFile(place.path, entry) : await noteOnBranch(place.branch, entry, options);
    if (trend !== undefined) await addToSummary(`\n${trend}\n`);
  } catch (error) {
    notice(`The history could not be written: ${asAgentReplayError(error).message}`);
  }
}

async function noteInFile(file: string, entry: HistoryEntry): Promise<string> {
  await appendHistory(file, entry);
  const trends = trendsOf((await readHistory(file)).entries);
  await writeFile(path.join(path.dirname(file), CHART), chartOf(trends));
  return renderTrendMarkdown(trends);
}

async function noteOnBranch(
  branch: string,
  entry: HistoryEntry,
  { repository, token, env, signal }: HistoryOptions,
): Promise<string | undefined> {
  if (token === undefined) return notice('The history was not written: the input "github-token" is empty.');
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const github = connect({ repository, token, env, signal: within });
  let trends: Trends = [];
  try {
    const commit = await commitTo(github, branch, `agent-replay: ${entry.status}`, async (read) => {
      const text = `${latestLines((await read(FILE)) ?? '')}${JSON.stringify(entry)}\n`;
      trends = trendsOf(parseHistory(text).entries);
      return { [FILE]: text, [CHART]: chartOf(trends) };
    });
    // A summary shows no SVG that stands in it, but one that it finds: as it is now, also when the branch has gone on.
    const { GITHUB_SERVER_URL = 'https://github.com' } = env;
    const chart = `![Runs as recorded over time](${GITHUB_SERVER_URL}/${repository}/raw/${commit}/${CHART})`;
    return `${chart}\n\n${renderTrendMarkdown(trends)}`;
  } catch (error) {
    return notice(`The history was not written: ${reasonOf(error, 'contents: write')}`);
  }
}

function chartOf(trends: Trends): string {
  return renderTrendSvg(trends, { ground: true });
}

/** Whole lines, the last ones. */
function latestLines(text: string): string {
  const kept =
    text.length <= MAX_BRANCH_CHARS ? text : text.slice(text.indexOf('\n', -MAX_BRANCH_CHARS + text.length) + 1);
  return kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`;
}
