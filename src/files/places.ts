import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A line of a prompt, or the name of a tool. */
interface Clue {
  readonly line?: string;
  readonly tool?: string;
}

/** Places named for one clue. */
const MAX_PLACES = 5;
const MAX_FILES = 5_000;
/** Files that people write, prompts and code, are smaller. */
const MAX_FILE_BYTES = 512 * 1024;
/** A shorter line is in too many files to be a clue. */
const MIN_LINE_CHARS = 12;
const IS_TEXT =
  /\.(?:[cm]?[jt]sx?|py|go|rb|java|kt|cs|php|rs|md|mdx|txt|json|ya?ml|toml|prompt|j2|jinja2?|hbs|mustache|liquid)$/i;
/** Outputs and recordings hold the same texts, but nobody edits them there. */
const IS_OTHER =
  /(?:^|\/)(?:node_modules|dist|build|lib|\.agent-replay|\.git|\.venv)\/|\.session\.json$|(?:^|\/)package-lock\.json$/;

/** Finds the files of a project that contain a prompt's line or name a tool. Reads them once, when first asked. */
export class Places {
  readonly #root: string;
  #files: ReadonlyMap<string, string> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** @returns `file:line`, relative to the root; of files of several kinds the likeliest ones */
  of({ line, tool }: Clue): string[] {
    const wanted = line?.replace(/…$/, '').trim() ?? '';
    const found = wanted.length < MIN_LINE_CHARS ? [] : this.#find((text) => text.indexOf(wanted));
    return found.length > 0 || !tool ? found : this.#find((text) => placeOfName(text, tool));
  }

  #find(at: (text: string) => number): string[] {
    this.#files ??= readSources(this.#root);
    const places: string[] = [];
    let rank = LAST_RANK;
    for (const [file, text] of this.#files) {
      // A page that quotes a prompt is not meant where the prompt itself is there.
      if (places.length === MAX_PLACES || (rankOf(file) === LAST_RANK && rank < LAST_RANK)) break;
      const index = at(text);
      if (index === -1) continue;
      places.push(`${file}:${text.slice(0, index).split('\n').length}`);
      rank = Math.min(rank, rankOf(file));
    }
    return places;
  }
}

/** Not inside a longer name. No regular expression is made of what an agent says: it can be too long for one. */
function placeOfName(text: string, name: string): number {
  let at = text.indexOf(name);
  while (at !== -1 && /[\w-]/.test(text.charAt(at - 1) + text.charAt(at + name.length)))
    at = text.indexOf(name, at + 1);
  return at;
}

function readSources(root: string): Map<string, string> {
  const files = list(root)
    .filter((file) => IS_TEXT.test(file) && !IS_OTHER.test(file))
    .sort((a, b) => rankOf(a) - rankOf(b));
  return new Map(files.slice(0, MAX_FILES).flatMap((file) => textOf(root, file)));
}

const LAST_RANK = 2;

/** Prompts first, and pages that quote them last. */
function rankOf(file: string): number {
  if (/(?:^|\/)(?:docs|test|tests)\/|(?:^|\/)[A-Z]+\.md$/.test(file)) return LAST_RANK;
  return /prompt/i.test(file) ? 0 : 1;
}

/** Files that Git tracks or would add; without Git, all files. */
function list(root: string): string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  if (status === 0) return stdout.split('\0').filter(Boolean);
  const found = globSync('**/*', { cwd: root, exclude: (name) => name === 'node_modules' || name.startsWith('.') });
  return found.map((file) => file.replaceAll(path.sep, '/')).sort();
}

function textOf(root: string, file: string): [string, string][] {
  try {
    const whole = path.join(root, file);
    const { size } = statSync(whole);
    return size > MAX_FILE_BYTES ? [] : [[file, readFileSync(whole, 'utf8')]];
  } catch {
    return [];
  }
}
