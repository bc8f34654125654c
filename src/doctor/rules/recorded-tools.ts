import type { AgentEvidence } from '../evidence/evidence.ts';
import { fail, pass, type Rule, skip } from '../evidence/rule.ts';

/** Rules for recorded tool results. */
export const TOOLS_RULES: readonly Rule<AgentEvidence>[] = [
  {
    id: 'tools-wrapped',
    demand: 'Tools with recorded results are wrapped.',
    fix: {
      javascript:
        'Wrap them with `replayTools`, under the names in the pins, where modules are loaded (docs/tools.md).',
      python: 'Wrap them with `@replay_tool`, under the names in the pins, where modules are loaded (docs/tools.md).',
    },
    needs: ['agent'],
    judge: ({ replayedTools: { recorded, never }, wrappedTools }) => {
      if (wrappedTools === undefined) return skip('`tools` is not set, so all tools are live');
      const wrapped = new Set(wrappedTools);
      const lacking = [...new Set([...recorded, ...never])].filter((name) => !wrapped.has(name));
      const seen = `wrapped: ${[...wrapped].sort().join(', ') || 'none'}`;
      if (lacking.length === 0) return pass(seen);
      return fail(
        seen,
        ...lacking.map((name) => `not wrapped: ${name}${never.includes(name) ? ', which must not run' : ''}`),
      );
    },
  },
];
