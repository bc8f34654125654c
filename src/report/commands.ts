import type { SessionResult } from './schema.ts';

/** As many recordings as `init` and `doctor` recommend for an agent that varies. */
export const RECORDINGS = 10;

/** More pins than these are named by their folders. */
const NAMED = 3;

/**
 * The command that records these pins again: `npx agent-replay pin --runs 10 --refresh replays/a.session.json`.
 * @param flags what becomes of the recordings that are there
 */
export function recordCommand(
  pins: readonly Pick<SessionResult, 'pin'>[],
  flags: readonly string[] = [],
  runs = RECORDINGS,
): string {
  const files = pins.map(({ pin }) => pin);
  const folders = files.map((file) => `${file.slice(0, file.lastIndexOf('/') + 1)}*.session.json`);
  const named = new Set(files.length > NAMED ? folders : files);
  const words = [...flags, ...[...named].map((file) => shellWord(asFile(file)))];
  return `\`npx agent-replay pin --runs ${runs} ${words.join(' ')}\``;
}

/** The command that accepts what replays do now, as a sentence quotes it. */
export function acceptCommand(...words: readonly string[]): string {
  return `\`${['npx agent-replay accept', ...words].join(' ')}\``;
}

/** The name of a file as a word of a command, which may look like an option. */
export function asFile(file: string): string {
  return file.startsWith('-') ? `./${file}` : file;
}

/** A word of a shell command, quoted if a shell would interpret it. */
export function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
