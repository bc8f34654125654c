import { z } from 'zod';
import { type CompareRules, compareRules } from '../compare/index.ts';

type ToolRules = CompareRules['tools'][string];

/** Where the result of a tool comes from in a replay. */
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

/** `tools`, as it is written. */
export type ToolsInput =
  | ReplayPolicy
  | {
      readonly onMiss?: z.infer<typeof onMiss> | undefined;
      readonly '*'?: { readonly replay: ReplayPolicy } | undefined;
      /** TypeScript has no table with keys of its own in it: a word by itself is refused when it is read. */
      readonly [tool: string]: ToolEntry | { readonly replay: ReplayPolicy } | string | undefined;
    };
type ToolEntry = Readonly<ToolRules> & { readonly replay?: ReplayPolicy | undefined };

/** What is known of the agent's tools, by name, and where their results come from: `tools` in the configuration. */
export const toolSettings = z
  .union([replayPolicy.transform((all) => table.parse({ '*': { replay: all } })), table])
  .transform(({ onMiss, '*': others, ...named }): ToolSettings => {
    const own = Object.entries(named as Record<string, ToolRules & { replay?: ReplayPolicy }>);
    return {
      onMiss,
      others: others?.replay ?? 'live',
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
  /** Of tools that are not named. */
  readonly others: ReplayPolicy;
  readonly named: Readonly<Record<string, ReplayPolicy>>;
  /** What else is said of each; the comparison goes by it. */
  readonly rules: Readonly<Record<string, ToolRules>>;
}

/** What `compare.tools` says, with what `tools` says in its place. */
export function mergedRules(compare: CompareRules['tools'], { rules }: ToolSettings): CompareRules['tools'] {
  const names = new Set([...Object.keys(compare), ...Object.keys(rules)]);
  return Object.fromEntries([...names].map((name) => [name, { ...own(compare, name), ...own(rules, name) }]));
}

/** Where results of tools come from. */
export class ToolPolicies {
  readonly onMiss: ToolSettings['onMiss'];
  readonly #settings: ToolSettings;
  readonly #rules: CompareRules['tools'];

  constructor(settings: ToolSettings, rules: CompareRules['tools']) {
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

  /** Whether the configuration says so of this very tool, and not of all others. */
  isNamed(tool: string): boolean {
    return own(this.#settings.named, tool) !== undefined;
  }

  /** The same where nothing that is recorded is asked for: what must not run still does not. */
  asked(): ToolPolicies {
    const live = (policy: ReplayPolicy): ReplayPolicy => (policy === 'recorded' ? 'live' : policy);
    const { others, named, rules, onMiss } = this.#settings;
    const never = this.neverByName().map((name) => [name, 'never'] as const);
    const entries = [...Object.entries(named).map(([name, policy]) => [name, live(policy)] as const), ...never];
    return new ToolPolicies({ onMiss, rules, others: live(others), named: Object.fromEntries(entries) }, this.#rules);
  }

  /** Tools that the configuration names and that must not run. */
  neverByName(): string[] {
    const names = new Set([...Object.keys(this.#settings.named), ...Object.keys(this.#rules)]);
    return [...names].filter((name) => this.of(name) === 'never');
  }
}

/** A tool may be called `constructor`. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
