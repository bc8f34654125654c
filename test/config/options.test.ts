import { expect, test } from 'vitest';
import { type ConfigOption, configOptions, parseConfig, readOption, withOptions } from '../../src/config/index.ts';

const options = configOptions();
const byPath = (path: string) => options.find((option) => option.path === path) as ConfigOption;

test('a setting is an option by the kebab-case of its path, or by one of the short names', () => {
  const flags = Object.fromEntries(options.map(({ path, flag }) => [path, flag]));
  expect(flags).toMatchObject({
    'agent.command': 'start',
    'agent.url': 'url',
    'agent.timeout': 'agent-timeout',
    'agent.reuseExistingServer': 'agent-reuse-existing-server',
    runs: 'runs',
    maxCalls: 'max-calls',
    'timeouts.call': 'timeouts-call',
    'compare.strictness': 'strictness',
    failOn: 'fail-on',
    minAgreement: 'min-agreement',
    tracing: 'tracing',
    'tracing.receiver.port': 'tracing-receiver-port',
  });
});

test('no two settings have the same option, and each has a description', () => {
  const flags = options.map(({ flag }) => flag);
  expect(new Set(flags).size).toBe(flags.length);
  expect(options.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([]);
});

test('choices of a setting are those of the schema', () => {
  expect(byPath('compare.strictness').choices).toEqual(['exact', 'wording', 'steps', 'behaviour', 'outcome']);
  expect(byPath('tracing').choices).toEqual(['embedded', 'platform', 'phoenix', 'none']);
});

test('the text of an option is read as what its setting is', () => {
  expect(readOption(byPath('runs'), '12')).toBe(12);
  expect(readOption(byPath('failOn'), 'changed, flaky')).toEqual(['changed', 'flaky']);
  expect(readOption(byPath('agent.env'), ['A=1', 'B=x=y'])).toEqual({ A: '1', B: 'x=y' });
  expect(readOption(byPath('allowEmpty'), true)).toBe(true);
  expect(() => readOption(byPath('runs'), 'many')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  expect(() => readOption(byPath('agent.env'), ['A'])).toThrow(expect.objectContaining({ code: 'USAGE' }));
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
  expect(() => withOptions({ failOn: ['changed'] }, values)).toThrow(expect.objectContaining({ code: 'USAGE' }));
});
