import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import {
  type HistoryEntry,
  type Report,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
} from '../../report/index.ts';
import { readKept } from '../journal/kept-traces.ts';
import { makeOutputFolder, PRIVATE_FILE, temporaryName } from './output-folder.ts';

/** How a report can be written, and to which file of the output folder. */
const FORMATS = {
  json: { file: 'report.json', render: renderJson },
  junit: { file: 'junit.xml', render: renderJunit },
  html: { file: 'report.html', render: withTraces },
  markdown: { file: 'report.md', render: (report: Report) => renderMarkdown(report) },
} as const satisfies Record<
  string,
  {
    file: string;
    render: (report: Report, dir: string, history: readonly HistoryEntry[]) => string | Promise<string>;
  }
>;

/** The file carries what lies beside it: it is passed on alone. */
function withTraces(report: Report, dir: string, history: readonly HistoryEntry[]): Promise<string> {
  return renderHtml(report, (session) => readKept(path.join(dir, 'traces'), session), history);
}

export type OutputFormat = keyof typeof FORMATS;
export const outputFormats = Object.keys(FORMATS) as OutputFormat[];
export const reportFiles: readonly string[] = Object.values(FORMATS).map(({ file }) => file);

/**
 * Writes a report into a folder, once in each format.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`, the first one, once all have been tried
 */
export async function writeReport(
  report: Report,
  {
    dir,
    formats,
    history = [],
  }: {
    dir: string;
    formats: readonly OutputFormat[];
    /** Runs up to this one, for the trend of each session. */
    history?: readonly HistoryEntry[];
  },
): Promise<void> {
  const failures: unknown[] = [];
  for (const format of formats) {
    const { file, render } = FORMATS[format];
    // A disk that has no room for one may have some for a smaller one.
    await writeOutput(path.join(dir, file), await render(report, dir, history)).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Writes a file of the output folder: it is there entirely or not at all.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
export async function writeOutput(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    await makeOutputFolder(path.dirname(file));
    await writeFile(temporary, text, { flag: 'wx', mode: PRIVATE_FILE });
    await rename(temporary, file);
  } catch (error) {
    throw notWritable(file, error);
  } finally {
    // The folder itself may be what is not there.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/**
 * What to report when a file is not taken.
 * @param otherwise where else it could go
 */
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
