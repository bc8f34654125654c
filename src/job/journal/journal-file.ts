/** The journal's name in the output folder. */
export const JOURNAL_FILE = 'journal.ndjson';
