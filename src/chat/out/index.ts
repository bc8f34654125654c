export { type AgentsItem, toAgentsInput } from './agents.ts';
export { type AiSdkMessage, toModelMessages } from './ai-sdk.ts';
export { type AnthropicMessage, toAnthropicMessages } from './anthropic.ts';
export { type GeminiContent, toGeminiContents } from './gemini.ts';
export { type GenkitMessage, toGenkitMessages } from './genkit.ts';
export { type LangChainMessage, toLangChainMessages } from './langchain.ts';
export { type ResponsesItem, toResponsesInput } from './responses.ts';
