import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { CouldNotTell } from './failures.ts';
import type { Answer, Question, Replayed } from './wire.ts';

/**
 * Vitest's own process replays the session; given up with `signal`, or when this process ends.
 * @throws CouldNotTell
 */
export async function ask(asked: Omit<Question, 'file'>, signal?: AbortSignal): Promise<Replayed> {
  // vitest.config.ts also loads this module, and must not load `vitest` itself.
  const { expect, inject } = await import('vitest');
  const provided = inject('agentReplay');
  if (provided === undefined) {
    throw new CouldNotTell('The agent-replay plugin is not loaded.', {
      hint: 'Add agentReplay() to `plugins` in vitest.config.ts.',
    });
  }
  const { url, token } = provided.service;
  const question: Question = { ...asked, file: expect.getState().testPath ?? '' };
  // Not fetch(), which gives up on a response after five minutes.
  const sent = request(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, signal, agent: false });
  sent.end(JSON.stringify(question));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = (await json(response)) as Answer;
  if ('replayed' in answer) return answer.replayed;
  throw CouldNotTell.because(answer.problem);
}
