import { type AgentReplayError, asAgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { Redaction, secretsIn } from '../redaction/index.ts';
import { linesForTerminal } from '../text/index.ts';

/**
 * Writes an error to stderr: what happened, its code, the evidence, and what to do next. Prints the stack only with
 * `DEBUG`. Foreign text is made safe, and secrets of the environment are replaced.
 */
export function printError(thrown: unknown): void {
  printTrouble('error', thrown);
}

/** The command goes on, and ends with the exit code of an error. */
export function fail(error: unknown): undefined {
  printError(error);
  process.exitCode = EXIT.error;
}

/** Printed like an error, but the command goes on. */
export function printWarning(warning: AgentReplayError): void {
  printTrouble('warning', warning);
}

function printTrouble(word: 'error' | 'warning', thrown: unknown): void {
  const error = asAgentReplayError(thrown);
  const { file, line, column } = error.location ?? {};
  // A message that names the file already says everything known about the place.
  const isNamed = file !== undefined && line === undefined && error.message.includes(file);
  const { stack } = (error.cause ?? error) as { stack?: string };
  const texts = [
    `${word}: ${error.message} (${error.code})`,
    ...(file === undefined || isNamed
      ? []
      : [`  at ${[file, line, column].filter((part) => part !== undefined).join(':')}`]),
    ...error.evidence.map((fact) => `  ${fact}`),
    ...(error.hint === undefined ? [] : [`  -> ${error.hint}`]),
    ...(process.env.DEBUG && stack !== undefined ? [stack] : []),
  ];
  const redaction = new Redaction(secretsIn({ environments: [process.env] }));
  const lines = linesForTerminal(redaction.text(texts.join('\n')));
  process.stderr.write(`${lines.join('\n')}\n`);
}
