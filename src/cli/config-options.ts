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

const PLACEHOLDERS = {
  text: '<text>',
  number: '<n>',
  list: '<list>',
  numbers: '<list>',
  pairs: '<name=value>',
} as const;

/** What is on already is shown as what turns it off. */
function flagsOf(option: ConfigOption): Option[] {
  const { flag, kind } = option;
  if (kind === 'boolean') {
    const [on, off] = [
      new Option(`--${flag}`, option.description),
      new Option(`--no-${flag}`, `Not: ${option.description}`),
    ];
    return option.default === true ? [on.hideHelp(), off] : [on, off.hideHelp()];
  }
  const value = option.bare === undefined ? PLACEHOLDERS[kind] : `[=${option.choices?.join('|')}]`;
  const given = new Option(`--${flag} ${value}`, explained(option)).preset(option.bare);
  return [kind === 'pairs' ? given.argParser((pair: string, before: string[] = []) => [...before, pair]) : given];
}

function explained({ description, choices = [], default: preset }: ConfigOption): string {
  const notes = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

function attributeName(option: ConfigOption): string {
  return (flagsOf(option)[0] as Option).attributeName();
}
