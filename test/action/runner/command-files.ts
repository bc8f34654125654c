/** What the runner reads out of the files of a step: modelled on FileCommandManager.cs of actions/runner. */

const MAX_SUMMARY_BYTES = 1024 * 1024;

export interface Pairs {
  readonly pairs: Readonly<Record<string, string>>;
  /** What is wrong with the file; the step fails then, and the pairs before it stay. */
  readonly error: string | undefined;
}

/** Reads GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV: `key=value`, or `key<<delimiter` and lines up to the delimiter. */
export function readPairs(text: string): Pairs {
  const pairs = new Map<string, string>();
  let rest = text;
  const done = (error?: string): Pairs => ({ pairs: Object.fromEntries(pairs), error });
  const nextLine = () => {
    const end = rest.indexOf('\n');
    const line = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? '' : rest.slice(end + 1);
    return { line, ended: end >= 0 };
  };
  while (rest !== '') {
    const { line } = nextLine();
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals < 0 && heredoc < 0) return done(`Invalid format '${line}'`);
    if (heredoc < 0 || (equals >= 0 && equals < heredoc)) {
      if (equals === 0) return done(`Invalid format '${line}'`);
      pairs.set(line.slice(0, equals), line.slice(equals + 1));
      continue;
    }
    const [key, delimiter] = [line.slice(0, heredoc), line.slice(heredoc + 2)];
    if (key === '' || delimiter === '') return done(`Invalid format '${line}'`);
    const value: string[] = [];
    for (;;) {
      if (rest === '') return done(`Invalid value. Matching delimiter not found '${delimiter}'`);
      const part = nextLine();
      if (part.line === delimiter) break;
      if (!part.ended) return done('EOF marker missing new line.');
      value.push(part.line);
    }
    pairs.set(key, value.join('\n'));
  }
  return done();
}

export interface Summary {
  readonly text: string;
  readonly bytes: number;
  /** One that is too large is dropped as a whole. */
  readonly uploaded: boolean;
}

export function readSummary(text: string): Summary {
  const bytes = Buffer.byteLength(text);
  return { text, bytes, uploaded: bytes > 0 && bytes <= MAX_SUMMARY_BYTES };
}
