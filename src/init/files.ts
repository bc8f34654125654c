import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { actionFiles } from './action-files.ts';
import { codingAgentFiles } from './coding-agents.ts';
import { endpointFile } from './endpoint-file.ts';
import type { PlannedFile } from './planned-file.ts';
import { moduleEnding } from './planned-file.ts';
import type { Project } from './project.ts';
import { tracingFile } from './tracing-file.ts';
import { workflowFile } from './workflow-file.ts';

/** Everything else follows from the project. */
export interface Answers {
  /** As on the agent's traces. */
  readonly agentId: string;
  readonly command: string;
  readonly url: string;
  readonly workflow: boolean;
  /** If it is not copied: `ORG/agent-replay@COMMIT`. */
  readonly action: string | undefined;
  /** Files for coding agents. */
  readonly agents: boolean;
}

const VITEST_CONFIGS = ['vitest.config', 'vite.config', 'vitest.workspace'].flatMap((name) =>
  ['ts', 'mts', 'js', 'mjs', 'cts', 'cjs'].map((extension) => `${name}.${extension}`),
);

/** Time to become ready for an agent that is built first, or bundled by its development server. */
const WITH_BUILD_MS = '300_000';

/** The project's existing Vitest or Vite configuration. */
export function vitestConfigOf({ root }: Project): string | undefined {
  return VITEST_CONFIGS.find((file) => existsSync(path.join(root, file)));
}

/** The files that a project needs, in an order that makes sense to readers. Pure, except for a look at existing files. */
export function plannedFiles(project: Project, answers: Answers): PlannedFile[] {
  const files = [
    ignoreFile(project),
    configFile(project, answers),
    pinFolder(),
    ...endpointFile(project),
    ...tracingFile(project),
  ];
  if (answers.workflow) files.push(workflowFile(project, answers.action));
  if (answers.workflow && answers.action === undefined) files.push(...actionFiles(project));
  if (project.hasVitest && vitestConfigOf(project) === undefined) files.push(vitestFile(project));
  if (answers.agents) files.push(...codingAgentFiles(project));
  return files;
}

/** The output folder, and beside it what could not be forwarded, unmasked. */
const IGNORED = '.agent-replay*';

function ignoreFile({ root }: Project): PlannedFile {
  const target = path.join(root, '.gitignore');
  const present = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
  const lines = (present ?? '').split('\n').map((line) => line.trim());
  const gap = lines.at(-1) === '' ? '' : '\n';
  return {
    path: '.gitignore',
    purpose: 'keeps what runs write out of the repository',
    content: present !== undefined && lines.includes(IGNORED) ? present : `${present ?? ''}${gap}${IGNORED}\n`,
    shown: IGNORED,
    ...(present !== undefined && { replaces: present }),
  };
}

function configFile(project: Project, { agentId, command, url }: Answers): PlannedFile {
  const { packageManager, framework, port, isPortLocal, config, build } = project;
  // Without the package there is nothing to import the types from.
  const isTyped = packageManager !== undefined;
  const isSlow = build !== undefined || framework === 'mastra';
  const settings = `{
  agent: {
    id: ${quoted(agentId)},
    command: ${quoted(build === undefined ? command : `${build} && ${command}`)},
    url: ${quoted(url)},${isSlow ? `\n    timeout: ${WITH_BUILD_MS}, // milliseconds, with the build` : ''}${isPortLocal && url.includes(`:${port}/`) ? `\n    env: { PORT: '${port}' }, // as in .env, which is not there in CI` : ''}
  },
  sessions: 'replays/**/*.session.json',
  runs: 5,
}`;
  return {
    path: config ?? `agent-replay.config.${packageManager === undefined ? 'mjs' : moduleEnding(project)}`,
    purpose: 'how your agent is started, and where it takes replays',
    content: isTyped
      ? `import { defineConfig } from 'agent-replay';\n\nexport default defineConfig(${settings});\n`
      : `export default ${settings};\n`,
  };
}

function pinFolder(): PlannedFile {
  return {
    path: 'replays/README.md',
    purpose: 'the folder of the pinned sessions',
    content: `# Pinned sessions

Recorded conversations with the agent, one file each, replayed in CI. Record more of them with \`npx agent-replay record\`,
or take them from your tracing platform with \`npx agent-replay pin\`. When new behaviour is wanted, make it the recording
with \`npx agent-replay accept\`.
`,
  };
}

function vitestFile(project: Project): PlannedFile {
  return {
    path: `vitest.config.${moduleEnding(project)}`,
    purpose: 'every pinned session is a test',
    content: `import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';

export default defineConfig({ plugins: [agentReplay()] });
`,
  };
}

/** In a formatter's style. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
