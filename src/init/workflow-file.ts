import path from 'node:path';
import type { PlannedFile } from './planned-file.ts';
import { inRepository, type Project } from './project.ts';
import { ACTION } from './published.ts';
import { pythonInstallSteps } from './python-files.ts';

/** How each package manager installs exactly the locked versions. */
const INSTALL: Readonly<Record<NonNullable<Project['packageManager']>, readonly string[]>> = {
  npm: ['npm ci'],
  pnpm: ['corepack enable', 'pnpm install --frozen-lockfile'],
  yarn: ['corepack enable', 'yarn install --immutable'],
  bun: ['npx bun install --frozen-lockfile'],
};

const SETUP_PYTHON = `      - uses: actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c # v6.0.0
        with:
          python-version: '3.12'
`;

type WorkflowProject = Pick<Project, 'packageManager'> &
  Partial<Pick<Project, 'name' | 'repository' | 'isWorkspace' | 'modelKeys' | 'python'>>;

/**
 * A workflow that replays in every pull request, with only the rights that the comment needs. GitHub reads workflows only
 * at a repository's root.
 * @param action as `uses:` names it
 */
export function workflowFile(project: WorkflowProject, action: string = ACTION): PlannedFile {
  const { packageManager, python, name = '', repository, isWorkspace = false, modelKeys = [] } = project;
  const folder = repository?.folder ?? '';
  const output = path.posix.join(folder, '.agent-replay');
  const run = (command: string, where: string) =>
    `      - run: ${command}\n${where === '' ? '' : `        working-directory: ${where}\n`}`;
  const install =
    python !== undefined
      ? SETUP_PYTHON +
        pythonInstallSteps(python)
          .map((command) => run(command, folder))
          .join('')
      : packageManager === undefined
        ? '      # Install your agent here.\n'
        : INSTALL[packageManager].map((command) => run(command, isWorkspace ? '' : folder)).join('');
  const settings = folder === '' ? '' : `          working-directory: ${folder}\n`;
  const keys = modelKeys.map((key) => `          ${key}: \${{ secrets.${key} }}\n`).join('');
  return {
    path: inRepository(folder, `.github/workflows/agent-replay${folder === '' ? '' : `-${name}`}.yml`),
    purpose: 'replays in every pull request, and comments on it',
    content: `name: agent-replay${folder === '' ? '' : ` (${folder})`}
on: pull_request
permissions:
  contents: read
  pull-requests: write
concurrency:
  group: agent-replay${folder === '' ? '' : `-${name}`}-\${{ github.event.pull_request.number }}
  cancel-in-progress: true
jobs:
  replay:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
${install}      - uses: ${action}
        with:
          # Of the last step below: the post step puts it into the comment. Linters refuse a plain steps.html here.
          report-url: \${{ fromJSON(toJSON(steps)).html.outputs.artifact-url }}
${settings}${keys === '' ? '' : `        env:\n${keys}`}      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        if: \${{ !cancelled() }}
        with:
          name: agent-replay
          path: ${output}
          include-hidden-files: true
      # Alone and not in an archive, so that one click opens it.
      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        id: html
        if: \${{ !cancelled() }}
        with:
          path: ${output}/report.html
          archive: false
          include-hidden-files: true
`,
  };
}
