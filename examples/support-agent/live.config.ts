import demo from '../../agent-replay.config.ts';

/**
 * An agent that is never twice the same: its model is at a temperature. Its sessions were recorded ten times
 * (`agent-replay pin --runs 10 --config examples/support-agent/live.config.ts examples/support-agent/live/*.session.json`),
 * so that they are judged by whether its behaviour has shifted.
 */
export default {
  ...demo,
  root: '../..',
  sessions: 'examples/support-agent/live/*.session.json',
  agent: { ...demo.agent, env: { TEMPERATURE: '1' } },
};
