import path from 'node:path';
import { AgentReplayError } from '../errors.ts';

/** True for a path at or below a folder; both real and absolute. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The path with forward slashes, as in files and reports on every system. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** The error of a path that leaves the project folder. */
export function outside(file: string, root: string): AgentReplayError {
  return new AgentReplayError('PIN_OUTSIDE_ROOT', `${file} is outside the project.`, {
    evidence: [`root: ${root}`],
    location: { file },
    hint: 'Keep pinned sessions in the project folder: they are read and written nowhere else.',
  });
}
