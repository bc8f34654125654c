import path from 'node:path';
import { notWritable, OUR_FOLDER, replaceFile } from '../../files/index.ts';
import { sealed } from '../../redaction/index.ts';
import { type PlacesOf, type Report, reportFormats } from '../../report/index.ts';
import type { Reporter } from './extension-points.ts';
import { keptIn } from './kept-traces.ts';
import { makeOutputFolder, PRIVATE_FILE } from './output-folder.ts';

/** Beside the configuration. */
export const PIN_LOCK = 'pins.lock';

type OutputFormat = keyof typeof reportFormats;

export const reportFiles: readonly string[] = Object.values(reportFormats).map(({ file }) => file);

/**
 * Writes a report into a folder, once per format: in all formats where none is named.
 * @param options.placesOf files of the project that hold a line of a prompt, as `file:line`
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`, the first one, after trying all formats
 */
export async function writeReport(
  report: Report,
  {
    dir,
    formats = Object.keys(reportFormats) as OutputFormat[],
    placesOf,
  }: { dir: string; formats?: readonly OutputFormat[]; placesOf?: PlacesOf },
): Promise<void> {
  const failures: unknown[] = [];
  const keptOf = keptIn(path.join(dir, 'traces'));
  for (const format of formats) {
    const { file, render }: Reporter = reportFormats[format];
    // A disk that is too full for one file may have room for a smaller one.
    await writeOutput(path.join(dir, file), await render(report, keptOf, placesOf)).catch((error) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
}

/** A report that names its folder, if that is not the usual one, so that the commands in it find it there. */
export function reportIn(report: Report, outputDir: string): Report {
  const isUsual = path.relative(OUR_FOLDER, outputDir) === '';
  return isUsual ? report : { ...report, evidence: { ...report.evidence, outputDir } };
}

/** Writes in one step. @throws AgentReplayError `OUTPUT_NOT_WRITABLE` */
export async function writeOutput(file: string, text: string): Promise<void> {
  try {
    await makeOutputFolder(path.dirname(file));
    await replaceFile(file, sealed(file, text), { mode: PRIVATE_FILE });
  } catch (error) {
    throw notWritable(file, error);
  }
}
