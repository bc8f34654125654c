/**
 * Takes the operations that the action uses out of GitHub's own description of its API, which is 385 MB as a package:
 *
 *   npm install --prefix /tmp/openapi @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
 *   node test/action/openapi/extract.ts /tmp/openapi/node_modules/@octokit
 *
 * and what it asks GraphQL for out of the schema of that. Both are MIT licensed, see LICENSE beside this file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Kind, parse, print, visit } from 'graphql';

const ISSUES = '/repos/{owner}/{repo}/issues';
const GIT = '/repos/{owner}/{repo}/git';
const ACTIONS = '/repos/{owner}/{repo}/actions';
const USED = [
  `get ${ISSUES}/{issue_number}/comments`,
  `post ${ISSUES}/{issue_number}/comments`,
  `get ${ISSUES}/comments/{comment_id}`,
  `patch ${ISSUES}/comments/{comment_id}`,
  `delete ${ISSUES}/comments/{comment_id}`,
  `post ${ISSUES}/comments/{comment_id}/reactions`,
  `get ${ISSUES}`,
  `post ${ISSUES}`,
  `patch ${ISSUES}/{issue_number}`,
  'get /repos/{owner}/{repo}/pulls/{pull_number}',
  'get /repos/{owner}/{repo}/pulls/{pull_number}/files',
  'get /repos/{owner}/{repo}/pulls',
  'get /repos/{owner}/{repo}/compare/{basehead}',
  'get /repos/{owner}/{repo}/contents/{path}',
  'get /repos/{owner}/{repo}/collaborators/{username}/permission',
  `get ${ACTIONS}/runs/{run_id}`,
  `get ${ACTIONS}/workflows/{workflow_id}/runs`,
  `get ${ACTIONS}/runs/{run_id}/artifacts`,
  `get ${ACTIONS}/artifacts/{artifact_id}/{archive_format}`,
  `post ${ACTIONS}/workflows/{workflow_id}/dispatches`,
  `get ${GIT}/trees/{tree_sha}`,
  `get ${GIT}/blobs/{file_sha}`,
  `get ${GIT}/commits/{commit_sha}`,
  `get ${GIT}/ref/{ref}`,
  `post ${GIT}/refs`,
  `patch ${GIT}/refs/{ref}`,
  `post ${GIT}/trees`,
  `post ${GIT}/commits`,
];

/** The GraphQL types, with the fields that we ask for. Input types keep all fields, so that required ones are known. */
const TYPES: Readonly<Record<string, readonly string[] | 'all'>> = {
  Query: ['id', 'viewer', 'node'],
  Mutation: ['createCommitOnBranch'],
  Node: ['id'],
  Actor: ['login'],
  User: ['id', 'login'],
  Bot: ['id', 'login'],
  IssueComment: ['id', 'author', 'body', 'editor', 'userContentEdits'],
  UserContentEditConnection: ['nodes'],
  UserContentEdit: ['id', 'diff'],
  Commit: ['id', 'oid', 'url'],
  CreateCommitOnBranchPayload: ['commit'],
  CreateCommitOnBranchInput: 'all',
  CommittableBranch: 'all',
  CommitMessage: 'all',
  FileChanges: 'all',
  FileAddition: 'all',
  FileDeletion: 'all',
  GitObjectID: 'all',
  Base64String: 'all',
  URI: 'all',
};

/** Texts for readers, on which no request depends. */
const PROSE = new Set(['description', 'example', 'examples', 'summary', 'x-github', 'x-multi-segment']);

interface Described {
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, { parameters?: unknown[]; requestBody?: RequestBody }>>;
}

interface RequestBody {
  readonly content: { readonly 'application/json': { readonly schema: unknown } };
}

const folder = process.argv[2] ?? '.';
const source = path.join(folder, 'openapi');
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
writeFileSync(path.join(import.meta.dirname, 'schema.graphql'), schemaUsed());
writeFileSync(path.join(import.meta.dirname, 'LICENSE'), readFileSync(path.join(source, 'LICENSE')));

/** GitHub's schema, reduced to the parts that we use. */
function schemaUsed(): string {
  const whole = parse(readFileSync(path.join(folder, 'graphql-schema/schema.graphql'), 'utf8'), { noLocation: true });
  const isKept = (type: string) => type in TYPES;
  const used = visit(whole, {
    enter: (node) => {
      if (node.kind === Kind.DIRECTIVE_DEFINITION || node.kind === Kind.DIRECTIVE) return null;
      if (!('name' in node) || !('kind' in node) || !/TypeDefinition$/.test(node.kind)) return undefined;
      const fields = TYPES[node.name?.value ?? ''];
      if (fields === undefined) return null;
      const { description: _, ...plain } = node as typeof node & { description?: unknown };
      const own = (plain as { fields?: { name: { value: string } }[] }).fields ?? [];
      const interfaces = (plain as { interfaces?: { name: { value: string } }[] }).interfaces ?? [];
      return {
        ...plain,
        fields: own.filter(({ name }) => fields === 'all' || fields.includes(name.value)),
        interfaces: interfaces.filter(({ name }) => isKept(name.value)),
      };
    },
  });
  const bare = visit(used, { FieldDefinition: withoutDescription, InputValueDefinition: withoutDescription });
  return `# From @octokit/graphql-schema, by extract.ts.\n\n${print(bare)}\n`;
}

function withoutDescription<T extends object>(node: T): T {
  return { ...node, description: undefined };
}

/** Resolves references, drops prose, and writes `nullable` as JSON schema does. */
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
