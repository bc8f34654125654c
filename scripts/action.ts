/** Generates all parts of the GitHub Action that follow from the configuration's schema: `npm run generate:action`. */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { type ConfigOption, configOptions } from '../src/config/index.ts';
import { ACTION } from '../src/init/published.ts';

/** The line width of biome.json. */
const LINE_WIDTH = 120;
const ROOT = path.join(import.meta.dirname, '..');

interface Described {
  readonly description: string;
  readonly default?: string;
}

/** Inputs of the action that are no settings of the configuration. */
const OWN_INPUTS: Readonly<Record<string, Described>> = {
  mode: {
    description:
      'run replays the pinned sessions; merge joins reports of shards; publish (on workflow_run) shows the report of a job that had no rights; accept (on issue_comment) follows a command in a comment.',
    default: 'run',
  },
  config: { description: 'Configuration file; by default agent-replay.config.* in the working directory or above.' },
  'working-directory': { description: 'Folder of the project, from the root of the repository.', default: '.' },
  'github-token': {
    description: 'Token that writes comments, issues and the branch of the history. The agent never sees it.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub
    default: '${{ github.token }}',
  },
  'push-token': {
    description: 'With accept: token of an app that commits the pins, so that the commit starts workflows.',
  },
  reports: {
    description: 'With merge and publish: folder of the downloaded reports.',
    default: 'reports',
  },
  name: {
    description:
      'Tells reports of one agent apart in comment, issue and history. Without it, the leg of the matrix does.',
  },
  'report-url': {
    description:
      'Address of report.html, for the links in the comment. Without it they lead to the artifacts of the run.',
  },
  'output-dir': {
    description: 'Folder of the report and its files. Each step of a job needs its own.',
    default: '.agent-replay',
  },
  leg: {
    description: 'The leg of the matrix. Leave it as it is.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub
    default: '${{ toJSON(matrix) }}',
  },
  group: {
    description: 'Jobs, legs of a matrix and steps that name the same group share one comment.',
  },
  legs: {
    description: 'With group: how many legs of this job report, so that a missing one is noticed.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub
    default: '${{ strategy.job-total }}',
  },
  issue: {
    description:
      'Keep one issue for each subject, except on pull requests: opened, updated, closed when all is as recorded.',
    default: 'false',
  },
  history: {
    description:
      'Where runs of the default branch are noted down: branch:NAME for a branch of the repository, which the first run makes.',
  },
  set: {
    description: 'Any other setting of the configuration, one KEY=VALUE on each line, such as timeouts.call=60000.',
  },
  mask: {
    description:
      'Names of variables with secret values that neither name nor value reveals (separated by commas or lines).',
  },
  timeout: {
    description: 'Minutes after which the step ends with what it has: less than timeout-minutes of the job.',
  },
};

const OUTPUTS: Readonly<Record<string, Described>> = {
  status: { description: 'passed, failed (diverged), error (could not tell) or interrupted.' },
  verdicts: {
    description:
      'Number of sessions by verdict, as JSON: {"as-recorded":7,"could-not-tell":1,"changed":1,"varies":0,...}.',
  },
  report: { description: 'Path of report.json. junit.xml, report.md and the behaviours are beside it.' },
  html: { description: 'Path of report.html.' },
  'comment-url': { description: 'Address of the comment on the pull request.' },
  'issue-url': { description: 'Address of the open issue.' },
};

/** The generated files, by path from the root. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const options = configOptions();
  return {
    'action.yml': actionYml(options),
    'action/settings.ts': settingsModule(options),
    'docs/action.md': await withLists(options),
    ...(await examples()),
  };
}

/**
 * Writes the action's name into documents and workflows, and the commits of other actions as our own workflows pin
 * them.
 */
async function examples(): Promise<Record<string, string>> {
  const files = ['README.md', 'src/init/workflow-file.ts', ...globSync('docs/workflows/*.yml', { cwd: ROOT }).sort()];
  const pins = await pinnedActions();
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
  return Object.fromEntries(files.map((file, at) => [file, withPins(withName(texts[at]!), pins)]));
}

const PINNED = /(?<=uses: )([\w.-]+(?:\/[\w.-]+)+)@[0-9a-f]{40} # v\S+/g;

/**
 * Finds other actions in the workflows that Dependabot updates: `actions/checkout@3d3c42e... # v7.0.1`, by the name
 * before the `@`.
 */
async function pinnedActions(): Promise<ReadonlyMap<string, string>> {
  const files = ['docs/workflows', '.github/workflows'].flatMap((folder) =>
    globSync(`${folder}/*.yml`, { cwd: ROOT }).sort(),
  );
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
  return new Map(texts.flatMap((text) => [...text.matchAll(PINNED)].map(([pin, name = '']) => [name, pin] as const)));
}

function withPins(text: string, pins: ReadonlyMap<string, string>): string {
  return text.replace(PINNED, (pin, name) => pins.get(name) ?? pin);
}

function withName(text: string): string {
  return text.replace(/(?<=uses: )\S*\/agent-replay(?:@\S+(?: # v\S+)?)?$/gm, () => ACTION);
}

function actionYml(options: readonly ConfigOption[]): string {
  const settings = options.map((option) => [option.flag, { description: explained(option) }]);
  const definition = {
    name: 'agent-replay',
    description: "Replay your agent's recorded sessions, and fail when the agent stops behaving the same.",
    author: 'agent-replay',
    branding: { icon: 'repeat', color: 'blue' },
    inputs: { ...OWN_INPUTS, ...Object.fromEntries(settings) },
    outputs: OUTPUTS,
    runs: { using: 'node24', main: 'dist/index.js', post: 'dist/index.js' },
  };
  const head = '# Inputs and outputs are written by scripts/action.ts: `npm run generate:action`.\n';
  return head + stringify(definition, { lineWidth: 0 });
}

function settingsModule(options: readonly ConfigOption[]): string {
  const rows = options.map(({ flag, path, kind, choices }) => {
    const fields = [`input: '${flag}'`, `path: '${path}'`, `kind: '${kind}'`];
    if (choices.length > 0) fields.push(`choices: [${choices.map((choice) => `'${choice}'`).join(', ')}]`);
    const line = `  { ${fields.join(', ')} },`;
    // The formatter breaks a long line like this.
    return line.length <= LINE_WIDTH ? line : ['  {', ...fields.map((field) => `    ${field},`), '  },'].join('\n');
  });
  return `/** A setting of the configuration as an input. The action reads its text without loading the configuration's schema. */
export interface Setting {
  readonly input: string;
  /** Path in the configuration, such as \`agent.timeout\`. */
  readonly path: string;
  readonly kind: 'text' | 'number';
  readonly choices?: readonly string[];
}

/** Written by scripts/action.ts from the schema of the configuration: \`npm run generate:action\`. */
export const SETTINGS: readonly Setting[] = [
${rows.join('\n')}
];
`;
}

async function withLists(options: readonly ConfigOption[]): Promise<string> {
  const text = await readFile(path.join(ROOT, 'docs/action.md'), 'utf8');
  const flags = options.map(({ flag }) => flag).join('`, `');
  const settings = { description: 'The settings of these names, which `agent-replay run --help` explains.' };
  const inputs = listOf([...Object.entries(OWN_INPUTS), [flags, settings]]);
  return between(
    between(withPins(withName(text), await pinnedActions()), 'inputs', inputs),
    'outputs',
    listOf(Object.entries(OUTPUTS)),
  );
}

function listOf(rows: readonly (readonly [string, Described])[]): string {
  return rows
    .map(([name, { description, default: preset }]) => {
      const defaults = preset === undefined ? '' : ` Default \`${preset}\`.`;
      return `- \`${name}\`: ${description}${defaults}`;
    })
    .join('\n');
}

function between(text: string, name: string, list: string): string {
  const [begin, end] = [`<!-- ${name}: written by scripts/action.ts -->\n`, `\n<!-- end of ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/action.md has no place for ${name}`);
  return text.slice(0, from + begin.length) + list + text.slice(to);
}

function explained({ description, choices, default: preset }: ConfigOption): string {
  const notes = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === undefined ? [] : [`by default ${preset}`]),
  ];
  return notes.length === 0 ? description : `${description.replace(/\.$/, '')} (${notes.join('; ')}).`;
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(await generatedFiles())) await writeFile(path.join(ROOT, file), text);
}
