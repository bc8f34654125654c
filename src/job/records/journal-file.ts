export const JOURNAL_FILE = 'journal.ndjson';

/** Files of a higher version are not read. */
export const JOURNAL_VERSION = 1;
