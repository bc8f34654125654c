import { asNumber, isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import { type Attributes, holds } from './attributes.ts';
import type { Span } from './otlp.ts';

type Usage = Record<string, number>;

/**
 * Tokens of a model call by kind, as the platform counts them. Cached tokens are subtracted from `input`, and reasoning and
 * audio tokens from `output`, so that the kinds add up. Undefined if nothing was counted.
 */
export function usageOf({ attributes, scope }: Span): Usage | undefined {
  const given = numbersIn(spelledOut(attributes.get('langfuse.observation.usage_details')));
  if (given !== undefined) return given;
  if (scope.name === 'genkit-tracer') return genkitUsage(attributes) ?? genAiUsage(attributes);
  if (scope.name === 'ai') return aiSdkUsage(attributes);
  const usage = genAiUsage(attributes);
  return scope.name === 'gcp.vertex.agent' && usage !== undefined ? withGoogleCache(usage, attributes) : usage;
}

/** Genkit includes the model's thoughts in its output count. */
function genkitUsage(attributes: Attributes): Usage | undefined {
  const output = spelledOut(attributes.get('genkit:output'));
  const usage = isJsonObject(output) ? numbersIn(output.usage) : undefined;
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, totalTokens, thoughtsTokens = 0 } = usage;
  const counted = Object.entries({
    input: inputTokens,
    output: outputTokens && Math.max(outputTokens - thoughtsTokens, 0),
    total: totalTokens,
    output_reasoning: thoughtsTokens,
  }).filter(([, count]) => count);
  return counted.length === 0 ? undefined : (Object.fromEntries(counted) as Usage);
}

const GEN_AI = 'gen_ai.usage.';
const LLM = 'llm.token_count.';

/** Each kind and its names in the conventions; the first one present counts. */
const KINDS: readonly (readonly [kind: string, names: readonly string[]])[] = [
  ['input', ['prompt_tokens', 'input_tokens', 'prompt']],
  ['output', ['completion_tokens', 'output_tokens', 'completion']],
  ['total', ['total_tokens', 'total']],
  [
    'input_cached_tokens',
    [
      'cache_read.input_tokens',
      'cache_read_input_tokens',
      'cache_read_tokens',
      'details.cache_read_tokens',
      'details.cache_read_input_tokens',
      'prompt_details.cache_read',
      'input_cached_tokens',
    ],
  ],
  [
    'input_cache_creation',
    [
      'cache_creation.input_tokens',
      'cache_creation_input_tokens',
      'cache_write_tokens',
      'details.cache_write_tokens',
      'details.cache_creation_input_tokens',
      'prompt_details.cache_write',
      'input_cache_creation',
    ],
  ],
  ['output_reasoning_tokens', ['reasoning.output_tokens', 'completion_details.reasoning']],
  ['output_audio_tokens', ['completion_details.audio']],
];
const KIND_NAMES = new Set(KINDS.flatMap(([, names]) => names));

/** The GenAI convention and OpenInference. */
function genAiUsage(attributes: Attributes): Usage | undefined {
  if (!holds(attributes, 'usage')) return undefined;
  const counted = new Map<string, number>();
  for (const [key, value] of attributes) {
    const name = key.startsWith(GEN_AI) ? key.slice(GEN_AI.length) : key.startsWith(LLM) ? key.slice(LLM.length) : '';
    if (name === '' || name === 'cost') continue;
    const count = asNumber(value);
    if (Number.isFinite(count)) counted.set(name, count);
  }
  if (counted.size === 0) return undefined;
  const usage: Usage = {};
  for (const [name, count] of counted) if (!KIND_NAMES.has(name)) usage[name.replace(/^details\./, '')] = count;
  for (const [kind, names] of KINDS) {
    const name = names.find((each) => counted.has(each));
    if (name !== undefined) usage[kind] = counted.get(name) ?? 0;
  }
  take(usage, 'input', ['input_cached_tokens', 'input_cache_creation']);
  take(usage, 'output', ['output_reasoning_tokens', 'output_audio_tokens']);
  return usage;
}

/** Subtracts the parts from a known total. */
function take(usage: Usage, whole: string, parts: readonly string[]): void {
  if (usage[whole] === undefined) return;
  usage[whole] = Math.max(
    parts.reduce((rest, part) => rest - (usage[part] ?? 0), usage[whole]),
    0,
  );
}

/** Google's agent kit reports cached tokens only in the response. */
function withGoogleCache(usage: Usage, attributes: Attributes): Usage {
  const response = spelledOut(attributes.get('gcp.vertex.agent.llm_response'));
  const cached = countAt(response, ['usage_metadata', 'cached_content_token_count']) ?? 0;
  if (usage.input_cached_tokens !== undefined || cached <= 0) return usage;
  const all = { ...usage, input_cached_tokens: cached };
  take(all, 'input', ['input_cached_tokens']);
  return all;
}

/** Counts by providers beside the AI SDK's own. The first one present counts. */
const OF_PROVIDERS: readonly (readonly [kind: string, path: readonly string[]])[] = [
  ['input_cached_tokens', ['openai', 'cachedPromptTokens']],
  ['accepted_prediction_tokens', ['openai', 'acceptedPredictionTokens']],
  ['rejected_prediction_tokens', ['openai', 'rejectedPredictionTokens']],
  ['output_reasoning_tokens', ['openai', 'reasoningTokens']],
  ['input_cache_creation', ['anthropic', 'usage', 'cache_creation_input_tokens']],
  ['input_cached_tokens', ['anthropic', 'usage', 'cache_read_input_tokens']],
  ['input_cache_creation_5m', ['anthropic', 'usage', 'cache_creation', 'ephemeral_5m_input_tokens']],
  ['input_cache_creation_1h', ['anthropic', 'usage', 'cache_creation', 'ephemeral_1h_input_tokens']],
  ['input_cache_read', ['bedrock', 'usage', 'cacheReadInputTokens']],
  ['input_cache_write', ['bedrock', 'usage', 'cacheWriteInputTokens']],
  ['input_cache_creation', ['bedrock', 'usage', 'cacheCreationInputTokens']],
];

const AI_SDK_USAGE: readonly (readonly [kind: string, keys: readonly string[]])[] = [
  ['input', ['gen_ai.usage.prompt_tokens', 'gen_ai.usage.input_tokens']],
  ['output', ['gen_ai.usage.completion_tokens', 'gen_ai.usage.output_tokens']],
  ['total', ['ai.usage.tokens']],
  ['input_cached_tokens', ['ai.usage.cachedInputTokens']],
  ['output_reasoning_tokens', ['ai.usage.reasoningTokens']],
];

/** The AI SDK up to version 6. */
function aiSdkUsage(attributes: Attributes): Usage | undefined {
  const usage: Usage = {};
  for (const [kind, keys] of AI_SDK_USAGE) {
    const key = keys.find((each) => attributes.has(each));
    const count = key === undefined ? Number.NaN : asNumber(attributes.get(key) ?? Number.NaN);
    if (Number.isFinite(count)) usage[kind] = count;
  }
  const provider = spelledOut(attributes.get('ai.response.providerMetadata'));
  for (const [kind, path] of provider === undefined ? [] : OF_PROVIDERS) {
    const count = countAt(provider, path);
    if (count !== undefined) usage[kind] ??= count;
  }
  take(usage, 'input_cache_creation', ['input_cache_creation_5m', 'input_cache_creation_1h']);
  take(usage, 'input', [
    'input_cached_tokens',
    'input_cache_creation',
    'input_cache_creation_5m',
    'input_cache_creation_1h',
    'input_cache_read',
  ]);
  take(usage, 'output', ['output_reasoning_tokens']);
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function countAt(value: Json | undefined, path: readonly string[]): number | undefined {
  let found = value;
  for (const key of path) found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** The members of an object that are numbers; undefined when none is. */
export function numbersIn(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const numbers = Object.entries(value as JsonObject).filter(([, count]) => typeof count === 'number');
  return numbers.length === 0 ? undefined : (Object.fromEntries(numbers) as Usage);
}
