import { type Inputs, takeInputs } from './inputs.ts';

/** Set by the main step for the post step, which runs the same file. */
const jobId = process.env.STATE_jobId;
const EXIT_ERROR = 2;

const exitCode = jobId === undefined ? await main() : await (await import('./sweep.ts')).sweep(jobId);
// Whatever still holds a pipe or a socket must not keep a job alive for hours. What was written comes first.
await new Promise<void>((written) => process.stdout.write('', () => written()));
process.exit(exitCode);

async function main(): Promise<number> {
  let inputs: Inputs;
  try {
    inputs = takeInputs(process.env);
  } catch (error) {
    const { reportError } = await import('./announce.ts');
    reportError(error);
    return EXIT_ERROR;
  }
  const { run } = await import('./run.ts');
  return run(inputs);
}
