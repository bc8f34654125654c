import { forTerminal } from '../text/index.ts';

/** Prints one line to standard output, made safe; a line break in it shows as a sign. */
export function printLine(line: string): void {
  process.stdout.write(`${forTerminal(line)}\n`);
}

/** Prints a text of ours, with its line breaks. */
export function printLines(text: string): void {
  for (const line of text.split('\n')) printLine(line);
}

/** Prints one line beside the result, to standard error, so that the result can be piped. */
export function printAside(line: string): void {
  process.stderr.write(`${forTerminal(line)}\n`);
}

/** Prints a remark beside the result: `note: 2 rules of agent-replay.ignore apply`. */
export function printNote(note: string): void {
  printAside(`note: ${note}`);
}

/** What standard output can show. */
export function outputLook(): { colour: boolean; columns: number; isGrouped: boolean } {
  const { isTTY, columns } = process.stdout;
  const isGrouped = !isTTY && process.env.GITHUB_ACTIONS === 'true';
  return { colour: isTTY && process.stdout.hasColors(), columns, isGrouped };
}

/** Printed where a project begins: by `init`, by `doctor`, and before the first calls of `run`. */
export const TOOLS_ACT =
  'replays call the tools of the agent for real, in every run: let the recording answer for them (--tools recorded, docs/tools.md), or give them a sandbox (docs/endpoint.md)';
