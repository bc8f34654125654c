import { release } from 'node:os';
import { targetWithoutSecrets } from '../../agent/index.ts';
import type { Language } from '../../files/index.ts';
import { VERSION } from '../../version.ts';
import type { RunAbout } from '../records/about.ts';
import type { JobOptions } from './job-events.ts';
import type { RunPlan } from './plan.ts';
import type { Revision } from './revision.ts';

interface AboutOptions extends Pick<JobOptions, 'command' | 'configFile'> {
  readonly revision?: Revision;
  readonly language?: Language;
}

export function aboutRun({ agents, part }: Pick<RunPlan, 'agents' | 'part'>, options: AboutOptions = {}): RunAbout {
  const { revision, command = '', configFile, language } = options;
  return {
    tool: VERSION,
    startedAt: new Date().toISOString(),
    ...revision,
    command,
    ...(language && { language }),
    ...(configFile === undefined ? {} : { config: configFile }),
    target: agents.map(({ options: { url } }) => (url === undefined ? '' : targetWithoutSecrets(url))).join(', '),
    environment: { node: process.version, platform: `${process.platform} ${process.arch}`, os: release() },
    ...(part && { shard: part.shard }),
  };
}
