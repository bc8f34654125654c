import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { SessionResult } from '../../report/index.ts';
import type { Pin } from '../../session/index.ts';

type Quarantine = NonNullable<SessionResult['quarantine']>;

/**
 * The day until which each session is in quarantine, by session id; quarantines that are over are left out.
 * @param now in milliseconds since 1970; a quarantine ends at 00:00 UTC of its day
 */
export function quarantined({ quarantine }: Pick<Config, 'quarantine'>, pins: readonly Pin[], now = Date.now()) {
  const found = new Map<string, Quarantine>();
  for (const [name, { until, why }] of Object.entries(quarantine)) {
    const meant = pins.find((pin) => isNamed(pin, name));
    if (meant !== undefined && now < Date.parse(until)) found.set(meant.session.id, { until, why });
  }
  return found;
}

/** @throws AgentReplayError `CONFIG_INVALID` if a name matches no session */
export function checkNames({ quarantine }: Pick<Config, 'quarantine'>, pins: readonly Pin[]): void {
  const unknown = Object.keys(quarantine).filter((name) => !pins.some((pin) => isNamed(pin, name)));
  if (unknown.length === 0) return;
  throw new AgentReplayError('CONFIG_INVALID', `quarantine names no session: ${unknown.join(', ')}.`, {
    evidence: pins.map(({ path }) => `there is: ${path}`),
    hint: "Give the pin's file name without .session.json, its path, or the session's id.",
  });
}

export function isNamed({ path, session }: Pick<Pin, 'path' | 'session'>, name: string): boolean {
  return name === session.id || name === path || name === path.replace(/^.*\//, '').replace(/\.session\.json$/, '');
}
