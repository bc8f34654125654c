import { EXIT } from '../src/exit.ts';
import {
  AgentReplayError,
  asAgentReplayError,
  leakPrevented,
  leaksPrevented,
  sealStreams,
  startLifetime,
} from '../src/rims.ts';
import { notice, reportError } from './announce.ts';
import {
  commentablePullRequest,
  guardForeignCode,
  type PullRequest,
  readEvent,
  type Step,
  type WorkflowEvent,
} from './event.ts';
import { GitHub, reasonOf } from './github.ts';
import { InputError, type Inputs, soundInputs } from './inputs.ts';
import { maskedSecrets, maskSecrets } from './masks.ts';
import { mergeShards } from './merge.ts';
import { publish } from './publish.ts';
import { readPull } from './pull.ts';
import { replay } from './replay.ts';
import { keepRunnerFiles } from './runner-files.ts';
import { tellFailure } from './tell.ts';

/** The main step. @returns the exit code of the process */
export async function run(inputs: Inputs): Promise<number> {
  using lifetime = startLifetime(reportError);
  const step = await stepOf(inputs, lifetime.signal);
  try {
    sealStreams(maskedSecrets());
    const exitCode = await inMode(step);
    const leaks = leaksPrevented();
    if (leaks.length > 0) reportError(leakPrevented(leaks));
    return lifetime.exitCode ?? (exitCode || (leaks.length > 0 ? EXIT.error : EXIT.passed));
  } catch (error) {
    reportError(error);
    // A stranger may have made what these modes read, so their failures do not belong on a pull request.
    if (!['publish', 'accept'].includes(inputs.mode)) await tellFailure(asToldFailure(error), step).catch(reportError);
    return lifetime.exitCode ?? EXIT.error;
  } finally {
    keepRunnerFiles();
  }
}

/**
 * Shows a refused input where the report would be, so that an earlier report is not taken for the new one.
 * @param given the environment with all inputs
 */
export async function tellRefused(error: InputError, given: NodeJS.ProcessEnv): Promise<void> {
  // A shard has no comment, so a refused one has none either.
  if (error.input === 'shard') return;
  using lifetime = startLifetime(reportError);
  try {
    const inputs = soundInputs(given);
    if (['publish', 'accept'].includes(inputs.mode)) return;
    maskSecrets(inputs.tokens);
    await tellFailure(asToldFailure(error), await stepOf(inputs, lifetime.signal));
  } catch (failure) {
    notice(`The refusal stands only in the log: ${asAgentReplayError(failure).message}`);
  }
}

function asToldFailure(error: unknown): unknown {
  if (!(error instanceof InputError)) return error;
  return new AgentReplayError('INPUT_INVALID', error.message, { hint: error.hint });
}

async function inMode(step: Step): Promise<number> {
  switch (step.inputs.mode) {
    case 'run':
      guardForeignCode(step);
      return replay(step);
    case 'merge':
      return mergeShards(step);
    case 'publish':
      // The first job gave the verdict.
      await publish(step);
      return EXIT.passed;
    case 'accept':
      return (await import('./accept.ts')).followComment(step);
  }
}

async function stepOf(inputs: Inputs, signal: AbortSignal): Promise<Step> {
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
    const { state, head } = await readPull(new GitHub({ repository, token, signal }), number);
    const isOwn = head.repo?.full_name === repository && head.ref === branch && head.sha === env.GITHUB_SHA;
    if (isOwn && state === 'open') return { repository, number, headSha: head.sha, isFork: false };
    return notice(`This run is not reported on pull request ${number}: its head is another commit, or it is closed.`);
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: read');
    return notice(`Pull request ${number}, which this run is for, could not be looked up: ${reason}`);
  }
}
