import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, pointerPart } from '../../src/json/index.ts';
import { loadPins, recordingOf } from '../../src/session/index.ts';
import type { Observation } from '../../src/trace/index.ts';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { startProgram } from '../programs.ts';
import { projectFolder } from '../session/folder.ts';
import { observationsOf, outputOf, requestOf, sessionIdOf } from './conversation.ts';
import { pinTrials } from './pins.ts';
import { type ExpectedDifference, readExpected, readTrials, TRIALS, type Trial } from './trials.ts';

const trials = readTrials();
const expected = readExpected();

interface Call {
  readonly name: string;
  readonly args: Json | undefined;
}

function callsOf(trial: Trial): Call[] {
  return observationsOf(trial)
    .filter(({ type }) => type === 'tool')
    .map(({ name, input }) => ({ name, args: input }));
}

/** Straight from the definition, so that the data are checked by something simpler than the comparison. */
function firstDifference(a: readonly Call[], b: readonly Call[]): ExpectedDifference | null {
  const index = a.findIndex((call, i) => !isDeepStrictEqual(call, b[i]));
  if (index === -1) return b.length > a.length ? { index: a.length, kind: 'b_extra', paths: [] } : null;
  const [call, other] = [a[index], b[index]];
  if (other === undefined) return { index, kind: 'b_ended', paths: [] };
  if (call?.name !== other.name) return { index, kind: 'name', paths: [] };
  return { index, kind: 'args', paths: differingPaths(call.args, other.args) };
}

function differingPaths(a: Json | undefined, b: Json | undefined): string[] {
  if (isDeepStrictEqual(a, b)) return [];
  const bothObjects = isJsonObject(a) && isJsonObject(b);
  const bothLists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  if (!bothObjects && !bothLists) return [''];
  const [x, y] = [Object(a), Object(b)] as [Record<string, Json>, Record<string, Json>];
  const keys = [...new Set([...Object.keys(x), ...Object.keys(y)])];
  return keys.flatMap((key) => differingPaths(x[key], y[key]).map((rest) => pointerPart(key) + rest));
}

function trialsOf(task: number): Trial[] {
  return trials.filter((trial) => trial.task === task);
}

test('the trajectories hold the calls of all 200 recorded runs', () => {
  const counts = expected.map(({ task_id }) => trialsOf(task_id).map((trial) => callsOf(trial).length));
  expect(counts).toEqual(expected.map(({ n_calls }) => n_calls));
  expect(trials).toHaveLength(200);
});

test('the first difference of all 150 pairs, and the clusters of all 50 tasks, are the expected ones', () => {
  for (const task of expected) {
    const calls = trialsOf(task.task_id).map(callsOf);
    for (const [trial, difference] of Object.entries(task.first_diff_vs_trial0)) {
      const found = firstDifference(calls[0] ?? [], calls[Number(trial)] ?? []);
      const known = difference && { index: difference.index, kind: difference.kind, paths: difference.paths };
      expect(found && { ...found, paths: [...found.paths].sort() }, `task ${task.task_id}, trial ${trial}`).toEqual(
        known && { ...known, paths: [...known.paths].sort() },
      );
    }
    const clusters = Object.values(Object.groupBy(calls.keys(), (trial) => JSON.stringify(calls[trial])));
    expect(new Set(clusters.map(String))).toEqual(new Set(task.trajectory_clusters.map(String)));
  }
});

test('trial 0 of every task is a pin: one turn that starts with what the user said', async () => {
  await using project = await projectFolder();
  await pinTrials(trials, { root: project.root, dir: 'replays' });
  const { pins, problems } = await loadPins('replays/*.session.json', { root: project.root });
  expect(problems).toEqual([]);
  expect(pins).toHaveLength(50);
  for (const trial of trials.filter((each) => each.trial === 0)) {
    const pin = pins.find(({ session }) => session.id === sessionIdOf(trial.task));
    expect(pin?.turns).toEqual([{ ok: true }]);
    const [asked] = requestOf(trial).filter(({ role }) => role === 'user');
    expect(pin?.session.turns[0]?.request).toEqual({
      messages: [asked],
      input: asked?.content,
      shape: 'chat',
      model: 'gpt-4o',
      includesPriorContext: false,
    });
    expect(pin?.session.turns[0]?.recorded.observations).toEqual(observationsOf(trial));
  }
});

test('the server plays trial k as run k, and its traces arrive as they were recorded', async () => {
  await using receiver = await startReceiver();
  await using server = await startServer(receiver);
  const played = trials.filter(({ task }) => task < 10);
  await Promise.all(
    played.map(async (trial) => {
      const first = played.find(({ task, trial: k }) => task === trial.task && k === 0) as Trial;
      const user = requestOf(first).filter(({ role }) => role === 'user');
      const runId = `test.t1.r${trial.trial === 0 ? TRIALS : trial.trial}`;
      const replayRunId =
        trial.trial === 2 ? `${sessionIdOf(trial.task)}-${runId}.a2` : `${sessionIdOf(trial.task)}-${runId}`;
      const replay = {
        messages: user,
        is_replay: true,
        svc_replay_run_id: replayRunId,
        svc_original_session_id: sessionIdOf(trial.task),
      };
      const [response, trace] = await Promise.all([
        fetch(`${server.url}/replay`, { method: 'POST', body: JSON.stringify(replay) }),
        receiver.waitFor(replayRunId, { signal: patience() }),
      ]);
      expect(await response.json()).toMatchObject({ svc_replay_run_id: replayRunId, output: outputOf(trial) });
      expect(trace.metadata).toMatchObject({ svc_replay_run_id: replayRunId, agent_id: 'tau-airline' });
      const recording = recordingOf(trace);
      expect(recording.output).toBe(outputOf(trial));
      expect(recording.observations.map(behaviour)).toEqual(
        observationsOf(trial, { request: requestOf(first) }).map(behaviour),
      );
      const ids = new Set(recording.observations.map(({ parentId }) => parentId));
      expect(ids).toEqual(new Set([null, recording.observations[0]?.id]));
    }),
  );
});

function behaviour({ type, name, input, output, callId, model }: Observation) {
  return { type, name, input, output, callId, model };
}

async function startServer(receiver: Receiver) {
  const server = await startProgram([path.join(import.meta.dirname, 'server.ts')], {
    ...process.env,
    ...receiver.environment(),
    PORT: '0',
  });
  return { ...server, url: server.line.replace('listening on ', '') };
}
