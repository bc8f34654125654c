import { asText, isJsonObject, type Json, type JsonObject, own } from '../json/index.ts';
import { conversationIn } from './conversation.ts';

/**
 * The function of `agent-replay/endpoint` for agents whose models get messages in the recorded shape; undefined if none is
 * needed.
 */
export function converterFor(input: Json | undefined): string | undefined {
  for (const { raw } of conversationIn(input)?.messages ?? []) {
    const name = converterOfMessage(raw);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Types of parts that only one framework has. */
const OF_TYPES: ReadonlyMap<string, string> = new Map([
  ['tool-call', 'toModelMessages'],
  ['tool-result', 'toModelMessages'],
  ['tool_use', 'toAnthropicMessages'],
  ['tool_result', 'toAnthropicMessages'],
  ['function_call_result', 'toAgentsInput'],
  ['function_call_output', 'toResponsesInput'],
]);

const OF_GENKIT = ['toolRequest', 'toolResponse'];

function converterOfMessage(raw: JsonObject): string | undefined {
  if (own(raw, 'lc') !== undefined) return 'toLangChainMessages';
  const content = partsIn(own(raw, 'content'));
  if (content.some((part) => OF_GENKIT.some((key) => own(part, key) !== undefined))) return 'toGenkitMessages';
  const listed = [raw, ...content].map((part) => OF_TYPES.get(asText(own(part, 'type'))));
  const named = listed.find((name) => name !== undefined);
  if (named !== undefined) return named;
  const parts = partsIn(own(raw, 'parts'));
  // Pydantic AI is for Python, which has no converter for it.
  if (parts.length === 0 || parts.some((part) => own(part, 'part_kind') !== undefined)) return undefined;
  // The AI SDK names the type of each part, here and in OpenTelemetry's record of it; Gemini does not.
  return parts.some((part) => typeof own(part, 'type') === 'string') ? 'toModelMessages' : 'toGeminiContents';
}

function partsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
