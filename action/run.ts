import { startLifetime } from '../src/index.ts';
import { reportError } from './announce.ts';
import { guardForeignCode, readEvent, type WorkflowEvent } from './event.ts';
import type { Inputs } from './inputs.ts';
import { mergeShards } from './merge.ts';
import { publish } from './publish.ts';
import { replay } from './replay.ts';

const EXIT_ERROR = 2;

/** The main step. @returns the exit code of the process */
export async function run(inputs: Inputs): Promise<number> {
  using lifetime = startLifetime(reportError);
  try {
    const event = await readEvent(process.env);
    const exitCode = await inMode(inputs, event, lifetime.signal);
    return lifetime.exitCode ?? exitCode;
  } catch (error) {
    reportError(error);
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
