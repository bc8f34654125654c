import { type Recording, topsOf } from './trace.ts';

/** Whether a turn ended in an error: its root says so, or something in it failed and there is no output. */
export function endedInError({ output, observations }: Recording): boolean {
  const among = output === undefined || output === null ? observations : topsOf(observations);
  return among.some(({ level }) => level === 'ERROR');
}
