import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { notWritable, openFile } from '../../files/index.ts';
import { sealed } from '../../redaction/index.ts';
import { RunHistory } from '../../report/index.ts';

type HistoryEntry = ReturnType<RunHistory['entryOf']>;

const LINE_FEED = '\n'.charCodeAt(0);
/** Enough for years of nightly runs. Of a longer file only the end is read, so neither time nor memory grows. */
const MAX_READ_BYTES = 16 * 1024 ** 2;

/**
 * Appends one run to a history file, which is created if missing. Other processes may append at the same time. A line cut
 * by a crash stays a line of its own. The time does not depend on the length of the file.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function appendHistory(file: string, entry: HistoryEntry): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await using handle = await openFile(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
    const isTorn = bytesRead === 1 && buffer[0] !== LINE_FEED;
    const line = Buffer.from(`${isTorn ? '\n' : ''}${sealed(file, JSON.stringify(entry))}\n`);
    // A single write, because the system keeps writes of several processes apart, but not parts of them.
    const { bytesWritten } = await handle.write(line);
    if (bytesWritten < line.length) throw Object.assign(new Error('the line is cut off'), { code: 'ENOSPC' });
  } catch (error) {
    throw notWritable(file, error, 'choose another with --history');
  }
}

/**
 * Reads a history file; if it is very long, its latest part.
 * @throws AgentReplayError `INPUT_INVALID` if there is none
 */
export async function readHistory(file: string): Promise<RunHistory> {
  try {
    await using handle = await openFile(file);
    const { size } = await handle.stat();
    const position = Math.max(0, size - MAX_READ_BYTES);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - position), position });
    const text = buffer.toString('utf8', 0, bytesRead);
    // A part starts in the middle of a line.
    return RunHistory.parse(position === 0 ? text : text.slice(text.indexOf('\n') + 1));
  } catch (error) {
    throw new AgentReplayError(
      'INPUT_INVALID',
      `${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
      {
        location: { file },
        hint: 'Name the file that runs wrote to (run --history FILE).',
        cause: error,
      },
    );
  }
}
