import { z } from 'zod';
import type { GitHub } from './github.ts';

const pulled = z.object({
  number: z.int().positive(),
  state: z.string(),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
  base: z.object({ repo: z.object({ full_name: z.string() }) }),
});
/** A pull request as it is now. */
export type Pull = z.infer<typeof pulled>;

/** @throws the error of GitHub's answer; 404 when there is no pull request of this number */
export async function readPull(github: GitHub, number: number): Promise<Pull> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  return pulled.parse(await github.request(route, { pull_number: number }));
}

/** The open pull requests from a branch. @param head `owner:branch` */
export async function findPulls(github: GitHub, head: string): Promise<Pull[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls';
  return z.array(pulled).parse(await github.request(route, { head, state: 'open', per_page: 100 }));
}
