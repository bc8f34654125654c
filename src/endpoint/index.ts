import { giveBackZod } from '../json/index.ts';

export { ToolNotReplayed } from '../ask/index.ts';
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
} from '../chat/index.ts';
export type { SentMessage as Message } from '../contract/index.ts';
export {
  type Endpoint,
  type EndpointOptions,
  type ReplayHandler,
  replayEndpoint,
  type TurnAnswer,
} from './endpoint.ts';
export { fastifyHandler, nodeHandler } from './node.ts';
export { type NamedTool, type ReplayableTool, type ReplayToolsOptions, replayTools } from './tools/replay-tools.ts';
export { aiSdkTelemetry, replaySpanProcessor, traceAttributes } from './tracing.ts';
export type { ReplayTurn } from './turn.ts';

// The agent that imports this makes schemas of its own.
giveBackZod();
