import { isJsonObject, type Json, type JsonObject, spelledOut, textOrJson } from '../json/index.ts';

/**
 * A recorded result in the form that `tools/call` returns. Traces contain it whole (`{ content: [...] }`), as parts (`[{
 * type: 'text', text }]`), or as a framework converted it (a text, or the value that the text spells).
 * @param outputSchema of the tool: clients refuse a result that does not match it
 */
export function callResult(recorded: Json, outputSchema: Json | undefined): Json {
  const result = wholeResult(recorded);
  if (outputSchema === undefined || result.structuredContent !== undefined || result.isError === true) return result;
  const structuredContent = structured(result.content as Json[], outputSchema);
  return structuredContent === undefined ? result : { ...result, structuredContent };
}

/** A failed tool, as its model sees it. */
export function errorResult(message: string): Json {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function wholeResult(recorded: Json): JsonObject {
  if (isJsonObject(recorded) && isParts(recorded.content)) return recorded;
  if (isParts(recorded)) return { content: recorded };
  return { content: [{ type: 'text', text: textOrJson(recorded) }] };
}

function isParts(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.every((part) => isJsonObject(part) && typeof part.type === 'string');
}

/** What the text spells if that is an object. SDKs put any other value under the only property of the schema. */
function structured(content: readonly Json[], schema: Json): Json | undefined {
  const text = content.flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []));
  const value = spelledOut(text.join('\n'));
  if (isJsonObject(value)) return value;
  const names = isJsonObject(schema) && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const [only] = names;
  return only === undefined || names.length > 1 ? undefined : { [only]: value ?? null };
}
