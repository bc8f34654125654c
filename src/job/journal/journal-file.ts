/** In the output folder of a run: all that it came to, line by line. */
export const JOURNAL_FILE = 'journal.ndjson';
