import { error } from '@actions/core';
import type { InputError } from './inputs.ts';
import { setOutput } from './runner-files.ts';

export const ERROR_TITLE = 'agent-replay: could not tell';

/** Loads nothing of the core, so that the mistake is reported at once. */
export function refuse({ message, hint }: InputError): void {
  error(`${message} (INPUT_INVALID)\n${hint}`, { title: ERROR_TITLE });
  setOutput('status', 'error');
}
