import { spawn } from 'node:child_process';
import { AgentOutput, signalGroup } from '../../agent/index.ts';
import { endingIn, wholeBody } from '../../bounded/index.ts';
import type { Identifiers } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { byTrace, traceFileReader } from '../mapping/trace-file.ts';
import type { ReadApi } from './api.ts';
import type { CommandPlace } from './place.ts';
import { type Asked, recordsApi } from './records-api.ts';

/** Of the question: docs/sources.md. */
const VERSION = 1;
/** For one answer. */
const ANSWER_MS = 60_000;
const MAX_BYTES = 64 * 2 ** 20;
/** Of the end of its stderr. */
const SAID_LINES = 5;

/**
 * A command of the user's. It runs once per question, gets the question as one line of JSON on standard input, and writes
 * traces to standard output, in any format of trace files.
 */
export function commandApi(
  { command, cwd, answerMs = ANSWER_MS }: CommandPlace,
  { identifiers, onCall }: { identifiers?: Identifiers; onCall: () => void },
): ReadApi {
  const read = traceFileReader({ identifiers });
  async function* list(asked: Asked, signal: AbortSignal) {
    onCall();
    const question = JSON.stringify({ version: VERSION, ...asked });
    const answer = await answerOf(command, { question, cwd, answerMs, signal });
    try {
      // Of what it says twice, the later counts.
      yield [...byTrace(read(answer)).values()].flatMap((own) => [...own.values()]);
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      throw notTraces(command, question, error);
    }
  }
  return recordsApi('command', list, { identifiers });
}

interface Call {
  readonly question: string;
  readonly cwd: string;
  readonly answerMs: number;
  readonly signal: AbortSignal;
}

/** @throws AgentReplayError `SOURCE_FAILED`, `SOURCE_TIMEOUT`, `PLATFORM_TOO_MUCH_DATA` */
async function answerOf(command: readonly string[], { question, cwd, answerMs, signal }: Call): Promise<string> {
  signal.throwIfAborted();
  const [program = '', ...args] = command;
  // A process group of its own, so that its children end with it. On Windows that would open a window.
  const child = spawn(program, args, { cwd, stdio: 'pipe', detached: process.platform !== 'win32' });
  const end = (): void => {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  };
  const said = new AgentOutput({ stderr: { readable: child.stderr } });
  // A command may answer without reading the question.
  child.stdin.on('error', () => {});
  child.stdin.end(`${question}\n`);
  const limits = endingIn(answerMs, signal);
  limits.addEventListener('abort', end, { once: true });
  const failed = (what: string, code: 'SOURCE_FAILED' | 'SOURCE_TIMEOUT' = 'SOURCE_FAILED') =>
    sourceFailed(code, { command, question, what, said: said.tail(SAID_LINES) });
  try {
    const ended = new Promise<string | undefined>((resolve, reject) => {
      child.once('error', (error) => reject(failed(error.message)));
      child.once('close', (code, by) =>
        resolve(code === 0 ? undefined : code === null ? `it was ended by ${by}` : `exit code ${code}`),
      );
    });
    const [answer, failure] = await Promise.all([textOf(child.stdout, program), ended]);
    signal.throwIfAborted();
    if (limits.aborted) throw failed(`no whole answer in ${answerMs / 1_000} s`, 'SOURCE_TIMEOUT');
    if (failure !== undefined) throw failed(failure);
    return answer;
  } finally {
    limits.removeEventListener('abort', end);
    end();
  }
}

async function textOf(stream: AsyncIterable<Buffer>, program: string): Promise<string> {
  const tooMuch = () =>
    new AgentReplayError('PLATFORM_TOO_MUCH_DATA', `${program} answers with more than can be read.`, {
      evidence: [`more than ${MAX_BYTES / 2 ** 20} MiB in one answer`],
      hint: 'Answer with what was asked for: the question names a time, a session, a trace or a beginning of run ids.',
    });
  return (await wholeBody(stream, MAX_BYTES, tooMuch)).toString('utf8');
}

function sourceFailed(
  code: 'SOURCE_FAILED' | 'SOURCE_TIMEOUT',
  {
    command,
    question,
    what,
    said,
  }: { command: readonly string[]; question: string; what: string; said: readonly string[] },
): AgentReplayError {
  return new AgentReplayError(code, 'The command of tracing.command gave no answer.', {
    evidence: [
      `command: ${JSON.stringify(command)}`,
      `asked: ${question}`,
      what,
      ...said.filter((line) => line.trim() !== '').map((line) => `stderr: ${line}`),
    ],
    hint: `Run it yourself: echo '${question}' | the command. It must write traces to its standard output and end with 0.`,
  });
}

function notTraces(command: readonly string[], question: string, error: AgentReplayError): AgentReplayError {
  return new AgentReplayError('SOURCE_ANSWER_INVALID', 'What the command of tracing.command answers is not traces.', {
    evidence: [`command: ${JSON.stringify(command)}`, `asked: ${question}`, ...error.evidence],
    hint: 'Write one of the formats that docs/sources.md lists to standard output, and everything else to standard error.',
    cause: error,
  });
}
