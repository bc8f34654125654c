/** What somebody asks for in a comment of a pull request. */
export type Command =
  /**
   * Of these sessions; of all that fail when none is named. All their replays become recordings beside the original, where
   * that is said.
   */
  | { readonly verb: 'accept'; readonly sessions: readonly string[]; readonly asRecordings: boolean }
  | { readonly verb: 'rerun' }
  | { readonly verb: 'unknown' };

/** A longer line is none of a person. */
const MAX_CHARS = 4_000;
const AS_RECORDINGS = '--as-recordings';
const COMMAND = /^\/agent-replay(?:[ \t]+(.*))?$/;

/** Reads the first line of a comment. @returns undefined when it is no command: what follows it, or is quoted, never is one */
export function readCommand(body: string): Command | undefined {
  const [line = ''] = body
    .trimStart()
    .slice(0, MAX_CHARS)
    .split(/\r\n|\r|\n/, 1);
  const found = COMMAND.exec(line.trimEnd());
  if (found === null) return undefined;
  const [verb = '', ...words] = (found[1] ?? '').split(/[\s,]+/).filter((word) => word !== '');
  const names = words.filter((word) => word !== AS_RECORDINGS);
  // A name that was copied from the comment comes in the signs of code.
  const sessions = [...new Set(names.map((name) => name.replaceAll('`', '')))].filter((name) => name !== '');
  if (verb === 'accept') return { verb, sessions, asRecordings: names.length < words.length };
  return verb === 'rerun' && words.length === 0 ? { verb } : { verb: 'unknown' };
}
