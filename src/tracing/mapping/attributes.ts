import { type Json, textOrJson } from '../../json/index.ts';

/** Attributes by key. A map, so that no key from outside can reach a prototype. */
export type Attributes = Map<string, Json> & {
  /** A bit for each family of attributes that it contains, once computed. */
  families?: number;
  /** What the SDK left out of the span, for its limits, as the protocol names it. */
  dropped?: readonly Dropped[];
};
export type Dropped = 'droppedAttributesCount' | 'droppedEventsCount';

export function firstText(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === '' || value === false) continue;
    return textOrJson(value);
  }
  return undefined;
}

/** Families of attributes by the prefix of their names. A span has many of a family or none. */
const FAMILIES = {
  metadata: [
    'langfuse.trace.metadata',
    'langfuse.observation.metadata',
    'langfuse.metadata',
    'ai.telemetry.metadata',
    'langsmith.metadata',
    'metadata',
  ],
  usage: ['gen_ai.usage.', 'llm.token_count.'],
  request: ['gen_ai.request.', 'llm.invocation_parameters.'],
  definitions: ['llm.tools.', 'llm.request.functions.'],
  flattened: ['gen_ai.prompt', 'gen_ai.completion', 'llm.input_messages', 'llm.output_messages'],
} as const;
type Family = keyof typeof FAMILIES;
const NAMES = Object.keys(FAMILIES) as Family[];
const BITS = Object.fromEntries(NAMES.map((family, bit) => [family, 1 << bit])) as Record<Family, number>;

const REMEMBERED_NAMES = 4_000;

/** Remembers what a name of an attribute means: senders use the same few again and again. Further names are not kept. */
export function onceANameOf<T>(read: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined || known.has(name)) return before as T;
    const now = read(name);
    if (known.size < REMEMBERED_NAMES) known.set(name, now);
    return now;
  };
}

/** A bit for each family that an attribute of this name belongs to. */
const bitsOf = onceANameOf((name) =>
  NAMES.reduce((sum, family) => sum | (FAMILIES[family].some((start) => name.startsWith(start)) ? BITS[family] : 0), 0),
);

/** Whether there is any attribute of a family, so that callers need not search all of them. */
export function holds(attributes: Attributes, family: Family): boolean {
  attributes.families ??= familiesOf(attributes);
  return (attributes.families & BITS[family]) !== 0;
}

function familiesOf(attributes: Attributes): number {
  let all = 0;
  for (const name of attributes.keys()) all |= bitsOf(name);
  return all;
}
