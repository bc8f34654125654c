export { type Forwarded, forwardKept } from './forwarder.ts';
export { forwardingSource } from './forwarding.ts';
export { habitsOf, type TracingHabits } from './habits.ts';
export { delayNote, type ReadDelay } from './platform/budget.ts';
export {
  type Conversation,
  type ConversationQuery,
  type FoundConversations,
  findConversations,
  namedConversations,
  readConversation,
  searchNotes,
} from './platform/conversations.ts';
export { type Place, placeOf, platformCredentials } from './platform/place.ts';
export { openPlatform, type Platform } from './platform/platform.ts';
export type { AgentReads } from './reads.ts';
export { type Receiver, type ReceiverLimits, type ReceiverOptions, type SeenSpan, startReceiver } from './receiver.ts';
export type { Revision, TraceSource, WaitOptions } from './source.ts';
export { tracesFromOtlp } from './trace-file.ts';
export type { SeenTurn } from './turns.ts';
