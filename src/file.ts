import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file to be read, or with `flags` also to be written. Anything but a regular file is refused: a FIFO or a device can be waited for for ever, and no
 * signal ends that.
 * @param flags of `open`
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
