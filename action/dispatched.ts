import { notice } from './announce.ts';
import { commentablePullRequest, type PullRequest, readEvent, type Step, type WorkflowEvent } from './event.ts';
import { GitHub, reasonOf } from './github.ts';
import type { Inputs } from './inputs.ts';
import { readPull } from './pull.ts';

export async function stepOf(inputs: Inputs, signal: AbortSignal): Promise<Step> {
  const { env } = process;
  const event = await readEvent(env);
  const pull = commentablePullRequest(event) ?? (await pullDispatchedFor(event, inputs, signal));
  return { inputs, event, pull, sha: pull?.headSha ?? env.GITHUB_SHA ?? '', signal };
}

/**
 * The pull request that a run was dispatched for, after a commit that started no workflow. Checks that its head is the
 * commit of this run, because everybody who may dispatch a workflow can give any number.
 */
async function pullDispatchedFor(
  { dispatchedFor: number, repository, branch }: WorkflowEvent,
  { token }: Inputs,
  signal: AbortSignal,
): Promise<PullRequest | undefined> {
  if (number === undefined || token === undefined) return undefined;
  const { env } = process;
  try {
    const { state, head } = await readPull(new GitHub({ repository, token, env, signal }), number);
    const isOwn = head.repo?.full_name === repository && head.ref === branch && head.sha === env.GITHUB_SHA;
    if (isOwn && state === 'open') return { repository, number, headSha: head.sha, isFork: false };
    return notice(`This run is not reported on pull request ${number}: its head is another commit, or it is closed.`);
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: read');
    return notice(`Pull request ${number}, which this run is for, could not be looked up: ${reason}`);
  }
}
