export { tracesFromOtlp } from './export.ts';
export {
  type Conversation,
  findConversations,
  readConversations,
} from './platform/conversations.ts';
export { platformCredentials } from './platform/credentials.ts';
export { openPlatform, type Platform } from './platform/platform.ts';
export { type Receiver, type ReceiverLimits, type ReceiverOptions, startReceiver } from './receiver.ts';
export type { TraceSource } from './source.ts';
