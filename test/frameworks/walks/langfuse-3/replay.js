import { nodeHandler, replayEndpoint } from 'agent-replay/endpoint';
import { langfuse, takeTurn } from './agent.js';

export const replay = nodeHandler(
  // `langfuse.trace({ name: 'turn', sessionId, metadata })` in `takeTurn` says which replay it is.
  replayEndpoint(({ messages, sessionId, metadata }) => takeTurn(messages, { sessionId, metadata }), {
    token: process.env.REPLAY_TOKEN,
    flush: () => langfuse.flushAsync(),
  }),
);
