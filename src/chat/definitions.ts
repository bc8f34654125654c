import { isJsonObject, type Json, type JsonObject, own, present, spelledOut } from '../json/index.ts';
import { objectAt, textAt, valueAt } from './names.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters?: Json;
  /** All other keys. */
  readonly more?: JsonObject;
}

/** Lists of definitions one level deeper, as in Gemini and Bedrock. */
const LISTS = ['functionDeclarations', 'function_declarations', 'tools'];
const WRAPPERS = ['function', 'toolSpec', 'tool', 'json_schema'];
const PARAMETERS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema', 'schema'];

/** Tool definitions in providers' shapes, in order. Anything else is left out. */
export function definitionsIn(recorded: readonly Json[]): ToolDefinition[] {
  return recorded.flatMap((each): ToolDefinition[] => {
    const value = spelledOut(each);
    if (Array.isArray(value)) return definitionsIn(value);
    if (!isJsonObject(value)) return [];
    const list = LISTS.map((key) => own(value, key)).find(Array.isArray);
    if (list !== undefined) return definitionsIn(list);
    return definition(value) ?? definitionsOf(value);
  });
}

function definition(value: JsonObject): ToolDefinition[] | undefined {
  const inner = objectAt(value, WRAPPERS);
  if (inner !== undefined && textAt(value, ['name']) === undefined) return definition(inner);
  const spelled = WRAPPERS.map((key) => spelledOut(own(value, key))).find(isJsonObject);
  if (spelled !== undefined && spelled !== inner) return definition(spelled);
  const name = textAt(value, ['name', 'type']);
  if (name === undefined) return undefined;
  const more = Object.entries(value).filter(([key]) => !KNOWN.has(key));
  return [
    present({
      name,
      description: textAt(value, ['description']),
      parameters: schemaOf(valueAt(value, PARAMETERS)),
      more: more.length === 0 ? undefined : Object.fromEntries(more),
    }),
  ];
}

const KNOWN = new Set(['name', 'description', 'type', ...PARAMETERS]);

/** The AI SDK and Bedrock put the schema into an object of its own. */
function schemaOf(value: Json | undefined): Json | undefined {
  const schema = spelledOut(value);
  return isJsonObject(schema) ? (objectAt(schema, ['json', 'jsonSchema']) ?? schema) : schema;
}

/** An object of tools by name, as passed to the AI SDK. */
function definitionsOf(tools: JsonObject): ToolDefinition[] {
  return Object.entries(tools).flatMap(([name, tool]) =>
    isJsonObject(tool) ? (definition({ ...tool, name }) ?? []) : [],
  );
}
