import type { Beside } from '../../action/announce.ts';
import type { Run } from '../../action/board.ts';
import { commentOn, type Shown, type Told } from '../../action/comment.ts';
import { digest } from '../../action/subject.ts';
import { sectionOf } from '../../action/tell.ts';
import type { Report } from '../../src/rims.ts';
import { patience } from '../patience.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { type FakeGitHub, TOKEN } from './github.ts';
import { RUN } from './runner/job.ts';

export const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

export interface ShowOptions extends Partial<Pick<Run, 'number' | 'attempt' | 'id'>> {
  /** Undefined while the run is pending. */
  readonly report?: Report | undefined;
  readonly isPending?: boolean;
  /** What the report is about. */
  readonly about?: string;
  readonly seal?: string;
  readonly leg?: LegOptions;
  readonly workflow?: string;
  readonly job?: string;
  readonly by?: string;
  readonly headSha?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly beside?: Beside;
}

/** A leg of the group "models". One job has `legs` of them. */
export interface LegOptions {
  readonly name: string;
  readonly job?: string;
  readonly legs?: number;
}

/** What a step tells of a report on the pull request of the example events. */
export function toldOf(options: ShowOptions = {}): Told {
  const { report = REPORTS.passed, number = RUN.number, attempt = 1, id = RUN.id, about = '', leg } = options;
  const { workflow = 'agent', job = leg?.job ?? 'replay', headSha = HEAD, isPending = false } = options;
  const name = leg?.name ?? about;
  const by = digest(options.by ?? [name, job, id, attempt, workflow]);
  const { beside } = options;
  const found = isPending ? { title: '', text: '' } : sectionOf(report, { ...beside, isPart: leg !== undefined });
  const status = isPending ? 'pending' : report.results.status;
  return {
    repository: 'Codertocat/Hello-World',
    pull: 2,
    group: leg && 'models',
    section: {
      subject: digest(name) + digest([]),
      name,
      workflow: digest(workflow),
      job,
      step: '__self',
      by,
      legs: leg === undefined ? 1 : (leg.legs ?? 3),
      ...found,
      seal: isPending ? undefined : options.seal,
      headSha,
      reportUrl: 'https://reports.example.com/1',
      runs: [{ status, number, attempt, id, sha: headSha.slice(0, 7) }],
    },
  };
}

/** Shows a report there: as the action does, in this process. */
export async function show(
  github: FakeGitHub,
  options: ShowOptions = {},
): Promise<Pick<Shown, 'url' | 'trouble' | 'isReplaced'>> {
  const { places: _, isSent: __, ...shown } = await tellIn(github, toldOf(options), options.env);
  return shown;
}

export function tellIn(
  github: FakeGitHub,
  told: Told,
  env: NodeJS.ProcessEnv = {},
  places?: Shown['places'],
): Promise<Shown> {
  return commentOn(told, { token: TOKEN, env: { ...github.env, ...env }, signal: patience(), places });
}
