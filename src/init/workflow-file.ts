import type { PlannedFile } from './files.ts';
import type { Project } from './project.ts';

/** How each package manager installs what is locked, and nothing else. */
const INSTALL: Readonly<Record<NonNullable<Project['packageManager']>, readonly string[]>> = {
  npm: ['npm ci'],
  pnpm: ['corepack enable', 'pnpm install --frozen-lockfile'],
  yarn: ['corepack enable', 'yarn install --immutable'],
  bun: ['npx bun install --frozen-lockfile'],
};

/** A workflow that replays in every pull request, with no more rights than the comment needs. */
export function workflowFile({ packageManager }: Pick<Project, 'packageManager'>): PlannedFile {
  const install =
    packageManager === undefined
      ? ['      # Install your agent here.']
      : INSTALL[packageManager].map((command) => `      - run: ${command}`);
  return {
    path: '.github/workflows/agent-replay.yml',
    purpose: 'replays in every pull request, and comments on it',
    content: `name: agent-replay
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  replay:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 24
${install.join('\n')}
      - uses: agent-replay/agent-replay@v0
`,
  };
}
