import type { z } from 'zod';
import { AgentReplayError } from '../errors.ts';
import { jsonIn } from '../json/index.ts';
import type { OptionValues } from './option-values.ts';
import { withoutGiven } from './overrides.ts';
import { config } from './schema.ts';

/** A setting as a command-line option. Its name is its path in kebab-case, except for {@link SHORT_NAMES}. */
export interface ConfigOption extends Setting {
  readonly kind: 'text' | 'number' | 'list';
}

/** A setting in text form. */
interface Setting {
  /** Such as `agent.timeout`. */
  readonly path: string;
  /** Without the dashes. */
  readonly flag: string;
  /** `list` and `numbers` are separated by commas; `pairs` is a table of texts. */
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'numbers' | 'pairs';
  /** Undefined if there is none, or if it is not a single value. */
  readonly default: string | number | boolean | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly description: string;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  'agent.command': 'start',
  'agent.url': 'url',
};

/** Settings that only a file can hold. */
const NOT_OPTIONS = new Set(['$schema', 'agents']);

/** Settings that people set on a command line or in a workflow. All others are given as `KEY=VALUE`. */
const WITH_A_FLAG: ReadonlySet<string> = new Set([
  'agent.command',
  'agent.url',
  'runs',
  'workers',
  'maxCalls',
  'maxCost',
  'gate',
  'tools',
  'base',
  'shard',
]);

/** The settings that have an option of their own, read from the schema so that nothing is listed twice. */
export function configOptions(): ConfigOption[] {
  return everySetting().filter((setting): setting is ConfigOption => WITH_A_FLAG.has(setting.path));
}

/**
 * Reads one setting in text form: `agent.timeout=5000` -> `['agent.timeout', 5000]`. Commas separate the items of a list.
 * Below a table any key is allowed (`agent.env.DEBUG=1`, `compare.tools.refund.mutating=true`). Keys unknown to the schema
 * are passed on, so that all mistakes are reported together.
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
  if (isBelowPairs(path)) return [path, value];
  const known = everySetting().find((option) => option.path === path && option.kind !== 'pairs');
  if (known === undefined || (known.kind === 'list' && value.startsWith('['))) {
    const json = jsonIn(value);
    return [path, json === undefined ? value : json];
  }
  return [path, readOption({ ...known, flag: path }, value)];
}

/** Whether a key lies in a table of texts, such as the agent's environment. */
function isBelowPairs(path: string): boolean {
  return everySetting().some((option) => option.kind === 'pairs' && path.startsWith(`${option.path}.`));
}

let settings: Setting[] | undefined;

export function everySetting(): Setting[] {
  settings ??= optionsOf(config, []);
  return settings;
}

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

/** @throws AgentReplayError `USAGE` */
export function readOption({ flag, kind }: Setting, text: string): unknown {
  switch (kind) {
    case 'number':
      return readNumber(flag, text);
    case 'numbers':
      return parts(text).map((part) => readNumber(flag, part));
    case 'list':
      return parts(text);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw new AgentReplayError('USAGE', `${flag} takes true or false, not ${JSON.stringify(text)}.`);
    case 'text':
    case 'pairs':
      return text;
  }
}

function parts(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function readNumber(flag: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new AgentReplayError('USAGE', `${flag} takes a number, not "${text}".`);
}

function optionsOf(schema: z.ZodType, path: readonly string[]): Setting[] {
  if (NOT_OPTIONS.has(path.join('.'))) return [];
  const inner = unwrapped(schema);
  const ways = inner.def.type === 'union' ? (inner as z.ZodUnion<z.ZodType[]>).options.map(unwrapped) : [inner];
  const kind = ways.map(kindOf).find((known) => known !== undefined);
  const name = path.join('.');
  const whole: Setting = {
    path: name,
    flag: SHORT_NAMES[name] ?? path.map(kebabCase).join('-'),
    kind: kind ?? 'text',
    choices: ways.flatMap((way) => (way.def.type === 'enum' ? (way as z.ZodEnum).options.map(String) : [])),
    default: defaultOf(schema),
    description: descriptionOf(schema),
  };
  const parts = ways
    .filter((way) => way.def.type === 'object')
    .flatMap((way) => Object.entries((way as z.ZodObject).shape))
    .flatMap(([key, part]) => optionsOf(part as z.ZodType, [...path, key]));
  // One option for the short form and one for each part.
  return kind === undefined ? parts : [whole, ...parts];
}

/** Types that can stand behind `NAME=` on a command line. */
const PAIRED: ReadonlySet<string> = new Set(['string', 'enum']);

function kindOf(schema: z.ZodType): Setting['kind'] | undefined {
  switch (schema.def.type) {
    case 'string':
    case 'enum':
    case 'literal':
      return 'text';
    case 'number':
    case 'int':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return kindOf(unwrapped((schema as z.ZodArray<z.ZodType>).element)) === 'number' ? 'numbers' : 'list';
    case 'record':
      return PAIRED.has(unwrapped((schema as z.ZodRecord).def.valueType as z.ZodType).def.type) ? 'pairs' : undefined;
    default:
      return undefined;
  }
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

function defaultOf(schema: z.ZodType): Setting['default'] {
  const { type, defaultValue } = schema.def as { type: string; defaultValue?: unknown };
  const isWord =
    typeof defaultValue === 'string' || typeof defaultValue === 'number' || typeof defaultValue === 'boolean';
  return (type === 'default' || type === 'prefault') && isWord ? defaultValue : undefined;
}

function kebabCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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
