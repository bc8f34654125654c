import { AgentReplayError } from '../errors.ts';
import { inLanguage, type Language } from '../files/index.ts';

/** Trouble with single tools, which concerns only sessions that need them. */
export class ToolError extends AgentReplayError {
  readonly tools: readonly string[];

  constructor(tools: readonly string[], ...given: ConstructorParameters<typeof AgentReplayError>) {
    super(...given);
    this.tools = tools;
  }
}

/** Tools that act unasked, or would. */
export function notWrapped(
  tools: readonly string[],
  message: string,
  evidence: readonly string[],
  language: Language | undefined,
): ToolError {
  const place = `where the agent's modules are loaded (docs/tools.md), or set tools.${tools[0]}.replay to live.`;
  const hint = inLanguage(language, {
    javascript: `Wrap it under this name with replayTools ${place}`,
    python: `Wrap it under this name with replay_tool ${place}`,
  });
  return new ToolError(tools, 'TOOL_NOT_WRAPPED', message, { evidence, hint });
}
