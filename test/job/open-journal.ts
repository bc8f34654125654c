import type { AgentReplayError } from '../../src/errors.ts';
import { Journal } from '../../src/job/journal/journal.ts';
import type { JournalHeader } from '../../src/job/records/journal-format.ts';
import { LineFile } from '../../src/job/records/line-file.ts';

interface Options {
  readonly onError?: (error: AgentReplayError) => void;
  readonly redact?: (text: string) => string;
}

/** A journal in a file, as a run writes it. */
export async function openJournal(
  file: string,
  about: JournalHeader,
  { onError = fail, redact = (text) => text }: Options = {},
): Promise<Journal & AsyncDisposable> {
  const lines = await LineFile.open(file, onError);
  const journal = new Journal({ add: (line) => lines.add(line), redact });
  journal.begin(about);
  return Object.assign(journal, { [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose]() });
}

function fail(error: AgentReplayError): void {
  throw error;
}
