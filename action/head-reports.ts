import { z } from 'zod';
import { checkOf, lastOf, type Section } from './board.ts';
import { Comments, isUntouched } from './comments.ts';
import type { GitHub } from './github.ts';
import type { Inputs } from './inputs.ts';
import type { Pull } from './pull.ts';
import { Refusal } from './refusal.ts';

/** The repository, and the clients that act in it. */
export interface Place {
  readonly inputs: Inputs;
  readonly github: GitHub;
  /** The client that commits. If its token is not the workflow's own, its commits start workflows. */
  readonly pusher: GitHub;
  /** `owner/name`. */
  readonly repository: string;
  /** The folder of the project in the repository: `agents/support/`, or empty for the root. */
  readonly folder: string;
}

const workflowRun = z.object({
  id: z.int(),
  workflow_id: z.int(),
  event: z.string(),
  head_sha: z.string(),
  head_repository: z.object({ full_name: z.string() }).nullable(),
});

/** A report on the pull request, made of its present head commit. */
export interface HeadReport {
  readonly section: Section;
  readonly run: z.infer<typeof workflowRun>;
}

/**
 * Comments name the runs that made their reports; GitHub says of which commit each run was.
 * @throws Refusal when there is no report, or only one of an older commit
 */
export async function reportsOfHead({ number, head }: Pull, { github }: Place): Promise<HeadReport[]> {
  const comments = await new Comments(github, number).own();
  const told = comments.flatMap((comment) => comment.board.sections.map((section) => ({ comment, section })));
  const newest = told.at(-1);
  if (newest === undefined) throw new Refusal('this pull request has no report of agent-replay.');
  const current = told.filter(({ section }) => head.sha.startsWith(lastOf(section).sha));
  if (current.length === 0) {
    const { sha } = lastOf(newest.section);
    throw new Refusal(
      `the report is of commit ${sha}, but the head of the pull request is now ${head.sha.slice(0, 7)}. Wait for the run of this commit.`,
    );
  }
  return await Promise.all(
    current.map(async ({ comment, section }) => {
      if (!(await isUntouched(github, comment))) {
        throw new Refusal('somebody edited the comment with the report. The next run rewrites it.');
      }
      const { id, status } = lastOf(section);
      if (status === 'pending')
        throw new Refusal(`the check "${checkOf(section)}" of this commit still runs. Wait for its report.`);
      const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}';
      const run = workflowRun.parse(await github.request(route, { run_id: id }));
      if (run.head_sha !== head.sha) throw new Refusal('the report is from a run of another commit.');
      return { section, run };
    }),
  );
}
