import { soundInputs } from './inputs.ts';
import { sweep } from './sweep.ts';

/**
 * The post step: ends what is left of the agent, and checks again the comments that the main step made. @returns the
 * exit code
 */
export async function post(jobId: string, env: NodeJS.ProcessEnv): Promise<number> {
  await sweep(jobId);
  const { STATE_comments: comments } = env;
  const token = comments === undefined ? undefined : soundInputs(env).token;
  if (comments !== undefined && token !== undefined) {
    const { lookAtMade } = await import('./made-comments.ts');
    await lookAtMade(comments, token, env).catch(() => {});
  }
  return 0;
}
