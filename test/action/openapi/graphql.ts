import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, getOperationAST, getVariableValues, parse, validate } from 'graphql';

const schema = buildSchema(readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8'));

export interface AskedGraphql {
  /** The names of the fields that are asked for, at any depth. */
  readonly fields: ReadonlySet<string>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** How the request differs from GitHub's schema. */
  readonly mistakes: readonly string[];
}

/** Checks a GraphQL request against GitHub's own schema. */
export function askedGraphql(sent: unknown): AskedGraphql {
  const { query, variables = {} } = sent as { query: string; variables?: Record<string, unknown> };
  const document = parse(query);
  const operation = getOperationAST(document)!;
  const { errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const fields = new Set([...query.matchAll(/\w+/g)].map(([name]) => name));
  const mistakes = [...validate(schema, document), ...errors].map(({ message }) => message);
  return { fields, variables, mistakes };
}
