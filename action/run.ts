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
import { stepOf } from './dispatched.ts';
import { guardForeignCode, type Step } from './event.ts';
import { InputError, type Inputs, soundInputs } from './inputs.ts';
import { maskedSecrets, maskSecrets } from './masks.ts';
import { mergeShards } from './merge.ts';
import { publish } from './publish.ts';
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
