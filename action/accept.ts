import path from 'node:path';
import { info } from '@actions/core';
import { z } from 'zod';
import { EXIT } from '../src/exit.ts';
import { AgentReplayError, endingIn, forMarkdownProse, linesForTerminal } from '../src/rims.ts';
import { type Command, readCommand } from './accept-command.ts';
import { acceptReports } from './accept-reports.ts';
import { addToSummary, notice, publishAddresses } from './announce.ts';
import type { Step, WrittenComment } from './event.ts';
import { GitHub, orMissing, reasonOf } from './github.ts';
import { type Place, reportsOfHead } from './head-reports.ts';
import { InputError, type Inputs } from './inputs.ts';
import { maskSecrets } from './masks.ts';
import { readPull } from './pull.ts';
import { Refusal } from './refusal.ts';

/** The time for all requests of one command. */
const BUDGET_MS = 240_000;

/**
 * Follows a command that a person wrote on a pull request, and answers there. It runs with the rights of the
 * repository. So it starts nothing, loads no configuration, and takes only pins from the head, as text.
 * @returns the exit code; 0 also when it refuses, because its answer says so
 */
export async function followComment({ inputs, event, signal }: Step): Promise<number> {
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
  maskSecrets(inputs.tokens);
  const within = endingIn(BUDGET_MS, signal);
  const access = { repository, signal: within };
  const github = new GitHub({ ...access, token });
  if (!(await mayWrite(github, comment))) {
    notice(`Nothing is done: ${comment.by} may not write to this repository.`);
    // An answer in words would let strangers make the repository speak. That this one fails changes nothing.
    const route = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
    await github.request(route, { comment_id: comment.id, content: '-1' }).catch(() => {});
    return 0;
  }
  const pusher = inputs.pushToken === undefined ? github : new GitHub({ ...access, token: inputs.pushToken });
  const text = await obeyed(command, comment, { inputs, github, pusher, repository, folder });
  return answer(github, comment, text);
}

const permission = z.object({ permission: z.string() });

/** The membership that the event names is no permission. */
async function mayWrite(github: GitHub, { by }: WrittenComment): Promise<boolean> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  try {
    const asked = github.request(route, { username: by });
    const found = await orMissing(asked.then((known) => permission.parse(known)));
    return found?.permission === 'write' || found?.permission === 'admin';
  } catch (error) {
    const reason = reasonOf(error, 'metadata: read');
    throw new AgentReplayError(
      'INPUT_INVALID',
      `It is not known whether ${by} may write to this repository: ${reason}`,
    );
  }
}

/** @returns the answer, in Markdown */
async function obeyed(command: Command | 'unknown', comment: WrittenComment, place: Place): Promise<string> {
  try {
    if (command === 'unknown') {
      throw new Refusal(
        'unknown command. The commands are "/agent-replay accept" (every session that failed, or only those named after it) and "/agent-replay accept --as-recordings".',
      );
    }
    const pull = await readPull(place.github, comment.pull);
    if (pull.state !== 'open') throw new Refusal('the pull request is closed.');
    const reports = await reportsOfHead(pull, place);
    return await acceptReports(command, { pull, reports, comment }, place);
  } catch (error) {
    return `Nothing was written: ${forMarkdownProse(whyNot(error))}`;
  }
}

function whyNot(error: unknown): string {
  if (error instanceof Refusal || error instanceof AgentReplayError) return error.message;
  return reasonOf(error, 'contents: write, pull-requests: write, actions: write');
}

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
