import {
  blamingOptions,
  type Config,
  configOptions,
  loadConfig,
  type OptionValues,
  parseConfig,
  withOptions,
} from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';

/**
 * The configuration with the settings that were given as options.
 * @throws AgentReplayError `CONFIG_NOT_FOUND`, `CONFIG_INVALID` that names options as they were written
 */
export async function configWith(file: string | undefined, options: OptionValues): Promise<Config> {
  return naming(options, () => loadConfig({ cwd: process.cwd(), file, options }));
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
    return naming(options, async () => parseConfig(withOptions({}, options), { folder: process.cwd() }));
  }
}

async function naming(options: OptionValues, read: () => Promise<Config>): Promise<Config> {
  return read().catch((error: unknown) => {
    if (!(error instanceof AgentReplayError) || error.code !== 'CONFIG_INVALID') throw error;
    throw blamingOptions(error, options, (setting) => {
      const flag = configOptions().find(({ path }) => path === setting)?.flag;
      return `--${flag ?? `set ${setting}`}`;
    });
  });
}
