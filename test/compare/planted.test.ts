import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Difference } from '../../src/compare/index.ts';
import type { Step } from '../../src/compare/shapes/step.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { EVERY, sampler } from '../sample.ts';
import { observationsOf, outputOf } from '../tau/conversation.ts';
import { readTrials } from '../tau/trials.ts';
import { compare } from './agents.ts';

const PINS = path.join(import.meta.dirname, '../../examples/support-agent/replays');

function recordings(): { name: string; recording: Recording }[] {
  const solved = readTrials()
    // Every third task: enough for hundreds of changes.
    .filter(({ task, trial }) => trial === 0 && task % 3 === 0)
    .map((trial) => ({
      name: `airline ${trial.task}`,
      recording: { observations: observationsOf(trial), output: outputOf(trial) },
    }));
  const pinned = readdirSync(PINS).flatMap((file) => {
    const { turns } = JSON.parse(readFileSync(path.join(PINS, file), 'utf8')) as { turns: { recorded: Recording }[] };
    return turns.map(({ recorded }, index) => ({ name: `${file} ${index + 1}`, recording: recorded }));
  });
  return [...solved, ...pinned];
}

/** Call n of a recording: what carried it out, and the model's answer that asked for it. */
interface Asked {
  readonly tool: Observation;
  readonly generation: Observation;
  readonly call: JsonObject;
  readonly calls: Json[];
}

/** All calls of a copy, in order. The model asks in the shape of OpenAI or in parts. */
function callsIn({ observations }: Recording): Asked[] {
  const free = new Set(observations.filter(({ type }) => type === 'tool'));
  return observations
    .filter(({ type }) => type === 'generation')
    .flatMap((generation) => {
      const [message] = [generation.output].flat() as JsonObject[];
      const calls = (message?.tool_calls ?? message?.parts ?? []) as Json[];
      return calls.filter(isJsonObject).flatMap((call): Asked[] => {
        const tool = [...free].find(({ callId, startTime }) => callId === call.id && startTime >= generation.startTime);
        if (tool === undefined) return [];
        free.delete(tool);
        return [{ tool, generation, call, calls }];
      });
    });
}

function rename({ tool, call }: Asked, name: string): void {
  tool.name = name;
  (isJsonObject(call.function) ? call.function : call).name = name;
}

function setArgs({ tool, call }: Asked, args: Json): void {
  tool.input = args;
  if (isJsonObject(call.function)) call.function.arguments = JSON.stringify(args);
  else call.arguments = args;
}

type Expected = Partial<Record<keyof Difference, unknown>> & { kind: Difference['kind'] };
/** Plants a change at call n of a copy. @returns what is to be found; undefined when there is nothing to be changed so */
type Plant = (copy: Recording, asked: readonly Asked[], n: number) => Expected | undefined;

const at = (asked: readonly Asked[], n: number): Asked => asked[n] as Asked;
const argsOf = ({ tool }: Asked): JsonObject => (isJsonObject(tool.input) ? tool.input : {});

const PLANTS: Record<string, Plant> = {
  'another tool'(_, asked, n) {
    rename(at(asked, n), 'another_tool');
    return { kind: 'call-name', replayed: 'another_tool' };
  },
  'another value'(_, asked, n) {
    const args = argsOf(at(asked, n));
    const [key, value] = Object.entries(args).find(([, each]) => typeof each !== 'object') ?? [];
    if (key === undefined || value === undefined) return undefined;
    const other = typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${value} 7431`;
    setArgs(at(asked, n), { ...args, [key]: other });
    return { kind: 'argument', change: 'value', pointer: `/${key}`, recorded: value, replayed: other };
  },
  'an argument more'(_, asked, n) {
    setArgs(at(asked, n), { ...argsOf(at(asked, n)), more: true });
    return { kind: 'argument', change: 'added', pointer: '/more', replayed: true };
  },
  'an argument less'(_, asked, n) {
    const [key, ...rest] = Object.keys(argsOf(at(asked, n)));
    if (key === undefined) return undefined;
    setArgs(at(asked, n), Object.fromEntries(rest.map((each) => [each, argsOf(at(asked, n))[each] as Json])));
    return { kind: 'argument', change: 'removed', pointer: `/${key}` };
  },
  'another type'(_, asked, n) {
    const [key, value] = Object.entries(argsOf(at(asked, n)))[0] ?? [];
    if (key === undefined || value === undefined) return undefined;
    setArgs(at(asked, n), { ...argsOf(at(asked, n)), [key]: [value] });
    return { kind: 'argument', change: 'type', pointer: `/${key}` };
  },
  'a call less'(copy, asked, n) {
    const { tool, call, calls } = at(asked, n);
    if (isRepeated(asked, n)) return undefined;
    copy.observations.splice(copy.observations.indexOf(tool), 1);
    calls.splice(calls.indexOf(call), 1);
    return { kind: 'call-missing', tool: tool.name };
  },
  'a call more'(copy, asked, n) {
    const { tool, call, calls } = at(asked, n);
    const more = structuredClone({ tool, call });
    copy.observations.splice(copy.observations.indexOf(tool), 0, more.tool);
    calls.splice(calls.indexOf(call), 0, more.call);
    more.tool.id = 'one-more';
    more.tool.output = 'done';
    more.tool.callId = 'call_one_more';
    more.call.id = 'call_one_more';
    rename({ ...more, generation: tool, calls }, 'a_tool_more');
    return { kind: 'call-extra', tool: 'a_tool_more' };
  },
  'another result'(_, asked, n) {
    const { tool } = at(asked, n);
    if (tool.level === 'ERROR') return undefined;
    tool.output = isJsonObject(tool.output) ? { ...tool.output, more: 1 } : `another: ${JSON.stringify(tool.output)}`;
    return { kind: 'result' };
  },
};

function isRepeated(asked: readonly Asked[], n: number): boolean {
  const same = (a: Asked | undefined, b: Asked | undefined) =>
    a?.tool.name === b?.tool.name && JSON.stringify(a?.tool.input) === JSON.stringify(b?.tool.input);
  return same(asked[n], asked[n + 1]) || same(asked[n], asked[n - 1]);
}

function isParallel(asked: readonly Asked[], n: number): boolean {
  return asked.some(({ generation }, index) => index !== n && generation === asked[n]?.generation);
}

/** Numbers of the steps of a call and of what it came to. */
function placesOf(steps: readonly Step[], { tool }: Asked): { call: number; result: number } {
  const [call, result] = steps.flatMap(({ observationId }, index) => (observationId === tool.id ? [index + 1] : []));
  return { call: call ?? 0, result: result ?? 0 };
}

let planted = 0;

test.each(Object.entries(PLANTS))('%s, at each call of each recorded run: found there, as that', (_, plant) => {
  const isTried = sampler();
  for (const { name, recording } of recordings()) {
    const { steps } = trajectoryOf(recording);
    const originals = callsIn(recording);
    for (const n of originals.keys()) {
      if (!isTried()) continue;
      const copy = structuredClone(recording);
      const expected = plant(copy, callsIn(copy), n);
      if (expected === undefined) continue;
      const { divergence } = compare(recording, copy, { strictness: 'steps' });
      const { call, result } = placesOf(steps, at(originals, n));
      const step = expected.kind === 'result' ? result : call;
      expect(divergence, `${name}, call ${n + 1}`).toMatchObject({
        ...expected,
        ...(expected.kind === 'call-extra' ? {} : { recordedStep: step }),
        // Among parallel calls the replay has it where it comes by what it says.
        ...(expected.kind === 'call-missing' || isParallel(originals, n) ? {} : { replayedStep: step }),
      });
      planted++;
    }
  }
});

test('two calls of a run in another order: found where they are, as that', () => {
  const isTried = sampler();
  for (const { name, recording } of recordings()) {
    const { steps } = trajectoryOf(recording);
    const originals = callsIn(recording);
    for (const n of originals.keys()) {
      if (!isTried()) continue;
      const copy = structuredClone(recording);
      const [a, b] = [callsIn(copy)[n], callsIn(copy)[n + 1]];
      if (a === undefined || b === undefined || isRepeated(originals, n) || a.generation === b.generation) continue;
      const [first, second] = [structuredClone(a.tool), structuredClone(b.tool)];
      for (const [one, other] of [
        [a, second],
        [b, first],
      ] as const) {
        rename(one, other.name);
        setArgs(one, other.input ?? null);
        for (const key of ['output', 'level', 'statusMessage'] as const) {
          if (other[key] === undefined) delete one.tool[key];
          else Object.assign(one.tool, { [key]: other[key] });
        }
      }
      const { divergence } = compare(recording, copy, { strictness: 'steps' });
      const places = [at(originals, n), at(originals, n + 1)].map((each) => placesOf(steps, each).call);
      expect(divergence?.kind, `${name}, calls ${n + 1} and ${n + 2}`).toBe('call-order');
      expect(places).toContain(divergence?.recordedStep);
      planted++;
    }
  }
});

test('another number in the answer: found there', () => {
  for (const { name, recording } of recordings()) {
    if (typeof recording.output !== 'string') continue;
    // The number of an item in a list is layout.
    const output = recording.output.replace(/(?<=[a-z$(#] ?)\d/, (digit) => String((Number(digit) + 1) % 10));
    if (output === recording.output) continue;
    const copy: Recording = { ...recording, output };
    expect(compare(recording, copy).divergence, name).toMatchObject({ kind: 'final-text', severity: 'behaviour' });
    planted++;
  }
});

test('hundreds of changes were planted', () => {
  expect(planted).toBeGreaterThan(500 / EVERY);
});

test('a run whose ids, times, order of arrival and layout of arguments are others is as recorded', () => {
  for (const { name, recording } of recordings()) {
    const copy = structuredClone(recording);
    for (const each of callsIn(copy)) {
      if (isJsonObject(each.call.function)) {
        each.call.function.arguments = JSON.stringify(each.tool.input, null, 3);
      }
    }
    for (const each of copy.observations) {
      each.id = `x${each.id}`;
      if (each.parentId !== null) each.parentId = `x${each.parentId}`;
      each.startTime = later(each.startTime);
      if (each.endTime !== null) each.endTime = later(each.endTime);
    }
    copy.observations.reverse();
    expect(compare(recording, copy, { strictness: 'exact', identities: 'literal' }).verdict, name).toBe(
      outcomes.asRecorded,
    );
  }
});

function later(time: string): string {
  return new Date(Date.parse(time) + 86_400_000).toISOString();
}
