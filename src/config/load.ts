import { existsSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { endingIn, unlessEnded } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import { foldersFrom, type Language, languageOf, readTextFile } from '../files/index.ts';
import { parseJson } from '../json/index.ts';
import { foreignFrame } from '../stack.ts';
import { readIgnoreFile } from './ignore-file.ts';
import { readKnownPrices } from './known-prices.ts';
import { evidenceOf, hintFor } from './load-failure.ts';
import type { OptionValues } from './option-values.ts';
import { type ParseOptions, parseConfig } from './parse.ts';
import { readSavedTargets, withSavedTargets } from './saved-targets.ts';
import type { Config } from './schema.ts';
import { expectOwn } from './trust.ts';

/** Preferred in this order if a folder has several. */
const NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map((extension) => `agent-replay.config.${extension}`);

/** Its code may ask a service that never answers, before any of our limits is known. */
const LOADING_MS = 60_000;

interface LoadConfigOptions extends Pick<ParseOptions, 'nameOf'> {
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
      hint: '`npx agent-replay init` writes one. One elsewhere is named with --config, in Vitest with `config`; --url and --start do without.',
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
    return (await loaded(file)).default;
  } catch (error) {
    throw new AgentReplayError('CONFIG_INVALID', `${path.basename(file)} could not be read.`, {
      evidence: evidenceOf(error),
      hint: hintFor(error, file),
      location: foreignFrame(error) ?? { file },
      cause: error,
    });
  }
}

let loading = 0;

/** What nobody catches meanwhile is the configuration's, and told as that. */
export function isConfigLoading(): boolean {
  return loading > 0;
}

async function loaded(file: string): Promise<{ default?: unknown }> {
  // A timer that kept the process alive would hide that nothing else does.
  const over = endingIn(LOADING_MS);
  const uncaught = new AbortController();
  const onUncaught = (error: unknown) => uncaught.abort(error ?? new Error('it threw or rejected without a reason'));
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  loading++;
  try {
    const either = AbortSignal.any([over, uncaught.signal]);
    const module = await unlessEnded(import(/* webpackIgnore: true */ pathToFileURL(file).href), either);
    // Node tells of a rejection once all is done that goes on at once.
    await setImmediate();
    either.throwIfAborted();
    return module;
  } catch (error) {
    throw over.aborted ? new Error(`it was still loading after ${LOADING_MS / 1_000} s`) : error;
  } finally {
    loading--;
    process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
  }
}

function relativePath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') ? file : relative;
}
