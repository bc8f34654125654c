export { answerIn } from './answer.ts';
export { conversationIn, madeUpId, requestMessages } from './conversation.ts';
export { converterFor } from './converter.ts';
export { type Generation, generationOf, given, putOut } from './generation.ts';
export type { Item } from './items.ts';
export { type Message, type ToolCall, textOf } from './message.ts';
export { CALL_ID_NAMES } from './names.ts';
export {
  type AgentsItem,
  type AiSdkMessage,
  type AnthropicMessage,
  type GeminiContent,
  type GenkitMessage,
  type LangChainMessage,
  type ResponsesItem,
  toAgentsInput,
  toAnthropicMessages,
  toGeminiContents,
  toGenkitMessages,
  toLangChainMessages,
  toModelMessages,
  toResponsesInput,
} from './out/index.ts';
export { callIdIn, outcomeIn } from './outcome.ts';
export type { Output } from './output.ts';
export { inFull } from './preview.ts';
export type { ReadMessage } from './read.ts';
export { lastUserText, userTextIn } from './user-text.ts';
export { answererOf, type ModelAnswer, type NumberedAnswer } from './wire/index.ts';
export { answerLike, foreignIn, saidWithCalls, sendable, written } from './write.ts';
