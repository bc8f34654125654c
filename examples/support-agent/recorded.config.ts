import demo from '../../agent-replay.config.ts';

/** The same agent on an empty shop: the recording answers for its tools, and nothing is refunded. */
export default {
  ...demo,
  root: '../..',
  agent: { ...demo.agent, env: { ORDERS: 'none' }, stdout: 'pipe' },
  tools: { '*': { replay: 'recorded' } },
};
