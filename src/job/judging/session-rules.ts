import { type StopRule, verdict } from '../../compare/index.ts';
import { withOwn } from '../../config/index.ts';
import { levelOfVerdict } from '../../report/index.ts';
import type { RunSettings } from './run-settings.ts';
import type { ScopedSession } from './scoped-session.ts';
import type { SessionRules } from './session-progress.ts';

/** What a session is compared and judged by, with what the configuration says of it alone. */
export function rulesOf({ own }: ScopedSession, settings: RunSettings): SessionRules {
  const { compare, gate, base, traceSource, context, stopEarly, ...policy } = withOwn(settings, own);
  return {
    compare,
    gate,
    hasTraces: traceSource !== 'none',
    hasBase: base !== undefined,
    inSequence: context === 'sequence',
    stopEarly: stopEarly && { mode: stopEarly, ...stopPolicy(policy) },
  };
}

function stopPolicy({ failOn, minAgreement }: Pick<RunSettings, 'failOn' | 'minAgreement'>): Omit<StopRule, 'mode'> {
  const failing = verdict
    .exclude(['reproduced'])
    .options.filter((each) => levelOfVerdict(each, { failOn }) === 'error');
  return { failing, minAgreement };
}
