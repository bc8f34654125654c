import { startLifetime } from '../src/rims.ts';
import { reportError } from './announce.ts';
import { guardForeignCode, readEvent, type WorkflowEvent } from './event.ts';
import { InputError, type Inputs } from './inputs.ts';
import { mergeShards } from './merge.ts';
import { publish } from './publish.ts';
import { replay } from './replay.ts';
import { tellFailure } from './tell.ts';

const EXIT_ERROR = 2;

/** The main step. @returns the exit code of the process */
export async function run(inputs: Inputs): Promise<number> {
  using lifetime = startLifetime(reportError);
  const event = await readEvent(process.env);
  try {
    const exitCode = await inMode(inputs, event, lifetime.signal);
    return lifetime.exitCode ?? exitCode;
  } catch (error) {
    reportError(error);
    // What publish is given may be a stranger's: nothing of its failure belongs on a pull request.
    if (inputs.mode !== 'publish' && !(error instanceof InputError)) {
      await tellFailure(error, inputs, event, lifetime.signal).catch(reportError);
    }
    return lifetime.exitCode ?? EXIT_ERROR;
  }
}

function inMode(inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<number> {
  switch (inputs.mode) {
    case 'run':
      guardForeignCode(event, inputs);
      return replay(inputs, event, signal);
    case 'merge':
      return mergeShards(inputs, event, signal);
    case 'publish':
      return publish(inputs, event, signal);
  }
}
