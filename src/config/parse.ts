import path from 'node:path';
import type { z } from 'zod';
import { AgentReplayError } from '../errors.ts';
import { mistakeLines, PLAINLY } from '../mistakes.ts';
import { mergedRules } from '../tools/index.ts';
import type { OptionValues } from './option-values.ts';
import { withOptions } from './options.ts';
import { looksFrom } from './overrides.ts';
import { type Config, type ConfigInput, configSchema } from './schema.ts';

export interface ParseOptions {
  /** `root` is relative to it. */
  readonly folder: string;
  /** Named in the error. */
  readonly file?: string;
  /** Settings that win over those in the input. */
  readonly options?: OptionValues;
  /** The name by which the caller's user knows a setting; mistakes in it use that name. */
  readonly nameOf?: ((setting: string) => string | undefined) | undefined;
}

/**
 * Checks a configuration and fills in defaults.
 * @throws AgentReplayError `CONFIG_INVALID` with the path of every mistake; `USAGE` when two options contradict each other
 */
export function parseConfig(
  input: unknown,
  { folder, file, options = new Map(), nameOf = () => undefined }: ParseOptions,
): Config {
  const written = withOptions(input, options);
  const { data, error } = configSchema.safeParse(written, PLAINLY);
  if (data !== undefined) {
    const { looks, runs, timeouts, tracing } = data;
    const { runs: isGiven, looks: given } = written as ConfigInput;
    const isPatient = REMOTE.has(tracing.source) && (written as ConfigInput).timeouts?.trace === undefined;
    const meant = data.offline ? withoutModel(data) : data;
    return {
      ...meant,
      compare: { ...meant.compare, tools: mergedRules(data.compare.tools, data.tools) },
      looks: isGiven !== undefined && given === undefined ? looksFrom(runs) : looks,
      root: path.resolve(folder, data.root),
      timeouts: isPatient ? { ...timeouts, trace: PLATFORM_TRACE_MS } : timeouts,
    };
  }
  const invalid = new AgentReplayError('CONFIG_INVALID', 'The configuration is not valid.', {
    evidence: mistakeLines(error, 'the configuration'),
    hint: 'Correct these settings.',
    ...(file === undefined ? {} : { location: { file } }),
  });
  throw blamingOptions(invalid, options, nameOf);
}

/**
 * Where the model answers as recorded. A request does not say whose it is, so replays go one after another; nothing
 * varies, so that other words are the code's, too; and no tool acts unless the settings say so.
 */
function withoutModel({
  compare,
  tools,
  overrides,
  ...settings
}: z.infer<typeof configSchema>): z.infer<typeof configSchema> {
  const { isSaid, others } = tools;
  return {
    ...settings,
    compare: { ...compare, strictness: compare.strictness === 'behaviour' ? 'wording' : compare.strictness },
    workers: 1,
    gate: 'every-run',
    maxCost: undefined,
    tools: { ...tools, others: isSaid ? others : 'recorded', onMiss: 'fail' },
    overrides: overrides.map(({ gate: _, runs: __, tools: ___, ...own }) => own),
  };
}

/** A platform shows a trace seconds after it was sent, and may allow only a few reads per minute. */
export const PLATFORM_TRACE_MS = 120_000;
const REMOTE: ReadonlySet<Config['tracing']['source']> = new Set(['platform', 'command']);

/**
 * Names mistakes in settings that came from an option after the option, because the file has no part in them.
 * @param error `CONFIG_INVALID`, with one mistake per line
 * @param nameOf the option that sets a setting
 */
export function blamingOptions(
  error: AgentReplayError,
  given: OptionValues,
  nameOf: (setting: string) => string | undefined,
): AgentReplayError {
  const blamed = error.evidence.map((mistake) => {
    const setting = [...given.keys()].find((key) => isOf(mistake, key));
    const name = setting && nameOf(setting);
    return name && `${name}: ${mistake.replace(`${setting}: `, '')}`;
  });
  if (!blamed.some(Boolean)) return error;
  const isOfFile = blamed.includes(undefined);
  return new AgentReplayError(error.code, isOfFile ? error.message : 'Options are not valid.', {
    evidence: error.evidence.map((mistake, index) => blamed[index] ?? mistake),
    hint: isOfFile ? error.hint : 'Correct these options.',
    ...(isOfFile && { location: error.location }),
    cause: error,
  });
}

/** Whether the mistake is in the given setting, or in a table that exists only because that setting is inside it. */
function isOf(mistake: string, key: string): boolean {
  if (mistake.startsWith(`${key}: `) || mistake.startsWith(`${key}.`)) return true;
  const [table, ...rest] = mistake.split(NO_SUCH_KEY);
  return rest.length > 0 && key.startsWith(`${table}.`);
}

const NO_SUCH_KEY = ': there is no such key';
