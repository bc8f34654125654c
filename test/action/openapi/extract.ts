/**
 * Takes the operations that the action uses out of GitHub's own description of its API, which is 385 MB as a package:
 *
 *   npm install --prefix /tmp/openapi @octokit/openapi@23.0.2
 *   node test/action/openapi/extract.ts /tmp/openapi/node_modules/@octokit/openapi
 *
 * The description is MIT licensed, see LICENSE beside this file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ISSUES = '/repos/{owner}/{repo}/issues';
const GIT = '/repos/{owner}/{repo}/git';
const USED = [
  `get ${ISSUES}/{issue_number}/comments`,
  `post ${ISSUES}/{issue_number}/comments`,
  `get ${ISSUES}/comments/{comment_id}`,
  `patch ${ISSUES}/comments/{comment_id}`,
  `delete ${ISSUES}/comments/{comment_id}`,
  `get ${ISSUES}`,
  `post ${ISSUES}`,
  `patch ${ISSUES}/{issue_number}`,
  'get /repos/{owner}/{repo}/pulls/{pull_number}',
  'get /repos/{owner}/{repo}/compare/{basehead}',
  'get /repos/{owner}/{repo}/contents/{path}',
  `get ${GIT}/ref/{ref}`,
  `post ${GIT}/refs`,
  `patch ${GIT}/refs/{ref}`,
  `post ${GIT}/trees`,
  `post ${GIT}/commits`,
];

/** Said to people; no request depends on it. */
const PROSE = new Set(['description', 'example', 'examples', 'summary', 'x-github', 'x-multi-segment']);

interface Described {
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, { parameters?: unknown[]; requestBody?: RequestBody }>>;
}

interface RequestBody {
  readonly content: { readonly 'application/json': { readonly schema: unknown } };
}

const source = process.argv[2] ?? '.';
const described: Described = JSON.parse(readFileSync(path.join(source, 'generated/api.github.com.json'), 'utf8'));
const operations = USED.map((used) => {
  const [method = '', route = ''] = used.split(' ');
  const operation = described.paths[route]?.[method];
  if (operation === undefined) throw new Error(`GitHub describes no ${used}`);
  return {
    method: method.toUpperCase(),
    route,
    parameters: whole(operation.parameters ?? []),
    body: whole(operation.requestBody?.content['application/json'].schema ?? null),
  };
});
const file = path.join(import.meta.dirname, 'operations.json');
writeFileSync(file, `${JSON.stringify({ from: `@octokit/openapi ${described.info.version}`, operations }, null, 2)}\n`);
writeFileSync(path.join(import.meta.dirname, 'LICENSE'), readFileSync(path.join(source, 'LICENSE')));

/** References resolved, prose left out; `nullable` as JSON schema says it. */
function whole(value: unknown, isNameOfProperty = false): unknown {
  if (Array.isArray(value)) return value.map((item) => whole(item));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return whole(referred(String(value.$ref)));
  const kept = Object.entries(value).filter(([name]) => isNameOfProperty || (!PROSE.has(name) && name !== 'nullable'));
  const plain = Object.fromEntries(kept.map(([name, item]) => [name, whole(item, name === 'properties')]));
  return 'nullable' in value && value.nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
}

function referred(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], described);
}
