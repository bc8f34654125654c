import { type Command, Option } from 'commander';
import { type ConfigOption, configOptions, joinSettings, readSetting } from '../config/index.ts';

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
 * The settings given as options, by path. Of an option that is given twice, the last counts, as in a script that is given more.
 * @throws AgentReplayError `USAGE` if an option and `--set` give one setting two values
 */
export function givenSettings(command: Command): Map<string, unknown> {
  const options = configOptions();
  const own = options.flatMap((option) => {
    const name = flagOf(option).attributeName();
    return command.getOptionValueSource(name) === 'cli'
      ? [readSetting(`${option.path}=${command.getOptionValue(name)}`)]
      : [];
  });
  return joinSettings(new Map(own), (command.getOptionValue('set') as readonly string[] | undefined) ?? [], {
    own: (given) => `--${options.find(({ path }) => path === given)?.flag}`,
    set: '--set',
  });
}

function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

const PLACEHOLDERS = { text: '<text>', number: '<n>' } as const;

function flagOf(option: ConfigOption): Option {
  return new Option(`--${option.flag} ${PLACEHOLDERS[option.kind]}`, explained(option));
}

function explained({ description, choices, default: preset }: ConfigOption): string {
  const notes = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
