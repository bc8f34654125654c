import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { validate } from '@actions/languageservice';
import type { ActionMetadata } from '@actions/languageservice/action';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { ACTION } from '../../src/init/published.ts';
import { workflowFile } from '../../src/init/workflow-file.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The language service knows an action by owner and name. */
const SELF = 'some/agent-replay';
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** What the pinned releases of other actions take, as far as the workflows give it. */
const INPUTS_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'actions/checkout': ['persist-credentials', 'fetch-depth'],
  'actions/setup-node': ['node-version', 'registry-url'],
  'actions/upload-artifact': ['name', 'path', 'include-hidden-files', 'archive', 'if-no-files-found', 'overwrite'],
  'actions/attest-build-provenance': ['subject-path'],
  'github/codeql-action': ['languages', 'build-mode', 'queries', 'config', 'category', 'sarif_file'],
  'ossf/scorecard-action': ['results_file', 'results_format', 'publish_results'],
  'zizmorcore/zizmor-action': ['inputs', 'advanced-security'],
  'actions/download-artifact': ['name', 'pattern', 'path', 'run-id', 'github-token', 'merge-multiple'],
};

let folder: string;
let service: { validate: typeof validate };

/** GitHub's language service imports JSON without saying so, which Node refuses and a bundler does not. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(ROOT, 'node_modules', '.language-service-'));
  const bundle = await rolldown({ input: '@actions/languageservice', cwd: ROOT, platform: 'node' });
  const { output } = await bundle.write({ dir: folder, entryFileNames: 'service.mjs' });
  await bundle.close();
  service = await import(pathToFileURL(path.join(folder, output[0].fileName)).href);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What it says of a file, by whose name it takes the schema. */
async function findings(name: string, text: string): Promise<string[]> {
  const document = TextDocument.create(`file:///${name}`, 'yaml', 1, text.replaceAll(ACTION, `${SELF}@v1`));
  const fetchActionMetadata = async ({ owner, name: repo }: { owner: string; name: string }) =>
    definitionOf(`${owner}/${repo}`);
  const found = await service.validate(document, { actionsMetadataProvider: { fetchActionMetadata } });
  return found.map(({ message, range }) => `${range.start.line + 1}: ${message}`);
}

function definitionOf(action: string): ActionMetadata | undefined {
  if (action === SELF) return parse(read('action.yml'));
  const inputs = INPUTS_OF_OTHERS[action]?.map((name) => [name, { description: '' }] as const);
  return inputs && { name: action, description: '', inputs: Object.fromEntries(inputs) };
}

function workflowsIn(file: string): [string, string][] {
  const blocks = [...read(file).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  return blocks.map((block, at) => [`${file.replaceAll('/', '-')}-${at + 1}.yml`, wholeWorkflow(block)]);
}

/** Documentation may show the steps alone. */
function wholeWorkflow(block: string): string {
  if (/^jobs:/m.test(block)) return /^on:/m.test(block) ? block : `on: pull_request\n${block}`;
  if (!/^ +- /.test(block)) return `${block}jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: exit\n`;
  return `on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${block}`;
}

const FILES = globSync(['docs/workflows/*.yml', '.github/workflows/*.yml'], { cwd: ROOT }).sort();
const DOCUMENTS = globSync(['README.md', 'docs/*.md'], { cwd: ROOT }).sort();

test('action.yml is what GitHub takes for an action', async () => {
  expect(await findings('action.yml', read('action.yml'))).toEqual([]);
});

test.for(FILES)('%s is a workflow that GitHub accepts', async (file) => {
  expect(await findings(`.github/workflows/${path.basename(file)}`, read(file))).toEqual([]);
});

test.for(DOCUMENTS.flatMap(workflowsIn))('the workflow in %s is one that GitHub accepts', async ([name, text]) => {
  expect(await findings(`.github/workflows/${name}`, text)).toEqual([]);
});

test('the first workflow in docs/action.md is whole: it can be copied as it is', () => {
  const [, block = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(read('docs/action.md')) ?? [];
  expect(Object.keys(parse(block))).toEqual(['name', 'on', 'permissions', 'jobs']);
});

test.for(['npm', 'pnpm', 'yarn', 'bun', undefined] as const)(
  'the workflow that init writes for %s is one that GitHub accepts',
  async (packageManager) => {
    const { path: file, content } = workflowFile({ packageManager });
    expect(await findings(file, content)).toEqual([]);
  },
);

test.for([
  ['an input that does not exist', 'with: { run: 5 }'],
  ['a key that does not exist', 'wth: { runs: 5 }'],
] as const)('the check finds %s', async ([, line]) => {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ${SELF}@v1\n        ${line}\n`;
  expect(await findings(`.github/workflows/${line.length}-bad.yml`, text)).not.toEqual([]);
});

test('other actions are pinned by their full commit', () => {
  const texts = [...FILES, ...DOCUMENTS].map(read);
  const used = texts.flatMap((text) => [...text.matchAll(/^\s*(?:- )?uses: *(\S+)/gm)].map(([, name = '']) => name));
  const foreign = used.filter((name) => name !== './' && name !== ACTION && !name.startsWith('./.github/workflows/'));
  expect(foreign.length).toBeGreaterThan(5);
  expect(foreign.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
});

test('an action is used by one commit everywhere, also where Dependabot does not look', () => {
  const files = [...FILES, ...DOCUMENTS, 'src/init/workflow-file.ts'];
  const used = files.flatMap((file) => [...read(file).matchAll(/uses: (\S+)@([0-9a-f]{40} # v\S+)/g)]);
  const commits = new Map<string, Set<string>>();
  for (const [, name = '', pin = ''] of used) commits.set(name, (commits.get(name) ?? new Set()).add(pin));
  expect(commits.size).toBeGreaterThan(5);
  for (const [name, pins] of commits) expect([...pins], name).toHaveLength(1);
});

test.for(FILES)('%s hands on no token, ends in time, and is not cancelled by another pull request', (file) => {
  const workflow = parse(read(file));
  // Of a job that calls another workflow, that one says it.
  const jobs = Object.values<{ uses?: string; steps: { uses?: string; with?: object }[] }>(workflow.jobs);
  const own = jobs.filter(({ uses }) => uses === undefined);
  const steps = own.flatMap((job) => job.steps);
  const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
  for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false });
  for (const job of own) expect(job).toHaveProperty('timeout-minutes');
  expect(JSON.stringify(workflow.concurrency ?? '')).not.toContain('head_ref');
  expect(workflow).toHaveProperty('concurrency');
});
