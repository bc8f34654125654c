import path from 'node:path';
import type { Config } from '../config/index.ts';
import { counted } from '../counted.ts';
import { EXIT } from '../exit.ts';
import { recordBaselines, startLifetime } from '../job/index.ts';
import { recordingsMade, savePin } from '../session/index.ts';
import { printLine } from './lines.ts';
import { printError } from './print.ts';
import { ProgressView } from './progress.ts';

export type Keeping = Parameters<typeof recordBaselines>[1]['keeping'];
type RecordedPin = Awaited<ReturnType<typeof recordBaselines>>['pins'][number];

/**
 * `agent-replay pin --runs N`: replays pins and keeps what each replay did beside the original.
 * @param files pins, relative to the root
 */
export async function writeBaselines(files: readonly string[], config: Config, keeping: Keeping): Promise<void> {
  using lifetime = startLifetime(printError);
  using view = new ProgressView();
  const recorded = await recordBaselines(config, {
    patterns: files,
    keeping,
    signal: lifetime.signal,
    on: (event) => view.take(event),
  }).catch((error: unknown) => {
    // Nothing of what was interrupted is kept, so there is nothing more to say.
    if (lifetime.exitCode === undefined) throw error;
    return undefined;
  });
  view[Symbol.dispose]();
  for (const problem of recorded?.problems ?? []) fail(problem);
  for (const each of recorded?.pins ?? []) await write(each, config).catch(fail);
  process.exitCode = lifetime.exitCode ?? process.exitCode;
}

async function write({ pin, session, problems }: RecordedPin, { root, runs }: Config): Promise<void> {
  for (const problem of problems) fail(problem);
  if (session === undefined) {
    printLine(`left     ${pin.path}: not every replay could be recorded`);
    return;
  }
  const place = { root, dir: path.dirname(pin.path), name: path.basename(pin.path), overwrite: true };
  const counts = session.turns.map((turn) => recordingsMade(turn).length);
  const all = Math.max(...counts) > runs ? ` (${Math.max(...counts)} in all)` : '';
  printLine(`recorded ${await savePin(session, place)}: ${counted(runs, 'recording')} beside the original${all}`);
}

function fail(error: unknown): void {
  printError(error);
  process.exitCode = EXIT.error;
}
