import path from 'node:path';
import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { planBaselines } from '../../src/job/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REFUND = 'examples/support-agent/live/small-refund.session.json';

/** Which tools are asked about before pins are replayed. */
async function askedAbout(change: Partial<Config>, pin = REFUND): Promise<readonly string[]> {
  const config = { ...(await loadConfig({ cwd: ROOT })), ...change };
  const { plan, tools } = await planBaselines(config, [pin]);
  expect(plan.calls).toBe(config.runs);
  return tools.names;
}

test('before recordings are made, it is asked whether a tool that is declared mutating may act; no calls nothing', async () => {
  expect(await askedAbout({})).toEqual(['refund_order']);
});

test('where no tool is declared, all that the pins call and that are not read-only may write', async () => {
  const { compare } = await loadConfig({ cwd: ROOT });
  const tools = { get_order: { readOnly: true } } as Config['compare']['tools'];
  const asked = await askedAbout({ compare: { ...compare, tools } });
  expect(asked).toContain('refund_order');
  expect(asked).not.toContain('get_order');
});

test('nothing is asked where no pin calls a tool that may write, nor where the recording answers for tools', async () => {
  expect(await askedAbout({}, 'examples/support-agent/live/tent-warranty.session.json')).toEqual([]);
  expect(
    await askedAbout({
      tools: { others: 'recorded', named: { refund_order: 'recorded' }, onMiss: 'error' } as unknown as Config['tools'],
    }),
  ).toEqual([]);
});
