export type { Forwarded } from './forward/forwarder.ts';
export { delayNote, type ReadDelay } from './platform/budget.ts';
export {
  type Conversation,
  type ConversationQuery,
  conversationsOfIds,
  type FoundConversations,
  findConversations,
  readConversation,
  searchNotes,
} from './platform/conversations.ts';
export { placeOf, platformCredentials } from './platform/place.ts';
export { openPlatform, type Platform } from './platform/platform.ts';
export { someAtATime } from './platform/some-at-a-time.ts';
export type { AgentReads } from './receiver/reads.ts';
export { type Receiver, type ReceiverOptions, type SeenSpan, startReceiver } from './receiver/receiver.ts';
export { star } from './receiver/star.ts';
export type { SeenTurn } from './receiver/turns.ts';
export { type CountedHabits, habitsOf, RecordedHabits, type TracingHabits, turnHabits } from './waiting/habits.ts';
export type { ReviseOptions, TraceSource, WaitOptions } from './waiting/source.ts';
