/** Accepts these sessions, or all that fail if none is named. */
export interface Command {
  readonly sessions: readonly string[];
  readonly asRecordings: boolean;
}

/** No person writes a longer line. */
const MAX_CHARS = 4_000;
const AS_RECORDINGS = '--as-recordings';
const COMMAND = /^\/agent-replay(?:[ \t]+(.*))?$/;

/** Reads the first line of a comment; later lines and quotes are never commands. */
export function readCommand(body: string): Command | 'unknown' | undefined {
  const [line = ''] = body
    .trimStart()
    .slice(0, MAX_CHARS)
    .split(/\r\n|\r|\n/, 1);
  const found = COMMAND.exec(line.trimEnd());
  if (found === null) return undefined;
  const [verb, ...words] = (found[1] ?? '').split(/[\s,]+/).filter((word) => word !== '');
  if (verb !== 'accept') return 'unknown';
  // Somebody copied it from the comment.
  const names = words.filter((word) => word !== AS_RECORDINGS).map((name) => name.replaceAll('`', ''));
  return { sessions: [...new Set(names)].filter((name) => name !== ''), asRecordings: words.includes(AS_RECORDINGS) };
}
