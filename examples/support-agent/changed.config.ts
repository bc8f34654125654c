import demo from '../../agent-replay.config.ts';

/** The same agent with an edited system prompt: it may refund less by itself, and opens tickets instead. */
export default {
  ...demo,
  root: '../..',
  agent: { ...demo.agent, env: { SYSTEM_PROMPT_FILE: 'examples/support-agent/prompts/system-v2.md' } },
};
