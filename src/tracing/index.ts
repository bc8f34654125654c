export { tracesFromOtlp } from './export.ts';
export {
  type Conversation,
  type ConversationQuery,
  findConversations,
  readConversations,
} from './platform/conversations.ts';
export { type Credentials, platformCredentials } from './platform/credentials.ts';
export { openPlatform, type Platform, type PlatformOptions } from './platform/platform.ts';
export { type Receiver, type ReceiverLimits, type ReceiverOptions, startReceiver } from './receiver.ts';
export type { TraceSource } from './source.ts';
