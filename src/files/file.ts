import { constants, openSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { wholeBody } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';

/**
 * Only regular files are opened: reading a FIFO or a device can block for ever, and no signal ends that.
 * @throws as the system does; with the code `not a regular file`, or EISDIR
 */
export async function openFile(file: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  // Without O_NONBLOCK opening a FIFO would wait for a writer.
  const handle = await open(file, (constants.O_NONBLOCK ?? 0) | flags);
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  const code = stats.isDirectory() ? 'EISDIR' : 'not a regular file';
  throw Object.assign(new Error(`${file} is ${stats.isDirectory() ? 'a folder' : code}`), { code });
}

/** The text of a file, in UTF-8. @throws as {@link openFile} */
export async function readTextFile(file: string): Promise<string> {
  await using handle = await openFile(file);
  return await handle.readFile('utf8');
}

/** A folder and all above it, from the inside out. */
export function foldersFrom(folder: string): string[] {
  const above = path.dirname(folder);
  return [folder, ...(above === folder ? [] : foldersFrom(above))];
}

/** Standard input by its path, which cannot be opened if it is a socket. */
const STANDARD_INPUT = '/dev/stdin';

/** Whether a path on the command line must be read with {@link readPipe}: `<(…)`, a FIFO, or `/dev/stdin`. */
export function isPipe(file: string, stats: Stats): boolean {
  return stats.isFIFO() || (file === STANDARD_INPUT && !stats.isFile());
}

/**
 * All that comes through a pipe until its writers have closed it, as text in UTF-8. Only for a path that somebody named on the
 * command line: to a FIFO that was found nobody may ever write.
 * @param limits.signal ends the waiting
 * @throws the reason of the signal; as the system does; with the code `larger than … MiB`
 */
export async function readPipe(
  file: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<string> {
  const tooLarge = () => Object.assign(new Error('too large'), { code: `larger than ${maxBytes / 2 ** 20} MiB` });
  try {
    return (await wholeBody(openedPipe(file, signal), maxBytes, tooLarge)).toString('utf8');
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function openedPipe(file: string, signal: AbortSignal | undefined): Readable {
  const stream = file === STANDARD_INPUT ? process.stdin : fifoSocket(file);
  return signal === undefined ? stream : addAbortSignal(signal, stream);
}

/** Waits in the event loop, because a blocked thread could not be ended. */
function fifoSocket(file: string): Readable {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** @param otherwise where else it could go */
export function notWritable(
  file: string,
  error: unknown,
  otherwise = 'choose another with --output-dir',
): AgentReplayError {
  if (error instanceof AgentReplayError) return error;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const isInItsPlace = code === 'ENOTDIR' || code === 'EEXIST';
  const why = isInItsPlace ? 'a file stands where its folder should be' : code;
  const next = isInItsPlace ? 'Remove it' : 'Check that the disk has room and the folder can be written to';
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} could not be written: ${why}.`, {
    location: { file },
    hint: `${next}, or ${otherwise}.`,
    cause: error,
  });
}
