import path from 'node:path';
import type { Command } from 'commander';
import { withPort } from '../agent/index.ts';
import { walkedWorkflows } from '../doctor/index.ts';
import { AgentReplayError } from '../errors.ts';
import {
  type Answers,
  commandToAdd,
  inspectProject,
  PACKAGE,
  type PlannedFile,
  type Project,
  plannedFiles,
  pythonInstall,
  remainingSteps,
  vitestConfigOf,
} from '../init/index.ts';
import { startLifetime } from '../job/index.ts';
import { counted } from '../text/index.ts';
import { printLines, TOOLS_ACT } from './lines.ts';
import { type Change, changeOf, printCopiedFolders, writePlanned } from './planned.ts';
import { printError } from './print.ts';
import { type Ask, InputEnded, isAgreed, openQuestions } from './question.ts';

interface InitFlags {
  readonly start?: string;
  readonly url?: string;
  readonly agentId?: string;
  readonly workflow: boolean;
  readonly action?: string;
  readonly agents: boolean;
  readonly yes?: true;
  readonly dryRun?: true;
}

export function define(command: Command): void {
  command
    .description('Write a configuration, a replay endpoint and a workflow for the agent in this folder.')
    .option('--start <command>', 'command that starts your agent')
    .option('--url <url>', 'where your agent takes replays: the full URL, or its base URL')
    .option('--agent-id <id>', 'agent_id on its traces; the name of the package by default')
    .option('--no-workflow', 'write no workflow')
    .option(
      '--action <name>',
      "the action as your workflows name it, ORG/agent-replay@COMMIT; by default a copy in the repository's .github/actions",
    )
    .option('--no-agents', 'write nothing for coding agents: neither a section in AGENTS.md nor a skill')
    .option('-y, --yes', 'ask nothing, and write')
    .option('--dry-run', 'show the files with their contents, and write nothing')
    .action(init);
}

async function init(flags: InitFlags): Promise<void> {
  const root = process.cwd();
  const project = await inspectProject(root, { command: flags.start });
  const canAsk = process.stdin.isTTY && process.stdout.isTTY && flags.yes === undefined;
  if (!canAsk && flags.yes === undefined && flags.dryRun === undefined) {
    throw new AgentReplayError('USAGE', 'init asks questions, and there is no terminal to ask them on.', {
      hint: 'Answer them on the command line: npx agent-replay init --yes --start "npm start" --url http://127.0.0.1:3000/replay',
    });
  }
  printLines(`${project.name}: ${summary(project)}\n`);
  using lifetime = startLifetime(printError);
  using questions = canAsk ? openQuestions(lifetime.signal) : undefined;
  const plan = await agreedPlan(project, flags, questions?.ask).catch((error: unknown) => {
    if (lifetime.exitCode === undefined && !(error instanceof InputEnded)) throw error;
    process.exitCode = lifetime.exitCode;
    return undefined;
  });
  if (plan !== undefined) await carryOut(project, plan);
  else if (flags.dryRun === undefined) printLines('Nothing was written.');
}

interface Plan {
  readonly answers: Answers;
  /** Files that are missing or differ. */
  readonly fresh: readonly PlannedFile[];
}

/** @returns undefined if nobody wants it, or it was only to be shown */
async function agreedPlan(project: Project, flags: InitFlags, ask: Ask | undefined): Promise<Plan | undefined> {
  const { root } = project;
  const answers = await answersFor(project, flags, ask);
  const files = plannedFiles(project, answers);
  const fresh = files.filter((file) => changeOf(root, file) !== 'keep');
  for (const file of files.filter(({ folder }) => folder === undefined))
    printPlannedFile(file, changeOf(root, file), flags);
  printCopiedFolders(root, files);
  printLines('');
  if (flags.dryRun !== undefined) return undefined;
  if (ask !== undefined && !(await isAgreed(ask, `Write ${counted(fresh.length, 'file')}?`))) return undefined;
  return { answers, fresh };
}

async function carryOut(project: Project, { answers, fresh }: Plan): Promise<void> {
  const vitestConfig = project.hasVitest ? vitestConfigOf(project) : undefined;
  const left = remainingSteps(project);
  for (const file of fresh) await writePlanned(project.root, file);
  const planned = plannedFiles(project, answers).map((file) => path.posix.normalize(file.folder ?? file.path));
  const { steps, needs } = await workflowSteps(project, answers, planned);
  printNext(project, { left, vitestConfig, steps, commit: [...new Set([...planned, ...needs])] });
}

async function workflowSteps({ root, repository }: Project, { command }: Answers, files: readonly string[]) {
  const replayed = { agents: [{ command, folder: root }], files: files.map((file) => path.resolve(root, file)) };
  const walks = (await walkedWorkflows(root, replayed)).map(({ walk }) => walk);
  const troubles = walks.flatMap(({ obstacles, remarks }) => [...obstacles, ...remarks]);
  const secrets = [...new Set(walks.flatMap((walk) => walk.secrets))];
  const set = secrets.length > 0 ? [`Set in the repository's settings, under Actions: ${secrets.join(', ')}`] : [];
  const needs = walks
    .flatMap((walk) => walk.needs)
    .map((file) => `${path.posix.relative(repository.folder, file)}${file.endsWith('/') ? '/' : ''}`);
  const folders = files.filter((file) => file.endsWith('/'));
  return {
    steps: [...new Set(troubles)].map((each) => `For the workflow: ${each}.`).concat(set),
    needs: needs.filter((file) => !folders.some((folder) => `${file}/`.startsWith(folder))),
  };
}

function summary({ framework, python, agent, packageManager, tracing, isTypeScript }: Project): string {
  const written = packageManager === undefined ? 'no package.json' : isTypeScript ? 'TypeScript' : 'JavaScript';
  const language = python === undefined ? written : 'Python';
  const server = ['other', 'mastra'].includes(framework) ? [] : [framework === 'node' ? 'node:http' : framework];
  const traced = tracing === undefined ? 'no tracing found' : `traced with ${tracing}`;
  return [language, packageManager ?? python?.manager, ...server, agent?.name, traced]
    .filter((part) => part !== undefined)
    .join(', ');
}

async function answersFor(project: Project, flags: InitFlags, ask: Ask | undefined): Promise<Answers> {
  const asked = async (question: string, byDefault: string | undefined) => {
    if (ask === undefined) return byDefault;
    const answer = await ask(`${question}${byDefault === undefined ? '' : ` (${byDefault})`}: `);
    return answer.trim() || byDefault;
  };
  const command = flags.start ?? (await asked('Command that starts your agent', project.command));
  if (command === undefined) {
    throw new AgentReplayError('USAGE', 'No command was found that starts your agent.', {
      evidence: [
        project.python === undefined
          ? 'package.json has no script "start" and none "dev"'
          : `no file here creates an application with ${project.framework}`,
      ],
      hint: 'Give it with --start.',
    });
  }
  const url =
    flags.url ??
    (await asked(
      'URL of its replay endpoint',
      `http://127.0.0.1:${project.takesPort ? '{port}' : project.port}/replay`,
    ));
  if (url === undefined || !/^https?:$/.test(URL.parse(withPort(url))?.protocol ?? '')) {
    throw new AgentReplayError('TARGET_INVALID', 'The URL of the replay endpoint is not an http(s) URL.', {
      evidence: [`given: ${url}`],
      hint: 'Give the full URL that ends in /replay, or the base URL of the agent.',
    });
  }
  const agents =
    flags.agents &&
    (ask === undefined || (await isAgreed(ask, 'Tell coding agents how to replay, in AGENTS.md and a skill?')));
  return {
    agents,
    command,
    url,
    agentId: flags.agentId ?? project.name,
    workflow: flags.workflow,
    action: actionIn(flags),
  };
}

/** @throws AgentReplayError `USAGE` */
function actionIn({ action }: InitFlags): string | undefined {
  if (action === undefined || /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(action)) return action;
  throw new AgentReplayError('USAGE', `--action takes the name of an action and a full commit, not "${action}".`, {
    hint: 'Give ORG/agent-replay@ and the 40 characters of the commit: a branch or tag can be moved.',
  });
}

/** Contents are for who looks before anything is written: afterwards, `git diff` has them. */
function printPlannedFile(
  { path: file, content, shown = content, purpose }: PlannedFile,
  change: Change,
  { dryRun }: InitFlags,
): void {
  const about = { create: purpose, update: `${purpose}; all else in it stays`, keep: 'it exists already, and stays' };
  printLines(`${change.padEnd(6)} ${file}: ${about[change]}`);
  if (dryRun === undefined || change === 'keep') return;
  const lines = shown.trimEnd().split('\n');
  printLines(`${lines.map((line) => `  │ ${line}`.trimEnd()).join('\n')}\n`);
}

interface Left {
  readonly left: readonly string[];
  readonly vitestConfig: string | undefined;
  readonly steps: readonly string[];
  readonly commit: readonly string[];
}

/** What is left to do; the last line is the next command. */
function printNext(project: Project, { left, vitestConfig, steps: more, commit }: Left): void {
  const { packageManager, python, isInstalled } = project;
  const steps: string[] = [];
  if (packageManager !== undefined && !isInstalled)
    steps.push(`${commandToAdd(packageManager, PACKAGE)} (what npm pack leaves in a clone of agent-replay)`);
  if (python !== undefined && left.length > 0) steps.push(pythonInstall(python));
  steps.push(...left);
  if (vitestConfig !== undefined) {
    steps.push(`In ${vitestConfig}: plugins: [agentReplay()], from agent-replay/vitest, if it is not there yet.`);
  }
  steps.push(...more, `Commit ${commit.join(', ')}.`);
  printLines(`Left for you:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}\n`);
  printLines(`note: ${TOOLS_ACT}`);
  printLines('note: npx agent-replay help PAGE shows docs/PAGE.md\n');
  printLines(
    'Then have it put in what it can, as a diff, and check endpoint and traces, rule by rule:\n  npx agent-replay doctor --fix',
  );
}
