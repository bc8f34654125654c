import { z } from 'zod';
import { type CompareRules, compareRules } from '../compare/index.ts';
import type { AgentReplayError } from '../errors.ts';
import { replayOptions } from '../replay/index.ts';
import { gatePolicy } from '../report/index.ts';
import { checkPattern, matchesPattern } from '../session/index.ts';
import type { ToolSettings } from '../tools/index.ts';

type GatePolicy = z.infer<typeof gatePolicy>;

const glob = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    try {
      checkPattern(value);
    } catch (error) {
      issues.push({ code: 'custom', message: (error as AgentReplayError).message, input: value });
    }
  });

/** Settings that one session has of its own, in place of those for all sessions. */
export const ownSettings = z.strictObject({
  runs: replayOptions.shape.runs.unwrap().optional(),
  gate: gatePolicy.shape.gate,
  strictness: compareRules.shape.strictness.unwrap().optional(),
  failOn: gatePolicy.shape.failOn.unwrap().optional(),
  tools: z
    .enum(['live', 'recorded'])
    .optional()
    .meta({ description: 'Where the results of tools come from that `tools` does not name: live or recorded.' }),
});
export type OwnSettings = z.infer<typeof ownSettings>;

export const overrides = z
  .array(
    ownSettings.extend({
      sessions: z.union([glob, z.array(glob).min(1)]).meta({
        description: 'Patterns of the paths of pins, from the root, such as replays/billing/**.',
      }),
    }),
  )
  .default([])
  .meta({
    description:
      'Settings of some sessions alone: runs, gate, strictness, failOn and tools. If several entries match a pin, the last one wins, key by key.',
  });
type Overrides = z.infer<typeof overrides>;

/** Settings that {@link OwnSettings} can replace. */
interface Settings {
  readonly runs: number;
  readonly looks: GatePolicy['looks'];
  readonly gate?: GatePolicy['gate'];
  readonly failOn: GatePolicy['failOn'];
  readonly compare: CompareRules;
  readonly tools?: ToolSettings;
}

/**
 * A session's own settings.
 * @param path of its pin, relative to the root, with forward slashes
 */
export function ownSettingsOf({ overrides }: { readonly overrides: Overrides }, path: string): OwnSettings {
  const matching = overrides.filter((each) => patternsIn(each).some((pattern) => matchesPattern(pattern, path)));
  const own = matching.map(({ sessions: _, ...settings }) =>
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
  return Object.fromEntries(own.flat());
}

/** Where `runs` is set, nothing is judged by fewer of them. */
export function looksFrom(runs: number): GatePolicy['looks'] {
  return { least: runs, most: Math.max(runs, gatePolicy.shape.looks.parse({}).most) };
}

/** The settings that apply to a session. */
export function withOwn<S extends Settings>(settings: S, own: OwnSettings = {}): S {
  const { runs, looks, gate, failOn, compare, tools } = settings;
  return {
    ...settings,
    runs: own.runs ?? runs,
    looks: own.runs === undefined ? looks : looksFrom(own.runs),
    gate: own.gate ?? gate,
    failOn: own.failOn ?? failOn,
    compare: own.strictness === undefined ? compare : { ...compare, strictness: own.strictness },
    ...(tools && own.tools && { tools: { ...tools, others: own.tools } }),
  };
}

/** Patterns of `overrides` that match no pin. */
export function idlePatterns({ overrides }: { readonly overrides: Overrides }, paths: readonly string[]): string[] {
  return overrides.flatMap(patternsIn).filter((pattern) => !paths.some((path) => matchesPattern(pattern, path)));
}

/** Given by hand, they apply to all sessions. */
const GIVEN: Readonly<Record<string, keyof OwnSettings>> = {
  runs: 'runs',
  gate: 'gate',
  'compare.strictness': 'strictness',
  failOn: 'failOn',
  tools: 'tools',
};

/** `overrides` as written, without settings that were given by hand for all sessions. */
export function withoutGiven(written: unknown, given: Iterable<string>): unknown {
  if (!Array.isArray(written)) return written;
  const gone = new Set<string>([...given].flatMap((path) => GIVEN[path] ?? []));
  return written.map((each: unknown) =>
    typeof each === 'object' && each !== null
      ? Object.fromEntries(Object.entries(each).filter(([key]) => !gone.has(key)))
      : each,
  );
}

function patternsIn({ sessions }: Overrides[number]): string[] {
  return [sessions].flat();
}
