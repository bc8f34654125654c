import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

interface Operation {
  readonly method: string;
  readonly route: string;
  readonly parameters: readonly Parameter[];
  readonly body: object | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: object;
}

export interface CalledOperation {
  /** As in GitHub's documentation: `POST /repos/{owner}/{repo}/issues`. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** How the request differs from GitHub's description. */
  readonly mistakes: readonly string[];
}

const { operations }: { operations: Operation[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'operations.json'), 'utf8'),
);
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
/** Addresses hold numbers as text, so this validator converts them. */
const lenient = new Ajv({ strict: false, validateFormats: false, coerceTypes: true });
const compiled = new Map<object, ValidateFunction>();

/**
 * Checks a request against GitHub's own description. @returns undefined when the description has no such operation
 * among those that we use
 */
export function calledOperation(method: string, url: URL, body: unknown): CalledOperation | undefined {
  const operation = operations
    .filter((each) => each.method === method)
    .find(({ route }) => patternOf(route).test(url.pathname));
  if (operation === undefined) return undefined;
  const groups = Object.entries(patternOf(operation.route).exec(url.pathname)?.groups ?? {});
  const inPath = Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
  const query = Object.fromEntries(url.searchParams);
  return {
    name: `${method} ${operation.route}`,
    parameters: { ...inPath, ...query },
    mistakes: [...mistakesInParameters(operation, inPath, query), ...mistakesInBody(operation, body)],
  };
}

function mistakesInParameters({ parameters }: Operation, ...given: Readonly<Record<string, string>>[]): string[] {
  const [inPath = {}, query = {}] = given;
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return [
    ...Object.keys(query)
      .filter((name) => !known.includes(name))
      .map((name) => `unknown parameter ${name}`),
    ...parameters.flatMap(({ name, required, schema, in: place }) => {
      const value = (place === 'path' ? inPath : query)[name];
      if (value === undefined) return required ? [`no parameter ${name}`] : [];
      // Digits in an address are valid both as a number and as a text.
      const { oneOf: anyOf, ...rest } = schema as { oneOf?: object[] };
      const check = validatorOf(lenient, anyOf === undefined ? schema : { ...rest, anyOf });
      return check(value) ? [] : [`parameter ${name}: ${lenient.errorsText(check.errors)}`];
    }),
  ];
}

function mistakesInBody({ body: schema }: Operation, body: unknown): string[] {
  if (schema === null) return body === undefined ? [] : ['a body, where there is none'];
  const check = validatorOf(ajv, schema);
  const names = Object.keys((schema as { properties?: object }).properties ?? {});
  const unknown = Object.keys(Object(body)).filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => `unknown property ${name}`),
    // The description gives an optional body as null.
    ...(check(body ?? null) ? [] : [`body: ${ajv.errorsText(check.errors)}`]),
  ];
}

/** One validator per schema, because to compile one costs more than to use it. */
function validatorOf(by: Ajv, schema: object): ValidateFunction {
  const check = compiled.get(schema) ?? by.compile(schema);
  compiled.set(schema, check);
  return check;
}

/** Paths of files and names of branches have slashes. */
function patternOf(route: string): RegExp {
  const pattern = route.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === 'path' || name === 'ref' ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  );
  return new RegExp(`^${pattern}$`);
}
