import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ErrorDetails } from '../src/errors.ts';

const ROOT = path.join(import.meta.dirname, '..');

type Failure = Pick<ErrorDetails, 'evidence' | 'hint' | 'location'> & {
  readonly code: string;
  readonly message: string;
};

/** A failure as the command prints it: what happened and where, what was seen, the next move. */
export function wholeMessage({ code, message, location, evidence = [], hint }: Failure): string {
  const lines = [
    `${message} (${code})`,
    ...(location === undefined
      ? []
      : [`  at ${[location.file, location.line, location.column].filter(Boolean).join(':')}`]),
    ...evidence.map((fact) => `  ${fact}`),
    ...(hint === undefined ? [] : [`  -> ${hint}`]),
  ];
  return steady(lines.join('\n'));
}

/** The whole message of what `work` throws. */
export async function messageFrom(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return wholeMessage(error as Failure);
  }
  return 'nothing was thrown';
}

/** Names what differs from machine to machine and from run to run: `127.0.0.1:<port>`, `<folder>`, `process <id>`. */
export function steady(text: string): string {
  return text
    .replaceAll(process.execPath, 'node')
    .replaceAll(ROOT, '<project>')
    .replaceAll(new RegExp(`(?:/private)?${tmpdir()}/[\\w.-]+`, 'g'), '<folder>')
    .replaceAll(/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1:<port>')
    .replaceAll(/\b(process|pid) \d+/g, '$1 <id>')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
    .replaceAll(/\br[0-9a-f]{12}\b/g, '<uid>')
    .replaceAll(/\b(t\d+\.r\d+(?:\.[pa]\d+)*)\.[0-9a-f]{24}\b/g, '$1.<own>')
    .replaceAll(/\b(?:\d+ min )?\d+(?:\.\d+)? m?s$/gm, '<time>');
}
