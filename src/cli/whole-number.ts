import { AgentReplayError } from '../errors.ts';

/** @throws AgentReplayError `USAGE` */
export function wholeNumber(option: string, text: string | undefined, least = 1, most = 999_999): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  const to = most === MAX_PORT ? ` to ${most}` : '';
  throw new AgentReplayError('USAGE', `${option} takes a number from ${least}${to}, not "${text}".`);
}

export const MAX_PORT = 65_535;
