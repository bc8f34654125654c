import { type Command, Option } from 'commander';
import { type ConfigOption, configOptions, readOption } from '../config/index.ts';

/** Adds `--config` and an option for each setting. */
export function addConfigOptions(command: Command): Command {
  command.option('--config <file>', 'configuration; by default agent-replay.config.* here or in a folder above');
  command.optionsGroup('Settings, which win over the configuration (named as there):');
  for (const option of configOptions()) for (const flag of flagsOf(option)) command.addOption(flag);
  return command;
}

/** The settings that were given as options, by path, in the order in which parts follow what they are parts of. */
export function givenSettings(command: Command): Map<string, unknown> {
  const given = new Map<string, unknown>();
  for (const option of configOptions()) {
    const name = attributeName(option);
    if (command.getOptionValueSource(name) === 'cli')
      given.set(option.path, readOption(option, command.getOptionValue(name)));
  }
  return given;
}

const PLACEHOLDERS = { text: '<text>', number: '<n>', list: '<list>', pairs: '<name=value>' } as const;

function flagsOf({ flag, kind, choices = [], description }: ConfigOption): Option[] {
  if (kind === 'boolean') return [new Option(`--${flag}`, description), new Option(`--no-${flag}`).hideHelp()];
  const option = new Option(
    `--${flag} ${PLACEHOLDERS[kind]}`,
    choices.length > 0 ? `${description} (${choices.join(', ')})` : description,
  );
  return [kind === 'pairs' ? option.argParser((pair: string, before: string[] = []) => [...before, pair]) : option];
}

function attributeName(option: ConfigOption): string {
  return (flagsOf(option)[0] as Option).attributeName();
}
