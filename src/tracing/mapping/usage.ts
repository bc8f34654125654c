import { asNumber, isJsonObject, type Json, present, spelledOut } from '../../json/index.ts';
import { type Attributes, holds } from './attributes.ts';

type Usage = Record<string, number>;

/**
 * Tokens that a model call was given (`input`) and wrote (`output`), cached and reasoning ones among them. What Langfuse's
 * SDKs say is kept by kind: `input_cached_tokens` is beside `input` there. Undefined if nothing was counted.
 */
export function usageOf(attributes: Attributes): Usage | undefined {
  const given = numbersIn(spelledOut(attributes.get('langfuse.observation.usage_details')));
  return given ?? genkitUsage(attributes) ?? countedUsage(attributes);
}

function genkitUsage(attributes: Attributes): Usage | undefined {
  const { inputTokens, outputTokens } = objectIn(objectIn(attributes.get('genkit:output')).usage);
  return numbersIn(present({ input: inputTokens || undefined, output: outputTokens || undefined }));
}

const COUNT = /^(?:gen_ai\.usage|llm\.token_count)\.(.+)$/;
const INPUT = ['prompt_tokens', 'input_tokens', 'prompt'];
const OUTPUT = ['completion_tokens', 'output_tokens', 'completion'];
const CACHED = [/cache_read|cached_tokens/, /cache_(?:creation|write)/];
const THOUGHT = [/reasoning/, /audio$/];

function countedUsage(attributes: Attributes): Usage | undefined {
  if (!holds(attributes, 'usage')) return undefined;
  const counted = new Map<string, number>();
  for (const [key, value] of attributes) {
    const name = COUNT.exec(key)?.[1];
    const count = name === undefined ? Number.NaN : asNumber(value);
    if (name !== undefined && Number.isFinite(count)) counted.set(name, count);
  }
  // Some senders count cached tokens among the others, and some beside them.
  const atLeast = (names: readonly string[], parts: number) => {
    const whole = names.map((name) => counted.get(name)).find((count) => count !== undefined);
    return whole === undefined ? undefined : Math.max(whole, parts);
  };
  const partsOf = (kinds: readonly RegExp[]) =>
    kinds.reduce(
      (sum, kind) => sum + Math.max(0, ...[...counted].map(([name, count]) => (kind.test(name) ? count : 0))),
      0,
    );
  const cached = partsOf(CACHED) || cachedByProvider(attributes);
  return numbersIn(present({ input: atLeast(INPUT, cached), output: atLeast(OUTPUT, partsOf(THOUGHT)) }));
}

/** Where the AI SDK keeps what its providers count beside the input. */
const OF_PROVIDERS = [
  ['anthropic', 'cache_creation_input_tokens'],
  ['anthropic', 'cache_read_input_tokens'],
  ['bedrock', 'cacheReadInputTokens'],
  ['bedrock', 'cacheWriteInputTokens'],
] as const;

function cachedByProvider(attributes: Attributes): number {
  const said = objectIn(attributes.get('ai.response.providerMetadata'));
  const counts = OF_PROVIDERS.map(([provider, name]) => asNumber(objectIn(objectIn(said[provider]).usage)[name] ?? 0));
  return counts.reduce((sum, count) => sum + (Number.isFinite(count) ? count : 0), 0);
}

function objectIn(value: Json | undefined): { readonly [key: string]: Json } {
  const object = spelledOut(value);
  return isJsonObject(object) ? object : {};
}

/** The members of an object that are numbers; undefined when none is. */
export function numbersIn(value: Json | undefined): Usage | undefined {
  const numbers = Object.entries(objectIn(value)).filter(([, count]) => typeof count === 'number');
  return numbers.length === 0 ? undefined : (Object.fromEntries(numbers) as Usage);
}
