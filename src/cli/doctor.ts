import type { Command } from 'commander';
import { type DoctorEvent, diagnose, exitCodeOf, renderDiagnosis } from '../doctor/index.ts';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { startLifetime } from '../job/index.ts';
import { addConfigOptions, givenSettings } from './config-options.ts';
import { outputLook, printAside, printNote, TOOLS_ACT } from './lines.ts';
import { printError } from './print.ts';

interface DoctorFlags {
  readonly config?: string;
  readonly question?: readonly string[];
  readonly json: boolean;
}

/** `agent-replay doctor`: checks an agent's endpoint and traces against the contract, rule by rule. */
export function define(command: Command): void {
  command
    .description("Check an agent's endpoint and its traces against the contract, rule by rule.")
    .option(
      '--question <text>',
      'question for the agent, in place of small talk; give the option twice, as doctor asks two questions',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--json', 'print the result as JSON', false);
  addConfigOptions(command).action((flags: DoctorFlags) => doctor(flags, command));
}

async function doctor({ config: file, question, json }: DoctorFlags, command: Command): Promise<void> {
  using lifetime = startLifetime(printError);
  const questions = questionsIn(question);
  try {
    const diagnosis = await diagnose({
      cwd: process.cwd(),
      file,
      settings: givenSettings(command),
      questions,
      signal: lifetime.signal,
      on: printEvent,
    });
    process.stdout.write(json ? `${JSON.stringify(diagnosis, null, 2)}\n` : renderDiagnosis(diagnosis, outputLook()));
    process.exitCode = lifetime.exitCode ?? exitCodeOf(diagnosis);
  } catch (error) {
    printError(lifetime.signal.aborted ? interrupted(lifetime.signal.reason) : error);
    process.exitCode = lifetime.exitCode ?? EXIT.error;
  }
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

function printEvent(event: DoctorEvent): void {
  switch (event.kind) {
    case 'planned': {
      const { calls, more, questions } = event;
      printAside(`Each agent gets ${calls} calls, up to ${more} more when some fail, and 1 that it should refuse.`);
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
      process.stderr.write(`${event.line}\n`);
      return;
  }
}
