import { asNumber, asText, isJsonObject, type Json, type JsonObject, present, spelledOut } from '../../json/index.ts';
import type { Observation } from '../../trace/index.ts';
import { type Attributes, firstText, holds } from './attributes.ts';
import type { Span } from './otlp.ts';
import { numbersIn, usageOf } from './usage.ts';

/** Attributes with the model's name. */
export const MODEL = [
  'langfuse.observation.model.name',
  'gen_ai.response.model',
  'ai.model.id',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.model_name',
  'model',
];

/** Attributes that mark a span as a model call. `ai.model.id` does not, because the AI SDK also sets it on outer spans. */
export const MODEL_OF_A_CALL = MODEL.filter((key) => key !== 'ai.model.id');

/** Spans around several model calls, whose model, usage and cost would be counted twice. */
const AGGREGATING = new Set(['invoke_agent', 'agent_step']);

export function modelCallFields(span: Span): Pick<Observation, 'model' | 'modelParameters' | 'usage' | 'cost'> {
  const { attributes } = span;
  const modelParameters = modelParametersOf(span);
  if (AGGREGATING.has(asText(attributes.get('gen_ai.operation.name')))) return present({ modelParameters });
  const isGenkitModel = attributes.get('genkit:metadata:subtype') === 'model';
  const model = firstText(attributes, isGenkitModel ? [...MODEL, 'genkit:name'] : MODEL);
  return present({ modelParameters, model, usage: usageOf(attributes), cost: costOf(attributes) });
}

function costOf(attributes: Attributes): Record<string, number> | undefined {
  const given = numbersIn(spelledOut(attributes.get('langfuse.observation.cost_details')));
  if (given !== undefined) return given;
  const total = attributes.get('gen_ai.usage.cost') ?? attributes.get('llm.cost.total');
  return total === undefined || !Number.isFinite(asNumber(total)) ? undefined : { total: asNumber(total) };
}

const GEN_AI = 'gen_ai.request.';
const LLM = 'llm.invocation_parameters.';

function genkitConfig(attributes: Attributes): Json | undefined {
  const input = spelledOut(attributes.get('genkit:input'));
  return isJsonObject(input) ? input.config : undefined;
}

/** Parameters of a call from the AI SDK up to version 6, under the names that the platform uses. */
const AI_SDK_PARAMETERS: readonly (readonly [string, readonly string[]])[] = [
  ['maxSteps', ['ai.settings.maxSteps']],
  ['toolChoice', ['ai.prompt.toolChoice']],
  ['maxTokens', ['gen_ai.request.max_tokens']],
  ['finishReason', ['gen_ai.response.finish_reasons', 'gen_ai.finishReason']],
  ['system', ['gen_ai.system', 'ai.model.provider']],
  ['maxRetries', ['ai.settings.maxRetries']],
  ['mode', ['ai.settings.mode']],
  ['temperature', ['gen_ai.request.temperature']],
  ['service_tier', ['gen_ai.request.service_tier']],
];

/** As on the platform: flat, with values other than text and numbers as JSON text. Unset parameters are absent, not null. */
function modelParametersOf({ attributes, scope }: Span): JsonObject | undefined {
  const entries: [string, Json][] = [];
  const given = givenParameters(attributes) ?? genkitConfig(attributes);
  if (isJsonObject(given)) {
    entries.push(...Object.entries(given).map(([key, value]): [string, Json] => [key, flat(value)]));
  } else if (scope.name === 'ai') {
    for (const [name, keys] of AI_SDK_PARAMETERS) {
      const value = keys.map((key) => attributes.get(key)).find((candidate) => candidate !== undefined);
      if (value !== undefined && value !== null) entries.push([name, asText(value)]);
    }
    const tier = answeredTier(attributes);
    if (tier !== undefined) entries.push(['service_tier', tier]);
  } else if (holds(attributes, 'request')) {
    for (const [key, value] of attributes) {
      const name = key.startsWith(GEN_AI) ? key.slice(GEN_AI.length) : key.startsWith(LLM) ? key.slice(LLM.length) : '';
      if (name !== '' && name !== 'model') entries.push([name, flat(value)]);
    }
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function givenParameters(attributes: Attributes): JsonObject | undefined {
  for (const key of ['langfuse.observation.model.parameters', 'llm.invocation_parameters', 'model_config']) {
    const given = spelledOut(attributes.get(key));
    if (isJsonObject(given)) return given;
  }
  return undefined;
}

/** OpenAI reports which tier answered; that one counts, not the requested one. */
function answeredTier(attributes: Attributes): string | undefined {
  const provider = spelledOut(attributes.get('ai.response.providerMetadata'));
  const { openai } = isJsonObject(provider) ? provider : {};
  return isJsonObject(openai) && typeof openai.serviceTier === 'string' ? openai.serviceTier : undefined;
}

function flat(value: Json): Json {
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
