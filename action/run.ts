import { randomUUID } from 'node:crypto';
import path from 'node:path';
import * as core from '@actions/core';
import {
  AgentReplayError,
  type Config,
  exitCodeOf,
  type JobEvent,
  linesForTerminal,
  loadConfig,
  type Plan,
  parseConfig,
  type Report,
  renderTerminal,
  runJob,
  secretsOf,
  startLifetime,
  writeReport,
} from '../src/index.ts';
import { annotate, notice, publishOutputs, reportError, writeSummary } from './announce.ts';
import { commentOn } from './comment.ts';
import { commentablePullRequest, readEvent, warnOfForeignCode } from './event.ts';
import { type Inputs, inputFor } from './inputs.ts';
import { maskSecrets } from './masks.ts';
import { resolvePackageName } from './package-name.ts';

const EXIT_ERROR = 2;
const OUTPUT_FOLDER = '.agent-replay';
const FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

/** The main step. @returns the exit code of the process */
export async function run(inputs: Inputs): Promise<number> {
  using lifetime = startLifetime(reportError);
  // Before the configuration is loaded, which is code that may print.
  const known = secretsOf(parseConfig({}, { folder: inputs.workingDirectory }), process.env);
  maskSecrets(inputs.token === undefined ? known : [inputs.token, ...known]);
  rememberJob();
  const event = await readEvent(process.env);
  warnOfForeignCode(event);
  try {
    const config = await configFor(inputs);
    maskSecrets(secretsOf(config, process.env));
    const { report, plan, complete } = await replay(config, inputs, lifetime.signal);

    print(linesForTerminal(renderTerminal(report).trimEnd()));
    annotate(report, plan, config.root);
    await writeSummary(report);
    publishOutputs(report, path.join(inputs.workingDirectory, OUTPUT_FOLDER, 'report.json'));
    const url = await publishComment(report, inputs, event, lifetime.signal);
    core.setOutput('comment-url', url ?? '');

    const verdict = exitCodeOf(report.results.status, report.evidence.interruptedBy);
    // A pass that left no report behind is none.
    return lifetime.exitCode ?? (verdict === 0 && !complete ? EXIT_ERROR : verdict);
  } catch (error) {
    reportError(error);
    return lifetime.exitCode ?? EXIT_ERROR;
  }
}

/** By this variable, which everything that comes from us inherits, the post step finds what should have ended. */
function rememberJob(): void {
  const jobId = randomUUID();
  process.env.AGENT_REPLAY_JOB_ID = jobId;
  core.saveState('jobId', jobId);
}

async function configFor({ config: file, workingDirectory, settings }: Inputs): Promise<Config> {
  resolvePackageName();
  try {
    return await loadConfig({ cwd: workingDirectory, file, options: settings });
  } catch (error) {
    throw error instanceof AgentReplayError && error.code === 'CONFIG_INVALID' ? namingInputs(error, settings) : error;
  }
}

/** A setting that an input gave is called by the name of the input. */
function namingInputs(error: AgentReplayError, settings: ReadonlyMap<string, unknown>): AgentReplayError {
  const evidence = error.evidence.map((fact) => {
    const given = [...settings.keys()].find(
      (setting) => fact.startsWith(`${setting}:`) || fact.startsWith(`${setting}.`),
    );
    return given === undefined ? fact : `input "${inputFor(given)}": ${fact}`;
  });
  const { code, message, hint, location } = error;
  return new AgentReplayError(code, message, {
    evidence,
    cause: error,
    ...(hint && { hint }),
    ...(location && { location }),
  });
}

/** The job, by the same path as the command. `complete`: every output could be written. */
async function replay(
  config: Config,
  { config: configFile, workingDirectory, token }: Inputs,
  signal: AbortSignal,
): Promise<{ report: Report; plan: Plan | undefined; complete: boolean }> {
  let plan: Plan | undefined;
  let complete = true;
  const outputDir = path.join(workingDirectory, OUTPUT_FOLDER);
  const follow = (event: JobEvent) => {
    if (event.kind === 'planned') plan = event.plan;
    if (event.kind === 'not-written') complete = false;
    print(told(event));
  };
  const secrets = token === undefined ? [] : [token];
  const report = await runJob(config, { signal, outputDir, secrets, configFile, command: 'GitHub Action', on: follow });
  try {
    await writeReport(report, { dir: outputDir, formats: FORMATS });
  } catch (error) {
    complete = false;
    reportError(error);
  }
  return { report, plan, complete };
}

/** What the log says of an event: safe lines. */
function told(event: JobEvent): string[] {
  switch (event.kind) {
    case 'planned':
      return [`${event.plan.calls} calls are to be made`, ...mutatingNotes(event.plan)].flatMap(linesForTerminal);
    case 'agent':
      return linesForTerminal(`the agent ${event.agent.id ?? ''} is ${event.state}`.replace('  ', ' '));
    case 'agent-output':
      return [event.line];
    case 'replayed':
    case 'skipped':
      return [];
    case 'session-done':
      return linesForTerminal(`done: ${event.session}`);
    case 'not-written':
      return linesForTerminal(`warning: ${event.error.message} (${event.error.code})`);
  }
}

function mutatingNotes({ mutatingCalls }: Plan): string[] {
  return [...mutatingCalls].map(
    ([tool, count]) =>
      `note: ${count} recorded calls of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it`,
  );
}

async function publishComment(
  report: Report,
  inputs: Inputs,
  event: Awaited<ReturnType<typeof readEvent>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Half a result must not stand where a whole one stood.
  if (signal.aborted) return undefined;
  const pull = commentablePullRequest(event);
  if (pull === undefined) return undefined;
  if (inputs.token === undefined) return notice('No comment was written: the input "github-token" is empty.');
  if (pull.isFork) {
    return notice('No comment was written: the token of a pull request from a fork cannot write. See the job summary.');
  }
  return commentOn(pull, report, { token: inputs.token, subject: subjectOf(inputs), env: process.env, signal });
}

/** Stays the same from run to run of one step, and tells two steps of one workflow apart. */
function subjectOf({ config, workingDirectory, settings }: Inputs): string {
  const about = [settings.get('agent.id'), settings.get('sessions')];
  return JSON.stringify([config, path.relative(process.cwd(), workingDirectory), ...about]);
}

function print(lines: readonly string[]): void {
  for (const line of lines) core.info(line);
}
