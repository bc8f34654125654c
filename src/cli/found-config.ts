import { type Config, configOptions, loadConfig, type OptionValues, parseConfig } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';

/** @throws AgentReplayError `CONFIG_NOT_FOUND`, `CONFIG_INVALID` that names options as they were written */
export function configWith(file: string | undefined, options: OptionValues): Promise<Config> {
  return loadConfig({ cwd: process.cwd(), file, options, nameOf: optionFor });
}

/**
 * The same, or the defaults if there is no configuration, for commands that need no agent.
 * @throws AgentReplayError `CONFIG_INVALID`, and `CONFIG_NOT_FOUND` if one was named
 */
export async function foundConfig(file: string | undefined, options: OptionValues = new Map()): Promise<Config> {
  try {
    return await configWith(file, options);
  } catch (error) {
    const isMissing = error instanceof AgentReplayError && error.code === 'CONFIG_NOT_FOUND';
    if (!isMissing || file !== undefined) throw error;
    return parseConfig({}, { folder: process.cwd(), options, nameOf: optionFor });
  }
}

function optionFor(setting: string): string {
  const flag = configOptions().find(({ path }) => path === setting)?.flag;
  return `--${flag ?? `set ${setting}`}`;
}
