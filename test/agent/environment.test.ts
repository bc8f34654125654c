import { expect, test } from 'vitest';
import { agentEnvironment, startAgent } from '../../src/agent/index.ts';
import fc from '../fast-check.ts';
import { freePort, run } from './processes.ts';

const SECRETS = {
  'INPUT_GITHUB-TOKEN': 'canary',
  INPUT_RUNS: 'canary',
  ACTIONS_RUNTIME_TOKEN: 'canary',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'canary',
  STATE_pid: 'canary',
  GITHUB_TOKEN: 'canary',
  GH_TOKEN: 'canary',
  GITHUB_OUTPUT: 'canary',
  GITHUB_ENV: 'canary',
  GITHUB_PATH: 'canary',
  GITHUB_STATE: 'canary',
  GITHUB_STEP_SUMMARY: 'canary',
  GITHUB_ARTIFACTS: 'canary',
  NODE_AUTH_TOKEN: 'canary',
  NPM_TOKEN: 'canary',
  'npm_config_//npm.example/:_authToken': 'canary',
};
const KEPT = {
  RUNNER_TRACKING_ID: 'github_1',
  GITHUB_SHA: 'abc',
  GITHUB_WORKSPACE: '/w',
  OPENAI_API_KEY: 'sk',
  npm_config_cache: '/c',
};

test('fault 68: the environment of a real agent has none of the secrets of the runner, and everything else', async () => {
  Object.assign(process.env, SECRETS, KEPT);
  try {
    const port = await freePort();
    const own = { PORT: `${port}`, GH_TOKEN: 'given on purpose', TRACING_HOST: 'of the user' };
    await using agent = await startAgent(
      { command: run('prints-environment.js'), url: `http://127.0.0.1:${port}/replay`, env: own },
      { env: { TRACING_HOST: 'of ours', TRACING_PUBLIC_KEY: 'pk' } },
    );
    const environment = (await (await fetch(agent.url)).json()) as Record<string, string>;
    expect(Object.entries(environment).filter(([, value]) => value === 'canary')).toEqual([]);
    expect(environment).toMatchObject({ ...KEPT, ...own, TRACING_PUBLIC_KEY: 'pk', PATH: process.env.PATH });
  } finally {
    for (const name of Object.keys({ ...SECRETS, ...KEPT })) delete process.env[name];
  }
});

test('later layers win, whatever they name, and the inputs are left as they are', () => {
  const layer = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...Object.keys(SECRETS))), fc.string());
  fc.assert(
    fc.property(layer, layer, layer, (base, tracing, own) => {
      const before = structuredClone(base);
      const environment = agentEnvironment(base, tracing, undefined, own);
      for (const [name, value] of Object.entries(own)) expect(environment[name]).toBe(value);
      for (const [name, value] of Object.entries(tracing)) {
        if (!Object.hasOwn(own, name)) expect(environment[name]).toBe(value);
      }
      expect(base).toEqual(before);
    }),
  );
});

test('a variable without a value is left out', () => {
  expect(agentEnvironment({ A: '1', B: undefined }, { A: undefined })).toEqual({});
});
