import path from 'node:path';
import { info } from '@actions/core';
import { z } from 'zod';
import { EXIT } from '../src/exit.ts';
import { AgentReplayError, forMarkdownProse, linesForTerminal } from '../src/rims.ts';
import { type Command, readCommand } from './accept-command.ts';
import { acceptReports } from './accept-reports.ts';
import { addToSummary, notice, publishAddresses } from './announce.ts';
import { isUntouched, reportsOn, type ToldReport } from './comments.ts';
import type { WorkflowEvent, WrittenComment } from './event.ts';
import { connect, type GitHub, MutationRefused, reasonOf, statusOf } from './github.ts';
import { InputError, type Inputs } from './inputs.ts';
import { maskSecrets } from './masks.ts';
import { type Pull, readPull } from './pull.ts';
import { Refusal } from './refusal.ts';

/** The time for all requests of one command. */
const BUDGET_MS = 240_000;

/**
 * Follows a command that a person wrote on a pull request, and answers there. It runs with the rights of the
 * repository. So it starts nothing, loads no configuration, and takes only pins from the head, as text.
 * @returns the exit code; 0 also when it refuses, because its answer says so
 */
export async function followComment(inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<number> {
  if (event.name !== 'issue_comment' || event.repository === '') {
    throw new InputError(
      'mode',
      `cannot be "accept" on ${event.name || 'this event'}`,
      'Use it in a workflow that runs on issue_comment, with types: [created].',
    );
  }
  const { comment, repository } = event;
  const folder = folderOf(inputs);
  const command = comment && readCommand(comment.body);
  if (comment === undefined || command === undefined) {
    info('Nothing is done: this is not a new comment by a person, on a pull request, that begins with /agent-replay.');
    return 0;
  }
  const { token } = inputs;
  if (token === undefined)
    throw new InputError('github-token', 'is empty', 'Leave it out to use the token of the workflow.');
  maskSecrets([token, ...(inputs.pushToken === undefined ? [] : [inputs.pushToken])]);
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  const access = { repository, env: process.env, signal: within };
  const github = connect({ ...access, token });
  if (!(await mayWrite(github, comment))) {
    notice(`Nothing is done: ${comment.by} may not write to this repository.`);
    return 0;
  }
  const pusher = inputs.pushToken === undefined ? github : connect({ ...access, token: inputs.pushToken });
  const text = await obeyed(command, comment, { inputs, github, pusher, repository, folder });
  return answer(github, comment, text);
}

const permission = z.object({ permission: z.string() });

/** Asks GitHub whether the author may write. The membership that the event names is no permission. */
async function mayWrite(github: GitHub, { by }: WrittenComment): Promise<boolean> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  try {
    const { permission: may } = permission.parse(await github.request(route, { username: by }));
    return may === 'write' || may === 'admin';
  } catch (error) {
    if (statusOf(error) === 404) return false;
    const reason = reasonOf(error, 'metadata: read');
    throw new AgentReplayError(
      'INPUT_INVALID',
      `It is not known whether ${by} may write to this repository: ${reason}`,
    );
  }
}

/** The repository, and the clients that act in it. */
export interface Place {
  readonly inputs: Inputs;
  readonly github: GitHub;
  /** The client that commits. If its token is not the workflow's own, its commits start workflows. */
  readonly pusher: GitHub;
  /** `owner/name`. */
  readonly repository: string;
  /** The folder of the project in the repository: `agents/support/`, or empty for the root. */
  readonly folder: string;
}

/** Follows a command. @returns the answer, in Markdown */
async function obeyed(command: Command, comment: WrittenComment, place: Place): Promise<string> {
  try {
    if (command.verb === 'unknown') {
      throw new Refusal(
        'unknown command. The commands are "/agent-replay accept" (every session that failed, or only those named after it), "/agent-replay accept --as-recordings", and "/agent-replay rerun".',
      );
    }
    const pull = await readPull(place.github, comment.pull);
    if (pull.state !== 'open') throw new Refusal('the pull request is closed.');
    const reports = await reportsOfHead(pull, place);
    return await (command.verb === 'accept'
      ? acceptReports(command, { pull, reports, comment }, place)
      : runAgain(reports, place));
  } catch (error) {
    return `Nothing was ${command.verb === 'rerun' ? 'started' : 'written'}: ${forMarkdownProse(whyNot(error))}`;
  }
}

function whyNot(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof AgentReplayError) return error.message;
  if (error instanceof MutationRefused) {
    return error.type === 'FORBIDDEN'
      ? 'the token may not write to this branch. The job needs "permissions: contents: write", and the branch must let it.'
      : 'GitHub did not take the commit. The branch may be protected.';
  }
  return reasonOf(error, 'contents: write, pull-requests: write, actions: write');
}

const workflowRun = z.object({
  id: z.int(),
  workflow_id: z.int(),
  event: z.string(),
  head_sha: z.string(),
  head_repository: z.object({ full_name: z.string() }).nullable(),
});

/** A report on the pull request, made of its present head commit. */
export interface HeadReport extends ToldReport {
  readonly run: z.infer<typeof workflowRun>;
}

/**
 * Finds the reports of the head commit. The comments name the runs that made them, and GitHub says which commit each
 * run was of.
 * @throws Refusal when there is no report, or only one of an older commit
 */
async function reportsOfHead({ number, head }: Pull, { github }: Place): Promise<HeadReport[]> {
  const told = await reportsOn(github, number);
  const newest = told.at(-1)?.stamp.runs.at(-1);
  if (newest === undefined) throw new Refusal('this pull request has no report of agent-replay.');
  const current = told.filter(({ stamp }) => head.sha.startsWith(stamp.runs.at(-1)!.sha));
  if (current.length === 0) {
    throw new Refusal(
      `the report is of commit ${newest.sha}, but the head of the pull request is now ${head.sha.slice(0, 7)}. Wait for the run of this commit.`,
    );
  }
  return await Promise.all(
    current.map(async ({ comment, stamp }) => {
      if (!(await isUntouched(github, comment))) {
        throw new Refusal('somebody edited the comment with the report. The next run rewrites it.');
      }
      const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}';
      const run = workflowRun.parse(await github.request(route, { run_id: stamp.runs.at(-1)!.id }));
      if (run.head_sha !== head.sha) throw new Refusal('the report is from a run of another commit.');
      return { comment, stamp, run };
    }),
  );
}

/** Asks GitHub to rerun the runs of these reports, as the "Re-run" button does. */
async function runAgain(reports: readonly HeadReport[], { github, repository }: Place): Promise<string> {
  const ids = [...new Set(reports.map(({ run }) => run.id))];
  const { GITHUB_SERVER_URL: server = 'https://github.com' } = process.env;
  const lines = await Promise.all(
    ids.map(async (id) => {
      const link = `[run](${server}/${repository}/actions/runs/${id})`;
      try {
        await github.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', { run_id: id });
        return `The ${link} of this commit has been started again.`;
      } catch (error) {
        const why =
          statusOf(error) === 403
            ? 'it is still running, or the job lacks "permissions: actions: write".'
            : reasonOf(error, 'actions: write');
        return `The ${link} of this commit was not started again: ${forMarkdownProse(why)}`;
      }
    }),
  );
  return lines.join('\n\n');
}

/** Answers on the pull request and in the job summary. */
async function answer(github: GitHub, { pull, url, body }: WrittenComment, text: string): Promise<number> {
  const [asked = ''] = body.trim().split(/[\r\n]/, 1);
  const quoted = forMarkdownProse(`\`${asked.slice(0, 200).replaceAll('`', '')}\``);
  const markdown = `### agent-replay: answer to [a comment](${url})\n\n> ${quoted}\n\n${text}\n`;
  for (const line of linesForTerminal(markdown)) info(line);
  await addToSummary(markdown);
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  try {
    const made = z
      .object({ html_url: z.string() })
      .parse(await github.request(route, { issue_number: pull, body: markdown }));
    publishAddresses({ comment: made.html_url });
    return 0;
  } catch (error) {
    notice(`The answer could not be written: ${reasonOf(error, 'pull-requests: write')}`);
    return EXIT.error;
  }
}

function folderOf({ workingDirectory }: Inputs): string {
  const inside = path
    .relative(process.env.GITHUB_WORKSPACE ?? process.cwd(), workingDirectory)
    .replaceAll(path.sep, '/');
  if (inside.startsWith('..')) {
    throw new InputError('working-directory', 'is outside the repository', 'Name a folder in the repository.');
  }
  return inside === '' ? '' : `${inside}/`;
}
