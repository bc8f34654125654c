export interface AgentFramework {
  /** For people. */
  readonly name: string;
  /**
   * Converts recorded messages for it, from `agent-replay/endpoint` or, in Python, `agent_replay.messages`; undefined
   * if it takes them unchanged.
   */
  readonly converter: string | undefined;
}

interface Known extends AgentFramework {
  readonly packages: readonly string[];
}

/** Frameworks built on others come first: a project on Mastra has the AI SDK too. */
const JAVASCRIPT: readonly Known[] = [
  { name: 'Mastra', packages: ['@mastra/core'], converter: 'toModelMessages' },
  { name: 'OpenAI Agents SDK', packages: ['@openai/agents', '@openai/agents-core'], converter: 'toAgentsInput' },
  {
    name: 'LangGraph',
    packages: ['@langchain/langgraph', 'langchain', '@langchain/core'],
    converter: 'toLangChainMessages',
  },
  { name: 'Genkit', packages: ['genkit'], converter: 'toGenkitMessages' },
  { name: 'AI SDK', packages: ['ai'], converter: 'toModelMessages' },
  { name: 'Anthropic', packages: ['@anthropic-ai/sdk'], converter: 'toAnthropicMessages' },
  { name: 'Gemini', packages: ['@google/genai'], converter: 'toGeminiContents' },
  { name: 'OpenAI', packages: ['openai'], converter: undefined },
];

const PYTHON: readonly Known[] = [
  { name: 'OpenAI Agents SDK', packages: ['openai-agents'], converter: 'to_responses_input' },
  { name: 'LangGraph', packages: ['langgraph', 'langchain', 'langchain-core'], converter: 'to_langchain_messages' },
  { name: 'Pydantic AI', packages: ['pydantic-ai', 'pydantic-ai-slim'], converter: undefined },
  { name: 'Google ADK', packages: ['google-adk'], converter: undefined },
  { name: 'Anthropic', packages: ['anthropic'], converter: 'to_anthropic_messages' },
  { name: 'OpenAI', packages: ['openai'], converter: undefined },
];

/** The framework that a project's dependencies show. */
export function frameworkAmong(
  dependencies: ReadonlySet<string>,
  language: 'javascript' | 'python',
): AgentFramework | undefined {
  const known = language === 'python' ? PYTHON : JAVASCRIPT;
  return known.find(({ packages }) => packages.some((name) => dependencies.has(name)));
}

/** Packages that read a model provider's key, by its variable. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  OPENAI_API_KEY: [
    '@ai-sdk/openai',
    '@langchain/openai',
    '@openai/agents',
    'openai',
    'openai-agents',
    'langchain-openai',
  ],
  ANTHROPIC_API_KEY: [
    '@ai-sdk/anthropic',
    '@langchain/anthropic',
    '@anthropic-ai/sdk',
    'anthropic',
    'langchain-anthropic',
  ],
  GOOGLE_GENERATIVE_AI_API_KEY: ['@ai-sdk/google'],
  GEMINI_API_KEY: ['@google/genai', '@genkit-ai/google-genai', 'google-genai'],
  GOOGLE_API_KEY: ['@langchain/google-genai', 'google-adk', 'langchain-google-genai'],
  MISTRAL_API_KEY: ['@ai-sdk/mistral', '@mistralai/mistralai', '@langchain/mistralai', 'mistralai'],
  GROQ_API_KEY: ['@ai-sdk/groq', 'groq-sdk', '@langchain/groq', 'groq'],
};
/** Only of model providers: other keys would let an agent act. */
const MODEL_KEY =
  /^(?:OPENAI|AZURE_OPENAI|ANTHROPIC|GEMINI|GOOGLE|GOOGLE_GENERATIVE_AI|MISTRAL|GROQ|AI_GATEWAY|OPENROUTER|TOGETHER|FIREWORKS|XAI|DEEPSEEK|COHERE|PERPLEXITY)_API_KEY$/;

/**
 * The variables with the keys of an agent's models.
 * @param named variables in its .env files
 */
export function modelKeysOf(dependencies: ReadonlySet<string>, named: readonly string[]): string[] {
  const said = named.filter((name) => MODEL_KEY.test(name));
  if (said.length > 0) return [...new Set(said)];
  return Object.entries(KEYS).flatMap(([key, packages]) =>
    packages.some((name) => dependencies.has(name)) ? key : [],
  );
}
