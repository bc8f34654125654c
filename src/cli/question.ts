import { createInterface } from 'node:readline/promises';
import { unlessEnded } from '../bounded/index.ts';

/** Asks on the terminal. @throws InputEnded */
export type Ask = (question: string) => Promise<string>;

/** The input has ended: Ctrl-D. */
export class InputEnded extends Error {}

/** Ctrl-C sends its usual signal. @param signal ends a question, which then fails with its reason */
export function openQuestions(signal: AbortSignal): Disposable & { readonly ask: Ask } {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  return {
    ask: async (question) => {
      // Ctrl-D closes the input. In some versions of Node.js it also rejects the question.
      const answer = await unlessEnded(lines.question(question, { signal }), ended.signal).catch(() => undefined);
      if (answer === undefined) process.stdout.write('\n');
      signal.throwIfAborted();
      if (answer === undefined) throw new InputEnded();
      return answer;
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/** Asks for yes or no. Enter means yes, the end of the input means no. */
export async function isAgreed(ask: Ask, question: string): Promise<boolean> {
  const answer = await ask(`${question} (Y/n) `).catch((error: unknown) => {
    if (error instanceof InputEnded) return 'no';
    throw error;
  });
  return !/^\s*n/i.test(answer);
}

/** Whether somebody is there to answer; in CI nobody is, even if its output is a terminal. */
export function canAsk({ yes }: { readonly yes: boolean }): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !yes && !process.env.CI;
}
