import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../files/index.ts';
import { repositoryOf } from '../../init/index.ts';
import { mistakeLines, PLAINLY } from '../../mistakes.ts';

/** A GitHub workflow that runs agent-replay, as far as we need it. */
export interface Workflow {
  /** Relative to the repository. */
  readonly file: string;
  /** Whether GitHub reads it: only at the root of the repository. */
  readonly isRead: boolean;
  /** Why it could not be read; then all else is empty. */
  readonly mistake?: string;
  readonly events: readonly string[];
  readonly jobs: readonly WorkflowJob[];
}

interface WorkflowJob {
  readonly name: string;
  /** The permissions of the job's token; undefined if not given, so that the repository's default applies. */
  readonly permissions: 'read-all' | 'write-all' | Readonly<Record<string, string>> | undefined;
  /** The action's name, such as `owner/agent-replay@<ref>`; undefined if the command is run. */
  readonly action: string | undefined;
  /** Whether it executes what is checked out; the modes `publish` and `accept` do not. */
  readonly isReplaying: boolean;
  /** Whether another job comments: it replays a part, or was given no token. */
  readonly isSilent: boolean;
  /** Up to the one that runs agent-replay, which is the last. */
  readonly steps: readonly WorkflowStep[];
}

export interface WorkflowStep {
  readonly uses: string | undefined;
  readonly run: string | undefined;
  /** Its working directory, relative to the repository. */
  readonly folder: string;
  /** Names of variables that it is given, by its job and workflow too. */
  readonly env: readonly string[];
  /** The secrets among their values. */
  readonly secrets: readonly string[];
}

const permissions = z.union([z.literal(['read-all', 'write-all']), z.record(z.string(), z.string())]);
const env = z.record(z.string(), z.unknown()).nullish();
const defaults = z.looseObject({ run: z.looseObject({ 'working-directory': z.string().optional() }).optional() });
const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  'working-directory': z.string().optional(),
  with: z
    .looseObject({
      'working-directory': z.string().optional(),
      mode: z.string().optional(),
      'github-token': z.string().optional(),
    })
    .nullish(),
  env,
});
const workflow = z.looseObject({
  on: z
    .union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())])
    .transform((on) => (typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on))),
  permissions: permissions.nullish(),
  env,
  defaults: defaults.nullish(),
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: permissions.nullish(),
      env,
      defaults: defaults.nullish(),
      steps: z.array(step).optional(),
    }),
  ),
});

/** Larger files are not workflows. */
const MAX_BYTES = 1024 ** 2;
const RUNS_US = /(^|[\s/"'])agent-replay(\s+run\b|\s*$)/m;
const USES_US = /(^|\/)agent-replay(\/[^@]*)?(@|$)/;

/** Modes of the action in which nothing is executed that a pull request brings. */
const SHOWING: ReadonlySet<string | undefined> = new Set(['publish', 'accept']);

function runsUs({ uses = '', run = '' }: z.infer<typeof step>): boolean {
  return USES_US.test(uses) || RUNS_US.test(run);
}

/**
 * Workflows that run agent-replay, by its action or its command, in the repository around a folder; including those below
 * its root, where GitHub does not read them. A folder outside any repository counts as one.
 */
export async function readWorkflows(folder: string): Promise<Workflow[]> {
  const { root, folder: own } = repositoryOf(path.resolve(folder));
  const below = own.split('/').filter(Boolean);
  const folders = ['', ...below.map((_, index) => path.join(...below.slice(0, index + 1)))];
  return (await Promise.all(folders.map((each) => workflowsIn(root, each)))).flat();
}

async function workflowsIn(root: string, folder: string): Promise<Workflow[]> {
  const place = path.join(folder, '.github', 'workflows');
  const names = await readdir(path.join(root, place)).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((name) => readWorkflow(root, path.join(place, name))),
  );
  return found.flatMap((one) => (one === undefined ? [] : { ...one, isRead: folder === '' }));
}

async function readWorkflow(root: string, file: string): Promise<Omit<Workflow, 'isRead'> | undefined> {
  const { size } = await stat(path.join(root, file));
  const text = size > MAX_BYTES ? '' : await readTextFile(path.join(root, file));
  if (!text.includes('agent-replay')) return undefined;
  const nothing = { file, events: [], jobs: [] };
  // Only needed if there is a workflow to read.
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return { ...nothing, mistake: String((error as Error).message).split('\n')[0] ?? 'no YAML' };
  }
  const { data, error } = workflow.safeParse(value, PLAINLY);
  if (data === undefined) return { ...nothing, mistake: mistakeLines(error, 'the workflow')[0] };
  const jobs = Object.entries(data.jobs).flatMap(([name, job]): WorkflowJob[] => {
    const all = job.steps ?? [];
    const last = all.findIndex(runsUs);
    if (last === -1) return [];
    const place = job.defaults?.run?.['working-directory'] ?? data.defaults?.run?.['working-directory'];
    const steps = all.slice(0, last + 1).map(({ uses, run, with: given, env: own, ...one }): WorkflowStep => {
      const folder = uses === undefined ? (one['working-directory'] ?? place) : given?.['working-directory'];
      const env = { ...data.env, ...job.env, ...own };
      const secrets = Object.values(env).flatMap((value) => /secrets\.(\w+)/.exec(String(value))?.[1] ?? []);
      return { uses, run, folder: path.posix.normalize(folder ?? '.'), env: Object.keys(env), secrets };
    });
    const { uses: action, with: inputs } = all[last]!;
    const isReplaying = all.some((each) => runsUs(each) && !SHOWING.has(each.with?.mode));
    const isSilent = inputs?.['github-token'] === '' || inputs?.shard !== undefined;
    const permissions = job.permissions ?? data.permissions ?? undefined;
    return [{ name, action, isReplaying, isSilent, steps, permissions }];
  });
  return jobs.length === 0 ? undefined : { file, events: data.on, jobs };
}
