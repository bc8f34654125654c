import type { Command } from 'commander';
import { type DoctorEvent, diagnose, exitCodeOf, renderDiagnosis } from '../doctor/index.ts';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import {
  inspectProject,
  lackingFor,
  lackingInProduction,
  type PlannedFile,
  type Project,
  repairsOf,
  routeByHand,
  turnSpanOf,
} from '../init/index.ts';
import { startLifetime } from '../job/index.ts';
import { AlikeErrors } from './alike-errors.ts';
import { addConfigOptions, givenSettings } from './config-options.ts';
import { outputLook, printAside, printLine, printLines, printNote, TOOLS_ACT } from './lines.ts';
import { changeOf, printCopiedFolders, printPatch, writePlanned } from './planned.ts';
import { printError } from './print.ts';
import { canAsk, isAgreed, openQuestions } from './question.ts';

interface DoctorFlags {
  readonly config?: string;
  readonly question?: readonly string[];
  readonly json: boolean;
  readonly fix: boolean;
  readonly yes: boolean;
}

export function define(command: Command): void {
  command
    .option(
      '--question <text>',
      'question for the agent, in place of small talk; give the option twice, as doctor asks two questions',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--json', 'print the result as JSON', false)
    .option(
      '--fix',
      'first show what is missing of what init knows, as a diff, and write it: the span processor, the route, a span around the turn, the action',
      false,
    )
    .option('-y, --yes', 'with --fix: write without a question', false);
  addConfigOptions(command).action((flags: DoctorFlags) => doctor(flags, command));
}

async function doctor({ config: file, question, ...how }: DoctorFlags, command: Command): Promise<void> {
  using lifetime = startLifetime(printError);
  const questions = questionsIn(question);
  try {
    const cwd = process.cwd();
    const { signal } = lifetime;
    const check = () => diagnose({ cwd, file, settings: givenSettings(command), questions, signal, on: printEvent });
    if (how.fix && how.json)
      throw new AgentReplayError('USAGE', '--fix is for people to read, and --json for programs: give one of them.');
    // What cannot be read of it is no obstacle to the rules.
    const inspected = inspectProject(cwd);
    const server = await inspected.then(lackingInProduction, () => undefined);
    if (server !== undefined)
      printNote(
        `agent-replay is among devDependencies, and ${server} imports it: an install for production leaves it out. Move the line to dependencies, and install.`,
      );
    const means = { ...how, signal };
    const mended = how.fix ? await mend(await inspected, await repairsOf(await inspected), means) : undefined;
    const route = how.fix ? await routeByHand(await inspectProject(cwd)) : undefined;
    if (route !== undefined)
      printLine(`The route is not written, as no line here creates a server that --fix knows. ${route}`);
    let diagnosis = await check();
    // Only traces show that an agent opens no span around the turn.
    const isSplit = diagnosis.agents.some(({ rules }) =>
      rules.some(({ rule, state }) => rule === 'one-trace' && state === 'warn'),
    );
    if (how.fix && isSplit) {
      const project = await inspectProject(cwd);
      const span = await turnSpanOf(project);
      if ('obstacle' in span)
        printLines(`No span around the turn is written, as ${span.obstacle}. By hand:\n\n${span.lines}`);
      else if ((await mend(project, span.edits, means)) === 'written') diagnosis = await check();
    } else if (mended === 'nothing' && route === undefined) printLine('Nothing is missing that --fix could write.');
    for (const line of errors.summary()) printAside(line);
    process.stdout.write(
      how.json ? `${JSON.stringify(diagnosis, null, 2)}\n` : renderDiagnosis(diagnosis, outputLook()),
    );
    process.exitCode = lifetime.exitCode ?? exitCodeOf(diagnosis);
  } catch (error) {
    printError(lifetime.signal.aborted ? interrupted(lifetime.signal.reason) : error);
    process.exitCode = lifetime.exitCode ?? EXIT.error;
  }
}

/** What it writes is checked by the rules that follow. @returns `nothing` where nothing is missing */
async function mend(
  project: Project,
  planned: readonly PlannedFile[],
  { yes, signal }: { readonly yes: boolean; readonly signal: AbortSignal },
): Promise<'written' | 'left' | 'nothing'> {
  const { root } = project;
  const repairs = planned.filter((each) => changeOf(root, each) !== 'keep');
  if (repairs.length === 0) return 'nothing';
  for (const each of repairs) if (each.folder === undefined) printPatch(each);
  printCopiedFolders(root, repairs);
  using questions = canAsk({ yes }) ? openQuestions(signal) : undefined;
  if (!yes && (questions === undefined || !(await isAgreed(questions.ask, 'Write this?')))) {
    printLine(`Nothing was written.${questions === undefined ? ' With --yes it is.' : ''}`);
    return 'left';
  }
  for (const each of repairs) await writePlanned(root, each);
  const lacking = await lackingFor(repairs, project);
  if (lacking !== undefined) printNote(`package.json does not name all that is imported now: ${lacking}`);
  return 'written';
}

function interrupted({ code, message }: AgentReplayError): AgentReplayError {
  return new AgentReplayError(code, message, {
    hint: 'Everything that was started has been stopped. No rule was checked.',
  });
}

function questionsIn(given: readonly string[] | undefined): readonly [string, string] | undefined {
  if (given === undefined) return undefined;
  const [first, second, ...others] = given;
  if (first !== undefined && second !== undefined && others.length === 0 && first !== second) return [first, second];
  throw new AgentReplayError('USAGE', 'Two different questions are needed.', {
    hint: 'Give --question twice: what is asked first, and what is asked to see that the answer differs.',
  });
}

const errors = new AlikeErrors();

function printEvent(event: DoctorEvent): void {
  switch (event.kind) {
    case 'planned': {
      const { calls, more, questions } = event;
      printAside(
        `${calls} calls to each agent, up to ${more} more to tell why some fail, and one that it should refuse.`,
      );
      printAside(`It is asked: ${questions.map((question) => `"${question}"`).join(' and ')}`);
      printNote(TOOLS_ACT);
      return;
    }
    case 'starting':
      printAside(`starting ${event.agent ?? 'the agent'}`);
      return;
    case 'calling':
      for (const { name } of event.probes) printAside(`calling: ${name}`);
      return;
    case 'agent-output':
      if (errors.isNew(event.line)) process.stderr.write(`${event.line}\n`);
      return;
  }
}
