import demo from '../../agent-replay.config.ts';

/** The same agent with its model at a temperature: what it does is no longer the same from run to run. */
export default { ...demo, root: '../..', agent: { ...demo.agent, env: { TEMPERATURE: '1' } } };
