import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { TraceSource } from '../waiting/source.ts';
import type { Platform } from './platform.ts';

/**
 * For an agent whose receiver forwards to a platform: a trace is complete there once it has all that the receiver has
 * seen of it.
 */
export function forwardingSource(receiver: Receiver, platform: Platform): TraceSource {
  return {
    async waitFor(runId, options) {
      const { observations } = await receiver.waitFor(runId, options);
      return platform.waitFor(runId, { ...options, expected: observations.length });
    },
    async revised(runId, options) {
      const revision = await receiver.revised(runId, options);
      if (revision === undefined || options.signal.aborted) return undefined;
      if (revision.trace instanceof AgentReplayError) return revision;
      const expected = revision.trace.observations.length;
      const trace = await platform.waitFor(runId, { ...options, expected }).catch(asAgentReplayError);
      return { ...revision, trace };
    },
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}
