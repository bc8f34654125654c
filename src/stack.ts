// Not in `exit.ts`, because the command loads that file before anything else and needs none of this then.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this file, or of the bundle that holds it. All of our code lies in it. */
const OURS = fileURLToPath(new URL('.', import.meta.url));

/**
 * Where the user's own code threw an error. Undefined if the stack names one of our files, or no file at all. Who loaded the
 * module that threw it does not count.
 */
export function foreignFrame(error: unknown): { file: string; line: number; column: number } | undefined {
  const { stack } = Object(error) as { stack?: unknown };
  const [own = ''] = String(stack ?? '').split(/\n {4}at \S+ \(node:internal\/modules\//);
  const frames = own
    .split('\n    at ')
    .slice(1)
    .flatMap((frame) => frameIn(frame) ?? []);
  if (frames.some(({ file }) => file.startsWith(OURS))) return undefined;
  return frames.find(({ file }) => !file.includes('node_modules'));
}

/** @param text `name (file:///a.js:1:2)`, or the place alone */
function frameIn(text: string): { file: string; line: number; column: number } | undefined {
  const place = text.endsWith(')') ? text.slice(text.lastIndexOf('(') + 1, -1) : text.replace('async ', '');
  const parts = place.split(':');
  const [line, column] = parts.splice(-2).map(Number);
  const file = pathOf(parts.join(':'));
  return path.isAbsolute(file) && line && column ? { file, line, column } : undefined;
}

/** A stack is text and may hold anything. */
function pathOf(place: string): string {
  try {
    return place.startsWith('file:') ? fileURLToPath(place) : place;
  } catch {
    return '';
  }
}
