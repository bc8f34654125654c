import { z } from 'zod';
import { type CompareRules, compareRules } from '../compare/index.ts';
import type { Language } from '../files/index.ts';
import { own } from '../json/index.ts';

type ToolRules = CompareRules['tools'][string];

/** Where a tool's result comes from during a replay. */
const replayPolicy = z.enum(['live', 'recorded', 'never']);
export type ReplayPolicy = z.infer<typeof replayPolicy>;

const replay = replayPolicy.meta({
  description:
    'live: the tool runs. recorded: its result comes from the recording. never: recorded, and the tool never runs, whatever onMiss says.',
});

const onMiss = z.enum(['fail', 'live', 'error']).default('fail').meta({
  description:
    'What happens on a call that the recording does not hold: the replay ends there with an error (fail), the tool runs (live), or the agent gets an error as its result (error).',
});

const table = z
  .object({
    onMiss,
    '*': z.strictObject({ replay }).optional().meta({ description: 'For all tools that are not named.' }),
  })
  .catchall(compareRules.shape.tools.unwrap().valueType.extend({ replay: replay.optional() }));

/** `tools`, as written. */
export type ToolsInput =
  | ReplayPolicy
  | {
      readonly onMiss?: z.infer<typeof onMiss>;
      readonly '*'?: { readonly replay: ReplayPolicy };
      /** TypeScript cannot express a table with fixed keys and others, so a bare word is refused at run time. */
      readonly [tool: string]: ToolEntry | { readonly replay: ReplayPolicy } | string | undefined;
    };
type ToolEntry = Readonly<ToolRules> & { readonly replay?: ReplayPolicy };

/** What is known about the agent's tools, by name, and where their results come from: `tools` in the configuration. */
export const toolSettings = z
  .union([replayPolicy.transform((all) => table.parse({ '*': { replay: all } })), table])
  .transform(({ onMiss, '*': others, ...named }): ToolSettings => {
    const own = Object.entries(named as Record<string, ToolRules & { replay?: ReplayPolicy }>);
    return {
      onMiss,
      others: others?.replay ?? 'live',
      isSaid: others !== undefined,
      named: Object.fromEntries(own.flatMap(([name, { replay }]) => (replay === undefined ? [] : [[name, replay]]))),
      rules: Object.fromEntries(own.map(([name, { replay: _, ...rules }]) => [name, rules])),
    };
  })
  .meta({
    description:
      'What is known of each tool, and where its results come from in a replay: one word for all of them, or a table by name.',
  }) as unknown as z.ZodType<ToolSettings, ToolsInput>;

export interface ToolSettings {
  readonly onMiss: z.infer<typeof onMiss>;
  /** For tools that are not named. */
  readonly others: ReplayPolicy;
  /** Whether somebody said so. */
  readonly isSaid?: boolean;
  readonly named: Readonly<Record<string, ReplayPolicy>>;
  /** Further declarations of each, for the comparison. */
  readonly rules: Readonly<Record<string, ToolRules>>;
}

/** `compare.tools`, overridden by `tools`. */
export function mergedRules(compare: CompareRules['tools'], { rules }: ToolSettings): CompareRules['tools'] {
  const names = new Set([...Object.keys(compare), ...Object.keys(rules)]);
  return Object.fromEntries([...names].map((name) => [name, { ...own(compare, name), ...own(rules, name) }]));
}

/** Where results of tools come from. */
export class ToolPolicies {
  readonly onMiss: ToolSettings['onMiss'];
  readonly #settings: ToolSettings;
  readonly #rules: CompareRules['tools'];
  /** Of the agent, for what a message calls the wrapper. */
  readonly language: Language | undefined;

  constructor(settings: ToolSettings, rules: CompareRules['tools'], language?: Language) {
    this.language = language;
    this.onMiss = settings.onMiss;
    this.#settings = settings;
    this.#rules = rules;
  }

  /** Whether any result comes from a recording. */
  get isOn(): boolean {
    return this.#settings.others !== 'live' || Object.values(this.#settings.named).some((each) => each !== 'live');
  }

  of(tool: string): ReplayPolicy {
    const { others } = this.#settings;
    const rules = own(this.#rules, tool);
    const isDear = rules?.mutating === true || rules?.critical === true;
    return own(this.#settings.named, tool) ?? (others === 'recorded' && isDear ? 'never' : others);
  }

  /** Whether the configuration says so for this very tool, not only for all others. */
  isNamed(tool: string): boolean {
    return own(this.#settings.named, tool) !== undefined;
  }

  /** The same for an agent that is not asked anything recorded: tools that must not run still do not. */
  asked(): ToolPolicies {
    const live = (policy: ReplayPolicy): ReplayPolicy => (policy === 'recorded' ? 'live' : policy);
    const { others, named, rules, onMiss } = this.#settings;
    const never = this.neverByName().map((name) => [name, 'never'] as const);
    const entries = [...Object.entries(named).map(([name, policy]) => [name, live(policy)] as const), ...never];
    return new ToolPolicies(
      { onMiss, rules, others: live(others), named: Object.fromEntries(entries) },
      this.#rules,
      this.language,
    );
  }

  /** Named tools that must not run. */
  neverByName(): string[] {
    const names = new Set([...Object.keys(this.#settings.named), ...Object.keys(this.#rules)]);
    return [...names].filter((name) => this.of(name) === 'never');
  }
}
