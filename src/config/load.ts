import { existsSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { endingIn, unlessEnded } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import { foldersFrom, type Language, languageOf, readTextFile } from '../files/index.ts';
import { JsonError, parseJson } from '../json/index.ts';
import { readIgnoreFile } from './ignore-file.ts';
import { readKnownPrices } from './known-prices.ts';
import type { OptionValues } from './option-values.ts';
import { type ParseOptions, parseConfig } from './parse.ts';
import { readSavedTargets, withSavedTargets } from './saved-targets.ts';
import type { Config } from './schema.ts';
import { expectOwn } from './trust.ts';

/** Preferred in this order if a folder has several. */
const NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map((extension) => `agent-replay.config.${extension}`);

/** Its code may ask a service that never answers, before any of our limits is known. */
const LOADING_MS = 60_000;

export interface LoadConfigOptions extends Pick<ParseOptions, 'nameOf'> {
  /** Where the search begins. */
  readonly cwd: string;
  /** The file, relative to `cwd`, instead of a search from there up. */
  readonly file?: string | undefined;
  /**
   * Settings that win over those in the file, such as options of a command line. If they contain a target URL, no file is
   * needed.
   */
  readonly options?: OptionValues | undefined;
}

/**
 * @throws AgentReplayError `CONFIG_NOT_FOUND`, `CONFIG_NOT_TRUSTED`, `CONFIG_INVALID` with the path of every mistake
 */
export async function loadConfig({ cwd, file, options = new Map(), nameOf }: LoadConfigOptions): Promise<Config> {
  const folders = searchedFolders(path.resolve(cwd));
  const found = file === undefined ? configIn(folders) : existing(path.resolve(cwd, file), cwd);
  const written = found === undefined ? {} : await readConfig(found);
  const folder = found === undefined ? cwd : path.dirname(found);
  const parsed = parseConfig(written, { folder, file: found && relativePath(found, cwd), options, nameOf });
  const saved = await readSavedTargets(parsed.root);
  if (found === undefined && !options.has('agent.url') && saved.size === 0) {
    throw new AgentReplayError('CONFIG_NOT_FOUND', 'There is no agent-replay.config.ts here or in a folder above.', {
      evidence: [`searched from ${cwd} up to ${folders.at(-1)}`],
      hint: 'Write one (see the README), name it with --config, or give --url and --start.',
    });
  }
  const ignoreFile = await readIgnoreFile(folder);
  const ignore = [...parsed.compare.ignore, ...ignoreFile.rules];
  const source = { cwd, file: found, options };
  const language = await languageOfAll(parsed);
  const prices = { ...(await readKnownPrices(parsed.root)), ...parsed.prices };
  return {
    ...withSavedTargets(parsed, saved),
    prices,
    compare: { ...parsed.compare, ignore },
    ignoreFile,
    source,
    language,
  };
}

async function languageOfAll({ root, agent, agents = {} }: Config): Promise<Language | undefined> {
  const folders = new Set([agent, ...Object.values(agents)].map((each) => path.resolve(root, each?.cwd ?? '.')));
  const [language, ...others] = new Set(await Promise.all([...folders].map(languageOf)));
  return others.length === 0 ? language : undefined;
}

/**
 * Up to the root of the repository, or else to the first package.json, but never above the home folder. Where there is
 * none of them, to below the first folder into which anyone may write, such as `/tmp`.
 */
function searchedFolders(cwd: string): string[] {
  const all = foldersFrom(cwd);
  // `/` is the home folder of users who have none.
  const home = all.slice(0, -1).indexOf(homeFolder());
  const own = home < 0 ? all : all.slice(0, home + 1);
  const ends = ['.git', 'package.json'].map((name) => own.findIndex((folder) => existsSync(path.join(folder, name))));
  const end = [...ends, home].find((index) => index >= 0);
  if (end !== undefined) return own.slice(0, end + 1);
  return own.filter((_, depth) => depth === 0 || !own.slice(0, depth + 1).some(isOpenToAll));
}

/** Without links, as the current folder is told. */
function homeFolder(): string {
  const home = homedir() || path.sep;
  return existsSync(home) ? realpathSync(home) : home;
}

function isOpenToAll(folder: string): boolean {
  const { mode = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return (mode & 0o002) !== 0;
}

function configIn(folders: readonly string[]): string | undefined {
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find((file) => existsSync(file));
}

function existing(file: string, cwd: string): string {
  if (existsSync(file)) return file;
  const shown = relativePath(file, cwd);
  throw new AgentReplayError('CONFIG_NOT_FOUND', `There is no configuration ${shown}.`, {
    evidence: [`looked for ${file}`],
    hint: 'Correct --config, which is relative to the current folder.',
    location: { file: shown },
  });
}

async function readConfig(file: string): Promise<unknown> {
  await expectOwn(file);
  try {
    // Reading a FIFO would block, and no signal would end that.
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    if (path.extname(file) === '.json') return parseJson((await readTextFile(file)).replace(/^\ufeff/, ''));
    const loading = import(/* webpackIgnore: true */ pathToFileURL(file).href) as Promise<{ default?: unknown }>;
    // A timer that kept the process alive would hide that nothing else does.
    const over = endingIn(LOADING_MS);
    const loaded = await unlessEnded(loading, over).catch((error) => {
      throw over.aborted ? new Error(`it was still loading after ${LOADING_MS / 1_000} s`) : error;
    });
    return loaded.default;
  } catch (error) {
    throw new AgentReplayError('CONFIG_INVALID', `${path.basename(file)} could not be read.`, {
      evidence: evidenceOf(error),
      hint: hintFor(error, file),
      location: { file },
      cause: error,
    });
  }
}

/** A syntax error shows its line before its message. For any other error the message is enough. */
function evidenceOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const shown =
    error instanceof SyntaxError && error.stack !== undefined ? error.stack.split('\n    at ')[0] : undefined;
  return (shown ?? error.message).split('\n').filter((line) => line.trim() !== '');
}

function hintFor(error: unknown, file: string): string {
  if (error instanceof JsonError) return 'Correct the JSON.';
  if (isModuleInCommonJs(error)) {
    const name = path.basename(file).replace(/\.(?=[jt]s$)/, '.m');
    return `It is an ES module, but the package.json beside it says "type": "commonjs". Rename it to ${name}.`;
  }
  const { code, message = '' } = Object(error) as { code?: string; message?: string };
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'agent-replay'")) {
    return 'Install the package, or export a plain object.';
  }
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node strips types only: use no enums or parameter properties.';
  return 'The file must load as it is: run it with node to see the error.';
}

/** Such as a package made by `npm init -y` of npm 11. For a package without a type, Node.js detects modules itself. */
function isModuleInCommonJs(error: unknown): boolean {
  const message = error instanceof SyntaxError ? error.message : '';
  return /^Unexpected token 'export'|^Cannot use import statement outside a module/.test(message);
}

function relativePath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') ? file : relative;
}
