import { randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file in one step: whoever reads it finds it whole, or as it was before.
 * @param options.mode of a new file
 * @param options.isNew fails with EEXIST if there is one already
 * @param options.flush waits until it is on the disk
 * @throws as the system does
 */
export async function replaceFile(
  file: string,
  text: string,
  { isNew = false, ...how }: { readonly mode?: number; readonly isNew?: boolean; readonly flush?: boolean } = {},
): Promise<void> {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    await writeFile(temporary, text, { flag: 'wx', ...how });
    await (isNew ? link : rename)(temporary, file);
  } finally {
    // The folder itself may be missing.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** For a file that is still being written, in its final folder. */
export function temporaryName(): string {
  return `.agent-replay-${randomUUID()}.tmp`;
}

/** Such a file is being written, or a killed process left it. */
export function isTemporaryName(name: string): boolean {
  return /^\.agent-replay-[0-9a-f-]{36}\.tmp$/.test(name);
}
