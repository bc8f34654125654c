import path from 'node:path';
import { AgentReplayError } from '../errors.ts';

/** True for a path at or below a folder; both real and absolute. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

export function outside(file: string, root: string): AgentReplayError {
  return new AgentReplayError('PIN_OUTSIDE_ROOT', `${file} is outside the project.`, {
    evidence: [`root: ${root}`],
    location: { file },
    hint: 'Keep pinned sessions in the project folder: they are read and written nowhere else.',
  });
}
