import { AgentReplayError } from '../errors.ts';

/**
 * Parses an option that counts something.
 * @throws AgentReplayError `USAGE`
 */
export function wholeNumber(option: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new AgentReplayError('USAGE', `${option} takes a number from ${least}, not "${text}".`);
}
