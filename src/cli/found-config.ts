import { type Config, loadConfig, type OptionValues, parseConfig, withOptions } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';

/**
 * The configuration, or the defaults where there is none: for what needs no agent.
 * @throws AgentReplayError `CONFIG_INVALID`, and `CONFIG_NOT_FOUND` when one was named
 */
export async function foundConfig(file: string | undefined, options: OptionValues = new Map()): Promise<Config> {
  try {
    return await loadConfig({ cwd: process.cwd(), file, options });
  } catch (error) {
    const isMissing = error instanceof AgentReplayError && error.code === 'CONFIG_NOT_FOUND';
    if (!isMissing || file !== undefined) throw error;
    return parseConfig(withOptions({}, options), { folder: process.cwd() });
  }
}
