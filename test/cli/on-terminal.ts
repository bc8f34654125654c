import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
export const COLUMNS = 64;

/** Whether `script` is the one of util-linux: BSD's has no -e and no -c. */
export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const ENTER = '\r';

/** A part of a question's text, and what to type when the question appears. */
export interface Typed {
  readonly asked: string;
  readonly typed: string;
  /** Done before the answer is typed. */
  readonly meanwhile?: () => Promise<void>;
}

/**
 * Runs the command on a terminal of its own. @returns all of its output, with what it drew as answers were typed, and
 * the exit code
 */
export async function onTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly Typed[] = [],
): Promise<{ shown: string; code: number | null }> {
  const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${COLUMNS} rows 24 -onlcr; exec ${words}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  const closed = once(child, 'close') as Promise<[number | null]>;
  const left = [...answers];
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    shown += chunk;
    const [next] = left;
    // A question waits for its answer if it is the last line, with the cursor behind it.
    const line = stripVTControlCharacters(shown).split('\n').at(-1) ?? '';
    if (next === undefined || !line.includes(next.asked) || !/(?:: |\(Y\/n\) )$/.test(line)) continue;
    left.shift();
    await next.meanwhile?.();
    child.stdin.write(next.typed);
  }
  child.stdin.end();
  const [code] = await closed;
  return { shown, code };
}
