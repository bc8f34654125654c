import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file in one step: whoever reads it finds it whole, or as it was before.
 * @param mode of a new file
 * @throws as the system does
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    await writeFile(temporary, text, { flag: 'wx', mode });
    await rename(temporary, file);
  } finally {
    // The folder itself may be missing.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** For a file that is still being written, in its final folder. */
export function temporaryName(): string {
  return `.${randomUUID()}.tmp`;
}
