import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { renderReplayRequest } from '../../src/contract/index.ts';
import { redactRecording } from '../../src/redaction/index.ts';
import { loadPins, recordingOf } from '../../src/session/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { startExample } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function readPins() {
  return loadPins('examples/support-agent/replays/*.session.json', { root });
}

/** What a turn did, step by step, without the ids and times that tools make up; calls of one step have no order. */
function behaviour({ observations, output }: Recording): unknown {
  const tools = observations.filter(({ type }) => type === 'tool');
  const steps = [...Map.groupBy(tools, ({ parentId }) => parentId).values()].map((calls) =>
    calls.map(({ name, input, output, statusMessage }) => withoutIds({ name, input, output, statusMessage })).sort(),
  );
  return { steps, output: withoutIds(output) };
}

function withoutIds(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\b(rf|tk)_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<made up>');
}

test('the example is pinned with sessions of every kind', async () => {
  const { pins, problems } = await readPins();
  expect(problems).toEqual([]);
  expect(pins.length).toBeGreaterThanOrEqual(5);
  const turns = pins.flatMap(({ session }) => session.turns);
  expect(pins.map(({ session }) => session.turns.length)).toContainEqual(expect.toSatisfy((count) => count >= 3));
  expect(pins.every((pin) => pin.turns.every(({ ok }) => ok))).toBe(true);
  const observations = turns.flatMap(({ recorded }) => recorded.observations);
  expect(observations.filter(({ type, level }) => type === 'tool' && level === 'ERROR')).not.toEqual([]);
  const calls = observations.filter(({ type }) => type === 'tool').map(({ parentId }) => parentId);
  expect(new Set(calls).size, 'calls that share a step').toBeLessThan(calls.length);
});

test('replayed all at once, every pinned turn does what was recorded', async () => {
  await using receiver = await startReceiver();
  await using agent = await startExample('support-agent/demo.ts', receiver.environment());
  const { pins } = await readPins();
  const turns = pins.flatMap(({ session }) => session.turns.map((turn, index) => ({ id: session.id, index, turn })));
  const signal = patience();
  const replay = async ({ id, index, turn }: (typeof turns)[number]) => {
    const replayRunId = `pins.${id}.t${index}`;
    const { body, headers } = renderReplayRequest({ ...turn.request, replayRunId, originalSessionId: id });
    const url = `${agent.url}/replay`;
    const responded = fetch(url, { method: 'POST', body: JSON.stringify(body), headers }).then((response) =>
      response.text(),
    );
    const trace = await receiver.waitFor(replayRunId, { signal, responded });
    return { id, index, did: behaviour(redactRecording(recordingOf(trace), { personal: true })) };
  };
  const replayed = await Promise.all(turns.map(replay));
  expect(replayed).toEqual(turns.map(({ id, index, turn }) => ({ id, index, did: behaviour(turn.recorded) })));
});
