/** Writes the published JSON schemas from their zod schemas: `npm run build:schema`. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { configSchema } from '../src/config/index.ts';
import { turnRequest } from '../src/contract/index.ts';
import { message } from '../src/contract/request.ts';
import { jsonObject } from '../src/json/index.ts';
import { session } from '../src/session/index.ts';
import { plainTraces } from '../src/tracing/mapping/exports/plain-traces.ts';

const FOLDER = path.join(import.meta.dirname, '..', 'schema');

/** Each file name under `schema/`, and the schema that it is generated from. */
const PUBLISHED = {
  'config.schema.json': { schema: configSchema, title: 'The configuration of agent-replay' },
  'session.schema.json': { schema: session, title: 'A pinned session of agent-replay' },
  'traces.schema.json': { schema: plainTraces, title: 'Traces that agent-replay reads' },
} as const;

/** The text of each published schema, by file name. */
export function publishedSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PUBLISHED).map(([file, { schema, title }]) => [file, `${render(schema, title)}\n`]),
  );
}

function render(schema: z.ZodType, title: string): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: describeCustom,
  });
  return JSON.stringify({ $schema, title, ...rest }, null, 2);
}

/** Describes values that our own checks accept, which zod cannot know. */
function describeCustom({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: unknown;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (zodSchema === jsonObject || zodSchema === message) jsonSchema.type = 'object';
  if (zodSchema === message) {
    jsonSchema.properties = { role: { type: 'string' } };
    jsonSchema.required = ['role'];
  }
  // Only a configuration in TypeScript can hold a regular expression.
  if (jsonSchema.anyOf !== undefined) jsonSchema.anyOf = jsonSchema.anyOf.filter((way) => !isAnything(way));
  if (zodSchema === turnRequest) jsonSchema.anyOf = [{ required: ['messages'] }, { required: ['input'] }];
}

function isAnything(schema: z.core.JSONSchema.BaseSchema): boolean {
  return Object.keys(schema).length === 0;
}

if (import.meta.main) {
  await mkdir(FOLDER, { recursive: true });
  for (const [file, text] of Object.entries(publishedSchemas())) await writeFile(path.join(FOLDER, file), text);
}
