import { appendFileSync } from 'node:fs';
import { ENDED_EARLY, EXIT, expectEnd } from '../src/exit.ts';
import { InputError, type Inputs, takeInputs } from './inputs.ts';

/** The main step sets it for the post step, which runs the same file. */
const jobId = process.env.STATE_jobId;
/** All other files need this version. An older Node would answer with a syntax error, so this file checks first. */
const MIN_NODE = 24;

const { GITHUB_OUTPUT } = process.env;
const end = expectEnd(() => {
  console.log(`::error title=agent-replay: could not tell::${ENDED_EARLY}`);
  if (GITHUB_OUTPUT && jobId === undefined) appendFileSync(GITHUB_OUTPUT, 'status=error\n');
});
const exitCode = jobId === undefined ? await main() : await (await import('./post.ts')).post(jobId, process.env);
// An open pipe or socket would keep the job alive for hours. Waits only until the output is written.
await new Promise((written) => process.stdout.write('', written));
end.over();
process.exit(exitCode);

async function main(): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < MIN_NODE) {
    console.log(
      `::error title=agent-replay::This action needs Node ${MIN_NODE}, and the runner started it with ${process.version}. Update the runner.`,
    );
    return EXIT.error;
  }
  (await import('./remember.ts')).rememberJob();
  let inputs: Inputs;
  const environment = { ...process.env };
  try {
    inputs = takeInputs(process.env);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { refuse } = await import('./refuse.ts');
    refuse(error);
    await (await import('./run.ts')).tellRefused(error, environment);
    return EXIT.error;
  }
  return (await import('./run.ts')).run(inputs);
}
