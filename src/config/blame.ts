import { AgentReplayError } from '../errors.ts';
import type { OptionValues } from './option-values.ts';

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
