import { isDeepStrictEqual } from 'node:util';
import { type Command, Option } from 'commander';
import { type ConfigOption, configOptions, readSetting } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';

export const CONFIG = [
  '--config <file>',
  'configuration; by default agent-replay.config.* here or in a folder above',
] as const;

/**
 * Adds `--config`, an option for each setting that people set by hand, and `--set` for all others.
 * @param own flags that this command has no use for, and its own default of `--runs`
 */
export function addConfigOptions(
  command: Command,
  own: { readonly not?: readonly string[]; readonly runs?: number } = {},
): Command {
  command.option(...CONFIG);
  command.optionsGroup('Settings (they win over the configuration, and have its names):');
  for (const option of configOptions()) {
    if (own.not?.includes(option.flag)) continue;
    command.addOption(flagOf(option.flag === 'runs' ? { ...option, default: own.runs ?? option.default } : option));
  }
  return addSet(command, 'any other setting by its key, such as agent.timeout=90000; may be repeated');
}

function addSet(command: Command, description: string): Command {
  return command.addOption(new Option('--set <key=value>', description).argParser(oneMore));
}

/**
 * The settings given as options, by path, sorted so that a part comes after the whole it belongs to.
 * @throws AgentReplayError `USAGE` if one is given twice, with two values
 */
export function givenSettings(command: Command): Map<string, unknown> {
  const textsOf = (name: string) => (command.getOptionValue(name) as readonly string[] | undefined) ?? [];
  const own = configOptions().flatMap((option) =>
    textsOf(flagOf(option).attributeName()).map((text) => [`--${option.flag} ${text}`, `${option.path}=${text}`]),
  );
  const given = new Map<string, { readonly spelling: string; readonly value: unknown }>();
  for (const [spelling = '', text = ''] of [...own, ...textsOf('set').map((each) => [`--set ${each}`, each])]) {
    const [path, value] = readSetting(text);
    const before = given.get(path);
    if (before !== undefined && !isDeepStrictEqual(before.value, value)) {
      throw new AgentReplayError('USAGE', `${path} is given twice, with two values.`, {
        evidence: [before.spelling, spelling],
        hint: 'Leave one of them out.',
      });
    }
    given.set(path, { spelling, value });
  }
  return new Map([...given].map(([path, { value }]) => [path, value]));
}

function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

const PLACEHOLDERS = { text: '<text>', number: '<n>' } as const;

function flagOf(option: ConfigOption): Option {
  return new Option(`--${option.flag} ${PLACEHOLDERS[option.kind]}`, explained(option)).argParser(oneMore);
}

function explained({ description, choices, default: preset }: ConfigOption): string {
  const notes = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
