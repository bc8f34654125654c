import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Place, Told } from './comment.ts';
import { saveState } from './runner-files.ts';

/**
 * Sets a variable that all of our processes inherit, by which the post step finds processes that should have ended. It
 * comes first, because without it the post step would take itself for the main step.
 */
export function rememberJob(): void {
  const id = randomUUID();
  process.env.AGENT_REPLAY_JOB_ID = id;
  keep('jobId', id);
}

/** If the file cannot be written, the log command still works. */
function keep(name: string, value: string): void {
  if (!saveState(name, value)) console.log(`::save-state name=${name}::${value.replaceAll('%', '%25')}`);
}

/** A section that the step tells, and where it stands; `places` is missing as long as that is open. */
export interface Kept {
  readonly told: Told;
  readonly places?: readonly Place[];
  /** Whether a comment may still say that the step replays. */
  readonly isOpen: boolean;
}

/**
 * Keeps what the step tells for its post step. In a file of the runner, because the state becomes a variable of the
 * environment, which holds no whole report.
 */
export function keepTold(kept: Kept): void {
  const { AGENT_REPLAY_JOB_ID: id, RUNNER_TEMP: folder } = process.env;
  if (id === undefined || folder === undefined) return;
  const file = path.join(folder, `agent-replay-${id}.json`);
  const text = JSON.stringify(kept);
  try {
    writeFileSync(file, text);
    keep('told', file);
  } catch {
    // That the step replays is short enough for a variable. A report is told already, and is not told again.
    keep('told', kept.told.section.text === '' ? text : '');
  }
}
