import { type CommentOptions, commentOn, type Shown } from '../../action/comment.ts';
import { digest, type Leg } from '../../action/identity.ts';
import type { Run } from '../../action/stamp.ts';
import type { Report } from '../../src/rims.ts';
import { patience } from '../patience.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { type FakeGitHub, TOKEN } from './github.ts';
import { RUN } from './runner/job.ts';

export const KEY = '0123456789ab';

export interface ShowOptions extends Partial<Pick<Run, 'number' | 'attempt' | 'id'>> {
  readonly report?: Report;
  readonly baseline?: Report;
  readonly key?: string;
  readonly seal?: string;
  readonly leg?: LegOptions;
  readonly env?: NodeJS.ProcessEnv;
  readonly identity?: CommentOptions['identity'];
  readonly onMade?: CommentOptions['onMade'];
}

/** A leg of the group "models". One job has `legs` of them. */
export interface LegOptions {
  readonly name: string;
  readonly job?: string;
  readonly legs?: number;
}

/** The group, as the action derives it from its inputs. */
function groupOf({ name, job = 'replay', legs = 3 }: LegOptions): { key: string; group: Leg } {
  return { key: digest([job, name]), group: { key: digest('models'), title: 'models', name, kind: digest(job), legs } };
}

/** Shows a report on the pull request of the example events: as the action does, in this process. */
export function show(github: FakeGitHub, options: ShowOptions = {}): Promise<Shown> {
  const { report = REPORTS.passed, number = RUN.number, attempt = 1, id = RUN.id, key = KEY } = options;
  const pull = {
    repository: 'Codertocat/Hello-World',
    number: 2,
    headSha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
    base: 'main',
  };
  return commentOn({ ...pull, isFork: false }, report, {
    token: TOKEN,
    key,
    seal: options.seal,
    run: { status: report.results.status, number, attempt, id, sha: pull.headSha.slice(0, 7) },
    baseline: options.baseline,
    identity: options.identity ?? { head: '### agent-replay: replay', reportUrl: 'https://reports.example.com/1' },
    env: { ...github.env, ...options.env },
    signal: patience(),
    onMade: options.onMade,
    ...(options.leg && groupOf(options.leg)),
  });
}
