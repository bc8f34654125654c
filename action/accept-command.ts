/** A command that somebody wrote in a comment on a pull request. */
export type Command =
  /**
   * Accepts these sessions, or all that fail if none is named. With `--as-recordings` it keeps all of their replays as
   * recordings beside the original.
   */
  | { readonly verb: 'accept'; readonly sessions: readonly string[]; readonly asRecordings: boolean }
  | { readonly verb: 'rerun' }
  | { readonly verb: 'unknown' };

/** No person writes a longer line. */
const MAX_CHARS = 4_000;
const AS_RECORDINGS = '--as-recordings';
const COMMAND = /^\/agent-replay(?:[ \t]+(.*))?$/;

/**
 * Reads the first line of a comment; later lines and quotes are never commands. @returns undefined when it is no
 * command
 */
export function readCommand(body: string): Command | undefined {
  const [line = ''] = body
    .trimStart()
    .slice(0, MAX_CHARS)
    .split(/\r\n|\r|\n/, 1);
  const found = COMMAND.exec(line.trimEnd());
  if (found === null) return undefined;
  const [verb = '', ...words] = (found[1] ?? '').split(/[\s,]+/).filter((word) => word !== '');
  const names = words.filter((word) => word !== AS_RECORDINGS);
  // A name that somebody copied from the comment is in backticks.
  const sessions = [...new Set(names.map((name) => name.replaceAll('`', '')))].filter((name) => name !== '');
  if (verb === 'accept') return { verb, sessions, asRecordings: names.length < words.length };
  return verb === 'rerun' && words.length === 0 ? { verb } : { verb: 'unknown' };
}
