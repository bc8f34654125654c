import { statSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS, type Setting } from './settings.ts';

const MODES = ['run', 'merge', 'publish', 'accept'] as const;

/** Without settings that are empty: the configuration decides them. Paths are absolute. */
export type Inputs = Readonly<ReturnType<typeof takeInputs>>;

/** An input with a value that cannot be meant. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly input: string;
  /** What to write instead, one sentence. */
  readonly hint: string;

  constructor(input: string, mistake: string, hint: string) {
    super(`The input "${input}" ${mistake}.`);
    this.input = input;
    this.hint = hint;
  }
}

/**
 * Reads the inputs, and removes them from the environment: no later process should find tokens there. Loads no other
 * module, so that a mistake is reported at once.
 * @throws InputError
 */
export function takeInputs(env: NodeJS.ProcessEnv) {
  const inputs = new Map<string, string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('INPUT_')) continue;
    if (value.trim() !== '') inputs.set(name.slice('INPUT_'.length).toLowerCase(), value.trim());
    delete env[name];
  }
  const settings = SETTINGS.flatMap((setting) => {
    const text = inputs.get(setting.input);
    return text === undefined ? [] : [[setting.path, settingValue(setting, text)] as const];
  });
  const mode = oneOf('mode', inputs.get('mode') ?? 'run', MODES);
  const folder = inputs.get('working-directory') ?? '.';
  // `accept` checks out the default branch, where the project may not exist yet.
  const workingDirectory = mode === 'accept' ? path.resolve(folder) : existingFolder(folder);
  const pathIn = (input: string, preset: string) => path.resolve(workingDirectory, inputs.get(input) ?? preset);
  const given = <T>(input: string, read: (text: string, input: string) => T) => {
    const text = inputs.get(input);
    return text === undefined ? undefined : read(text, input);
  };
  const listOf = (input: string) => partsOf(inputs.get(input) ?? '', LINES_OR_COMMAS);
  return {
    mode,
    config: inputs.get('config'),
    workingDirectory,
    token: inputs.get('github-token'),
    /** Commits accepted pins, so that the commit starts workflows. */
    pushToken: inputs.get('push-token'),
    tokens: ['github-token', 'push-token'].flatMap((input) => inputs.get(input) ?? []),
    /** Which `merge` and `publish` read. */
    reports: pathIn('reports', 'reports'),
    name: inputs.get('name'),
    reportUrl: given('report-url', addressIn),
    /** A later step of the job with the same folder replaces its content. */
    outputDir: pathIn('output-dir', '.agent-replay'),
    /** The values of the matrix, as JSON. */
    leg: inputs.get('leg') ?? '',
    group: given('group', nameIn),
    legs: given('legs', countIn) ?? 1,
    issue: oneOf('issue', inputs.get('issue')?.toLowerCase() ?? 'false', ['true', 'false']) === 'true',
    history: given('history', historyBranch),
    timeoutMs: given('timeout', minutesIn),
    /** By their path in the configuration. */
    settings: new Map<string, unknown>(settings),
    /** Names of variables. */
    mask: listOf('mask'),
    /** Each `KEY=VALUE`. */
    set: partsOf(inputs.get('set') ?? '', /\r?\n/),
  };
}

/** Without the inputs that cannot be meant: enough to report the mistake in the right place. */
export function soundInputs(given: NodeJS.ProcessEnv): Inputs {
  const rest = { ...given };
  for (;;) {
    try {
      return takeInputs({ ...rest });
    } catch (error) {
      const name = error instanceof InputError ? `INPUT_${error.input.toUpperCase()}` : '';
      if (!(name in rest)) throw error;
      delete rest[name];
    }
  }
}

function addressIn(text: string, input: string): string {
  if (/^https?:\/\/[^\s()<>"]+$/.test(text)) return text;
  throw new InputError(input, `is not an address: ${JSON.stringify(text)}`, 'Write one that begins with https://.');
}

const MAX_NAME_CHARS = 100;

function nameIn(text: string, input: string): string {
  if (text.length <= MAX_NAME_CHARS) return text;
  throw new InputError(input, `is longer than ${MAX_NAME_CHARS} characters`, 'Write a name of a few words.');
}

/** GitHub makes at most this many jobs of a matrix. */
const MAX_LEGS = 256;

function countIn(text: string, input: string): number {
  const count = numberIn(input, text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_LEGS) return count;
  throw new InputError(input, `cannot be ${text}`, `Write a whole number from 1 to ${MAX_LEGS}.`);
}

const LINES_OR_COMMAS = /\r?\n|,/;
const BRANCH = 'branch:';

/** The branch of the repository that holds the history. */
function historyBranch(text: string): string {
  const branch = text.startsWith(BRANCH) ? text.slice(BRANCH.length).trim() : '';
  // Valid for git, and in an address without escapes.
  if (/^[\w-][\w./-]*$/.test(branch) && !/[./][./]|[./]$/.test(branch)) return branch;
  throw new InputError('history', `names no branch: ${JSON.stringify(text)}`, 'Write branch:NAME.');
}

function minutesIn(text: string, input: string): number {
  const minutes = numberIn(input, text);
  if (minutes > 0) return minutes * 60_000;
  throw new InputError(input, `cannot be ${text}`, 'Write minutes, a little less than the timeout-minutes of the job.');
}

/** The name of the input that gives a setting, for messages. */
export function inputFor(settingPath: string): string {
  const own = SETTINGS.find(({ path }) => path === settingPath)?.input;
  return own === undefined ? `input "set", ${settingPath}` : `input "${own}"`;
}

function settingValue({ input, kind, choices = [] }: Setting, text: string): unknown {
  if (kind === 'number') return numberIn(input, text);
  return choices.length > 0 ? oneOf(input, text, choices) : text;
}

function oneOf<const Choice extends string>(input: string, text: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  throw new InputError(input, `cannot be ${JSON.stringify(text)}`, `Write one of: ${choices.join(', ')}.`);
}

function numberIn(input: string, text: string): number {
  const number = Number(text);
  if (text !== '' && Number.isFinite(number)) return number;
  throw new InputError(input, `takes a number, not ${JSON.stringify(text)}`, `Write digits, as in ${input}: 5.`);
}

function partsOf(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function existingFolder(folder: string): string {
  const absolute = path.resolve(folder);
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) return absolute;
  throw new InputError(
    'working-directory',
    `is not a folder: ${JSON.stringify(folder)}`,
    'Name a folder by its path from the root of the repository, and check the repository out first.',
  );
}
