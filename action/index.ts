import { randomUUID } from 'node:crypto';
import { InputError, type Inputs, takeInputs } from './inputs.ts';

/** Set by the main step for the post step, which runs the same file. */
const jobId = process.env.STATE_jobId;
const EXIT_ERROR = 2;
/** What everything else is written for; an older Node would answer with an error of syntax. */
const MIN_NODE = 24;

const exitCode = jobId === undefined ? await main() : await (await import('./sweep.ts')).sweep(jobId);
// Whatever still holds a pipe or a socket must not keep a job alive for hours. What was written comes first.
await new Promise((written) => process.stdout.write('', written));
process.exit(exitCode);

async function main(): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < MIN_NODE) {
    console.log(
      `::error title=agent-replay::This action needs Node ${MIN_NODE}, and the runner started it with ${process.version}. Update the runner.`,
    );
    return EXIT_ERROR;
  }
  await rememberJob();
  let inputs: Inputs;
  try {
    inputs = takeInputs(process.env);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { refuse } = await import('./refuse.ts');
    refuse(error);
    return EXIT_ERROR;
  }
  const given = [...inputs.settings.keys()].join(', ');
  console.log(`agent-replay, mode ${inputs.mode}${given === '' ? '' : `; set by inputs: ${given}`}`);
  const { run } = await import('./run.ts');
  return run(inputs);
}

/**
 * By this variable, which everything that comes from us inherits, the post step finds what should have ended. Set before
 * anything can fail: without it the post step would take itself for the main step.
 */
async function rememberJob(): Promise<void> {
  const { saveState } = await import('@actions/core');
  const id = randomUUID();
  process.env.AGENT_REPLAY_JOB_ID = id;
  saveState('jobId', id);
}
