import { expect, test } from 'vitest';
import { configOptions, parseConfig, readSetting } from '../../src/config/index.ts';
import { withOptions } from '../../src/config/options.ts';
import { blamingOptions } from '../../src/config/parse.ts';
import { AgentReplayError } from '../../src/errors.ts';
import type { Json } from '../../src/json/index.ts';

const options = configOptions();

test('a setting is an option by the kebab-case of its path, or by one of the short names', () => {
  const flags = Object.fromEntries(options.map(({ path, flag }) => [path, flag]));
  expect(flags).toEqual({
    'agent.command': 'start',
    'agent.url': 'url',
    runs: 'runs',
    maxCalls: 'max-calls',
    maxCost: 'max-cost',
    base: 'base',
    gate: 'gate',
    tools: 'tools',
    shard: 'shard',
    workers: 'workers',
  });
});

test('no two settings have the same option, and each has a description', () => {
  const flags = options.map(({ flag }) => flag);
  expect(new Set(flags).size).toBe(flags.length);
  expect(options.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([]);
});

test('a setting that no flag and no input could give is no option', () => {
  expect(() => configOptions({ runs: 'runs', offline: 'offline' })).toThrow('offline cannot be an option');
});

test.each([
  ['timeouts.call=60000', ['timeouts.call', 60_000]],
  ['agent.wait.status=200,204', ['agent.wait.status', [200, 204]]],
  ['allowEmpty=true', ['allowEmpty', true]],
  ['runs=many', ['runs', 'many']],
  ['failOn.did=changed, varies', ['failOn.did', ['changed', 'varies']]],
  ['tracing=none', ['tracing', 'none']],
  ['agent.env.B=x=y ', ['agent.env.B', 'x=y ']],
  ['agent.env.N=1', ['agent.env.N', '1']],
  ['headers.authorization=Bearer 1, 2', ['headers.authorization', 'Bearer 1, 2']],
  ['compare.ignore=output/a,output/b', ['compare.ignore', ['output/a', 'output/b']]],
  ['compare.ignore=["output/a,b"]', ['compare.ignore', ['output/a,b']]],
  ['compare.tools.refund.mutating=true', ['compare.tools.refund.mutating', true]],
  ['failOn.cause.environment=warn', ['failOn.cause.environment', 'warn']],
  ['no.such=thing', ['no.such', 'thing']],
] as const)('%s is read as its setting is', (text, setting) => {
  expect(readSetting(text)).toEqual(setting);
});

test.each(['runs', '=5'])('%s is no setting', (text) => {
  expect(() => readSetting(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('options win over the file and leave the rest of it alone', () => {
  const written = { runs: 3, agent: { url: 'http://127.0.0.1:1/', timeout: 5 }, tracing: 'embedded' };
  const values = new Map<string, unknown>([
    ['runs', 9],
    ['agent.timeout', 7],
    ['tracing.receiver.port', 4318],
  ]);
  const config = parseConfig(withOptions(written, values), { folder: '/' });
  expect(config).toMatchObject({
    runs: 9,
    agent: { url: 'http://127.0.0.1:1/', timeout: 7 },
    tracing: { source: 'embedded', receiver: { port: 4318 } },
  });
  expect(written).toEqual({ runs: 3, agent: { url: 'http://127.0.0.1:1/', timeout: 5 }, tracing: 'embedded' });
});

test('a part of a setting that is given as a whole is refused, not silently dropped', () => {
  const values = new Map<string, unknown>([['failOn.cause', { environment: 'warn' }]]);
  expect(() => withOptions({ failOn: ['changed'] as never }, values)).toThrow(
    expect.objectContaining({ code: 'USAGE' }),
  );
});

test('a setting that is there by an option alone, and is none, is blamed on the option', () => {
  const given = new Map<string, Json>([['nothing.here', 3]]);
  const wrong = new AgentReplayError('CONFIG_INVALID', 'The configuration is not valid.', {
    evidence: ['nothing: there is no such key'],
    location: { file: 'agent-replay.config.js' },
  });
  const { message, evidence, location } = blamingOptions(wrong, given, (setting) => `--set ${setting}`);
  expect({ message, evidence, location }).toEqual({
    message: 'Options are not valid.',
    evidence: ['--set nothing.here: nothing: there is no such key'],
    location: undefined,
  });
});
