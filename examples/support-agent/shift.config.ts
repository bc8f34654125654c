import live from './live.config.ts';

/** The same agent with an edited system prompt: beneath all that varies anyway, its behaviour has shifted. */
export default {
  ...live,
  agent: {
    ...live.agent,
    env: { ...live.agent.env, SYSTEM_PROMPT_FILE: 'examples/support-agent/prompts/system-v2.md' },
  },
};
