import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { sealed } from '../../redaction/index.ts';
import { type Report, RunHistory, reportFormats } from '../../report/index.ts';
import type { Reporter } from './extension-points.ts';
import { readKept } from './kept-traces.ts';
import { makeOutputFolder, PRIVATE_FILE, temporaryName } from './output-folder.ts';

type OutputFormat = keyof typeof reportFormats;

export const reportFiles: readonly string[] = Object.values(reportFormats).map(({ file }) => file);

/**
 * Writes all formats where none is named.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`, the first one, after trying all formats
 */
export async function writeReport(
  report: Report,
  {
    dir,
    formats = Object.keys(reportFormats) as OutputFormat[],
    history = new RunHistory(),
  }: {
    dir: string;
    formats?: readonly OutputFormat[];
    history?: RunHistory;
  },
): Promise<void> {
  const failures: unknown[] = [];
  const keptOf = (session: string) => readKept(path.join(dir, 'traces'), session);
  for (const format of formats) {
    const { file, render }: Reporter = reportFormats[format];
    // A disk that is too full for one file may have room for a smaller one.
    await writeOutput(path.join(dir, file), await render(report, { keptOf, history })).catch((error) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
}

/** Writes in one step. @throws AgentReplayError `OUTPUT_NOT_WRITABLE` */
export async function writeOutput(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    await makeOutputFolder(path.dirname(file));
    await writeFile(temporary, sealed(file, text), { flag: 'wx', mode: PRIVATE_FILE });
    await rename(temporary, file);
  } catch (error) {
    throw notWritable(file, error);
  } finally {
    // The folder itself may be missing.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** @param otherwise where else it could go */
export function notWritable(
  file: string,
  error: unknown,
  otherwise = 'choose another with --output-dir',
): AgentReplayError {
  if (error instanceof AgentReplayError) return error;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const location = { file };
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    const message = `${file} could not be written: a file stands where its folder should be.`;
    const hint = `Remove it, or ${otherwise}.`;
    return new AgentReplayError('OUTPUT_NOT_WRITABLE', message, { location, hint, evidence: [code], cause: error });
  }
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} could not be written (${code}).`, {
    location,
    hint: `Check that the disk has room and the folder can be written to, or ${otherwise}.`,
    cause: error,
  });
}
