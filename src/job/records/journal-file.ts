/** The journal's name in the output folder. */
export const JOURNAL_FILE = 'journal.ndjson';

/** Version of the journal's format. Files of a higher version are not read. */
export const JOURNAL_VERSION = 1;
