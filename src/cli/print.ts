import { asAgentReplayError } from '../errors.ts';

/** Writes an error to stderr: what happened, its code, what was seen, and what to do next. A stack only with `DEBUG`. */
export function printError(thrown: unknown): void {
  const error = asAgentReplayError(thrown);
  const { file, line, column } = error.location ?? {};
  const lines = [
    `error: ${error.message} (${error.code})`,
    ...(file === undefined ? [] : [`  at ${[file, line, column].filter((part) => part !== undefined).join(':')}`]),
    ...error.evidence.map((fact) => `  ${fact}`),
    ...(error.hint === undefined ? [] : [`  -> ${error.hint}`]),
  ];
  const { stack } = (error.cause ?? error) as { stack?: string };
  if (process.env.DEBUG && stack !== undefined) lines.push(stack);
  process.stderr.write(`${lines.join('\n')}\n`);
}
