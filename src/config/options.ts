import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { AgentReplayError } from '../errors.ts';
import { jsonIn } from '../json/index.ts';
import type { OptionValues } from './option-values.ts';
import { withoutGiven } from './overrides.ts';
import { configSchema } from './schema.ts';

/** A setting that people set on a command line or in a workflow. */
export interface ConfigOption {
  /** Such as `agent.command`. */
  readonly path: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly kind: 'text' | 'number';
  readonly default: string | number | boolean | undefined;
  readonly choices: readonly string[];
  readonly description: string;
}

/** All other settings are given as `KEY=VALUE`. */
const FLAGS: Readonly<Record<string, string>> = {
  'agent.command': 'start',
  'agent.url': 'url',
  runs: 'runs',
  workers: 'workers',
  maxCalls: 'max-calls',
  maxCost: 'max-cost',
  tools: 'tools',
  gate: 'gate',
  base: 'base',
  shard: 'shard',
};

/**
 * The settings that have an option of their own; what they are is read from the schema.
 * @throws TypeError of one that takes no text and no number, because nothing would read its flag or its input
 */
export function configOptions(flags = FLAGS): ConfigOption[] {
  return Object.entries(flags).flatMap(([path, flag]) =>
    schemasAt(path).map((schema): ConfigOption => {
      const ways = waysOf(schema);
      if (!ways.some(({ def }) => /^(?:string|number|enum)$/.test(def.type)))
        throw new TypeError(`${path} cannot be an option`);
      return {
        path,
        flag,
        kind: ways.some(({ def }) => def.type === 'number') ? 'number' : 'text',
        default: defaultOf(schema),
        choices: ways.flatMap((way) => (way.def.type === 'enum' ? (way as z.ZodEnum).options.map(String) : [])),
        description: descriptionOf(schema),
      };
    }),
  );
}

/**
 * Reads one setting in text form: `agent.timeout=5000` -> `['agent.timeout', 5000]`. Commas separate the items of a list.
 * Below a table any key is allowed (`agent.env.DEBUG=1`, `compare.tools.refund.mutating=true`). What is not what its setting
 * takes is passed on, so that all mistakes are reported together.
 * @throws AgentReplayError `USAGE`
 */
export function readSetting(text: string): [path: string, value: unknown] {
  const at = text.indexOf('=');
  if (at <= 0) {
    throw new AgentReplayError('USAGE', `A setting is given as KEY=VALUE, not as ${JSON.stringify(text)}.`, {
      hint: 'KEY is the path in the configuration, as in timeouts.call=60000.',
    });
  }
  const [path, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
  return [path, valueFor(schemasAt(path), value)];
}

/**
 * Settings, and those given as KEY=VALUE beside them.
 * @param spelled how each is given, for messages
 * @throws AgentReplayError `USAGE` if both give one setting two values
 */
export function joinSettings(
  own: ReadonlyMap<string, unknown>,
  texts: readonly string[],
  spelled: { readonly own: (path: string) => string; readonly set: string },
): Map<string, unknown> {
  const set = new Map(texts.map(readSetting));
  for (const [path, value] of own) {
    if (!set.has(path) || isDeepStrictEqual(set.get(path), value)) continue;
    throw new AgentReplayError('USAGE', `${path} is given twice, with two values.`, {
      evidence: [`${spelled.own(path)} ${value}`, `${spelled.set} ${path}=${set.get(path)}`],
      hint: 'Leave one of them out.',
    });
  }
  return new Map([...own, ...set]);
}

function valueFor(schemas: readonly z.ZodType[], text: string): unknown {
  const ways = schemas.flatMap(waysOf);
  if (ways.some(({ def }) => TEXTS.has(def.type))) return text;
  const list = ways.find(({ def }) => def.type === 'array') as z.ZodArray<z.ZodType> | undefined;
  if (list !== undefined && !text.startsWith('['))
    return text.split(',').map((item) => valueFor([list.element], item.trim()));
  const json = jsonIn(text);
  return json === undefined ? text : json;
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'enum', 'literal']);

/**
 * The configuration as written, with some settings replaced. If only a part of `tracing: 'none'` is replaced, the short
 * form is expanded first. A setting given for all sessions also wins over `overrides`, unless these were given with it.
 * @throws AgentReplayError `USAGE` if options set both the whole of a setting and a part of it
 */
export function withOptions(written: unknown, values: OptionValues): unknown {
  if (!isPlainObject(written)) return written;
  let result = written;
  for (const [path, value] of values) result = replaced(result, path.split('.'), value);
  if (result.overrides === undefined || values.has('overrides')) return result;
  return { ...result, overrides: withoutGiven(result.overrides, values.keys()) };
}

/** What a setting takes; none for an unknown one. */
function schemasAt(path: string): z.ZodType[] {
  const below = (schema: z.ZodType, key: string): z.ZodType[] =>
    waysOf(schema).flatMap((way) => {
      if (way.def.type === 'object') return ((way as z.ZodObject).shape[key] as z.ZodType | undefined) ?? [];
      return way.def.type === 'record' ? ((way as z.ZodRecord).valueType as z.ZodType) : [];
    });
  return path
    .split('.')
    .reduce<z.ZodType[]>((schemas, key) => schemas.flatMap((each) => below(each, key)), [configSchema]);
}

/** What it may be: of a union, each of its kinds. */
function waysOf(schema: z.ZodType): z.ZodType[] {
  const inner = unwrapped(schema);
  return inner.def.type === 'union' ? (inner as z.ZodUnion<z.ZodType[]>).options.flatMap(waysOf) : [inner];
}

/** Without defaults and transformations. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const def = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = def.innerType ?? def.in;
  return inner === undefined ? schema : unwrapped(inner);
}

function descriptionOf(schema: z.ZodType): string {
  const { description } = schema as z.ZodType;
  const inner = (schema.def as { innerType?: z.ZodType }).innerType;
  return description ?? (inner === undefined ? '' : descriptionOf(inner));
}

function defaultOf(schema: z.ZodType): ConfigOption['default'] {
  const { type, defaultValue } = schema.def as { type: string; defaultValue?: unknown };
  const isWord =
    typeof defaultValue === 'string' || typeof defaultValue === 'number' || typeof defaultValue === 'boolean';
  return (type === 'default' || type === 'prefault') && isWord ? defaultValue : undefined;
}

type Plain = Readonly<Record<string, unknown>>;

function replaced(written: Plain, [key, ...rest]: readonly string[], value: unknown, above: string[] = []): Plain {
  if (key === undefined) return written;
  const path = [...above, key];
  if (rest.length === 0) return { ...written, [key]: asWhole(path.join('.'), written[key], value) };
  return { ...written, [key]: replaced(inParts(written[key], path.join('.')), rest, value, path) };
}

/** A single word for `tools` applies to the tools that the table does not name. The table's entries stay. */
function asWhole(path: string, present: unknown, value: unknown): unknown {
  if (path !== 'tools' || !isPlainObject(present) || typeof value !== 'string') return value;
  return { ...present, '*': { replay: value } };
}

/** Expands a setting of which only a part is to be replaced. */
function inParts(present: unknown, path: string): Plain {
  if (present === undefined) return {};
  if (isPlainObject(present)) return present;
  if (path === 'tracing') return { source: present };
  if (path === 'tools') return { '*': { replay: present } };
  throw new AgentReplayError('USAGE', `${path} is set as a whole, so an option cannot set a part of it.`, {
    hint: `Set ${path} as a whole, or write it in parts in the configuration.`,
  });
}

function isPlainObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
