import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { learnedRules } from '../../src/report/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { report, session } from '../report/fixtures/reports.ts';
import { compare, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 2, 3) + ms).toISOString();
let ticks = 0;
function observed(fields: Omit<Observation, 'id' | 'startTime' | 'endTime'>, id = `o${ticks}`): Observation {
  return { id, startTime: at(ticks), endTime: at(ticks++ + 1), ...fields };
}

/** A turn that has a sub-agent look something up. `spoken`: what the sub-agent's model says last. */
function turnOf({
  spoken,
  report = spoken,
  found = 19.5,
  answer = 'My note is done, and you will find all of it in your inbox.',
}: {
  spoken: Json;
  report?: Json;
  found?: Json;
  answer?: string;
}): Recording {
  ticks = 0;
  const asked = (name: string, args: string) => ({
    role: 'assistant',
    tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: args } }],
  });
  const observations = [
    observed({ parentId: null, type: 'agent', name: 'turn' }, 'r'),
    observed({ parentId: 'r', type: 'generation', name: 'chat', output: asked('ask_researcher', '{"about":"rents"}') }),
    observed(
      { parentId: 'r', type: 'tool', name: 'ask_researcher', callId: 'call_ask_researcher', output: report },
      's',
    ),
    observed({ parentId: 's', type: 'generation', name: 'chat', output: asked('search', '{"q":"rents"}') }),
    observed({ parentId: 's', type: 'tool', name: 'search', callId: 'call_search', output: { found } }),
    observed({ parentId: 's', type: 'generation', name: 'chat', output: { role: 'assistant', content: spoken } }),
    observed({ parentId: 'r', type: 'generation', name: 'chat', output: { role: 'assistant', content: answer } }),
  ];
  return { output: answer, observations };
}

function thoughtful(text: string): Json {
  const thought: Json = { type: 'reasoning', text: `${text.length} letters` };
  return [thought, { type: 'text', text }];
}

const RENTS = 'Rents are about 19.50 EUR per square metre, half of what Berlin asks.';
const REWORDED = 'About 19.50 EUR for each square metre: Berlin asks twice as much.';

test.each<[string, (text: string) => Json]>([
  ['as it is', (text) => text],
  ['in a message', (text) => ({ role: 'assistant', content: text })],
  ['in parts, with what it thought', thoughtful],
])('what a sub-agent reports, recorded %s, is a text: another wording is no other result of a tool', (_, shape) => {
  const recorded = turnOf({ spoken: RENTS, report: shape(RENTS) });
  const reworded = turnOf({ spoken: REWORDED, report: shape(REWORDED) });
  const { verdict, clusters } = compare(recorded, reworded);
  expect([outcomes.asRecorded, outcomes.couldNotTell]).toContain(verdict);
  const told = compare(recorded, reworded, { strictness: 'wording' });
  expect(clusters.flatMap(({ differences }) => differences.filter(({ kind }) => kind !== 'text'))).toEqual([]);
  expect(told.divergence).toMatchObject({ kind: 'text', severity: 'wording', tool: 'ask_researcher' });
});

test('what a sub-agent reports is told once, and a report that is missing is another result', () => {
  const recorded = turnOf({ spoken: RENTS });
  const { clusters } = compare(recorded, turnOf({ spoken: REWORDED }), { strictness: 'exact' });
  expect(clusters[1]?.differences.map(({ kind }) => kind)).toEqual(['text']);
  const silent = turnOf({ spoken: RENTS });
  const unreported = silent.observations.map((each) => (each.id === 's' ? { ...each, output: null } : each));
  expect(compare(recorded, { ...silent, observations: unreported }).verdict).toBe(outcomes.changed);
});

test('what the tools of a sub-agent answer is of the environment, and what it calls counts', () => {
  const recorded = turnOf({ spoken: RENTS });
  expect(compare(recorded, turnOf({ spoken: RENTS, found: 29.5 })).divergence).toMatchObject({
    kind: 'result',
    tool: 'search',
    cause: { kind: 'environment' },
  });
});

test('a structured report of a sub-agent counts, and is not of the environment nor learned as noise', () => {
  const structured = (id: string) => turnOf({ spoken: JSON.stringify({ rent: 19.5, note: id }) });
  const [recorded, ...replays] = ['9f86d081', '7f83b165', 'ef2d127d', '2c26b46b'].map(structured);
  const runs = replays.map((recording, index) => ({ run: index + 1, recording }));
  const comparison = compareTurn([recorded as Recording], runs, rules());
  expect(comparison.divergence).toMatchObject({ kind: 'result', tool: 'ask_researcher', pointer: '/note' });
  expect(comparison.divergence?.cause.kind).not.toBe('environment');
  expect(learnedRules(report([session('s', { turns: [{ turn: 1, comparison, failures: [] }] })]))).toEqual([]);
});
