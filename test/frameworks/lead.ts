import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { command, type Finished, start } from '../cli/command.ts';
import { causesIn } from './causes-in.ts';
import type { ModelServer } from './model-server.ts';

/** An agent's project, installed, and how its user goes about it. */
export interface Led {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
  /** The file with the prompt, from the project's root. */
  readonly prompt: string;
  /** Options of `init`. */
  readonly init: readonly string[];
  /** Options of `doctor`. */
  readonly doctor: readonly string[];
  /** Warnings of `doctor` that are right: a line of each. */
  readonly mayWarn: RegExp;
  /** Asks the questions one after the other, as the agent's users do. */
  converse(address: string, questions: readonly string[]): Promise<void>;
  /** Commands that start it besides the one that `init` has written. */
  readonly alsoStarted: readonly string[];
  /** Environments of the agent in which the model's part is measured, of a recording made in each. */
  readonly forked: readonly Readonly<Record<string, string>>[];
}

/** Another result of a tool. */
export const OTHER_AMOUNT = ['--set', 'agent.env.SHOP_AMOUNT=130'];

/**
 * The whole way of a user: init, doctor, record, and runs that are unchanged, with an edited prompt, with a model's noise, with
 * another result of a tool.
 */
export async function leadTheWholeWay(led: Led): Promise<void> {
  await setUp(led);
  await recordTwoTurns(led);
  for (const started of [[], ...led.alsoStarted.map((command) => ['--start', command])]) {
    const unchanged = await replayed(led, 'run', ...started);
    expect(unchanged.stdout).toContain('1 of 1 session as recorded');
    expect(unchanged.code, unchanged.stdout).toBe(0);
  }
  await tellCauses(led);
  for (const env of led.forked) await measureModel({ ...led, env: { ...led.env, ...env } });
}

const PIN = 'replays/refund.session.json';

/** The client of the agent's SDK takes the recorded answers before a step, and the model's own from there on. */
async function measureModel(led: Led): Promise<void> {
  rmSync(path.join(led.folder, PIN));
  await recordTwoTurns(led);
  const measured = async (...args: string[]) => {
    const forked = await replayed(led, 'fork', PIN, '--turn', '2', ...args, '--json');
    expect(forked.code, forked.stdout + forked.stderr).toBe(0);
    return JSON.parse(forked.stdout);
  };
  expect(await measured('--step', '3', '--runs', '4')).toMatchObject({ of: 4, asRecorded: 4, answered: 1 });
  led.model.isNoisy = true;
  expect(await measured('--step', '1', '--runs', '6')).toMatchObject({ of: 6, asRecorded: 3, answered: 0 });
  led.model.isNoisy = false;
}

function replayed({ folder, env }: Led, ...args: string[]): Promise<Finished> {
  return command(args, { cwd: folder, env });
}

async function setUp(led: Led): Promise<void> {
  const set = await replayed(led, 'init', '--yes', '--agent-id', 'shop', ...led.init);
  expect(set.code, set.stdout + set.stderr).toBe(0);
  const doctor = await replayed(
    led,
    'doctor',
    ...led.doctor,
    '--question',
    'Where is order 7?',
    '--question',
    'Hello?',
  );
  const findings = doctor.stdout.split('\n').filter((line) => /^[✘?!]/.test(line) && !led.mayWarn.test(line));
  expect(findings, doctor.stdout).toEqual([]);
  expect(doctor.code, doctor.stdout).toBe(0);
}

async function recordTwoTurns(led: Led): Promise<void> {
  await recordTurns(led, ['Where is order 7?', 'Refund it.']);
}

/** A session in which these questions were asked. */
export async function recordTurns(
  { folder, env, converse }: Pick<Led, 'folder' | 'env' | 'converse'>,
  questions: readonly string[],
): Promise<void> {
  const turns = String(questions.length);
  const recording = start(['record', '--turns', turns, '--name', 'refund', '--agent-id', 'shop'], {
    cwd: folder,
    env: { ...env, PORT: String(await freePort()) },
  });
  const [, address = ''] = await recording.printed(/the agent listens on (\S+)\n/);
  await converse(address, questions);
  const recorded = await recording.finished;
  expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0);
  expect(recorded.stdout + recorded.stderr).not.toContain('TRACE_UNREAD');
}

async function tellCauses(led: Led): Promise<void> {
  const { folder, prompt, model } = led;
  const run = async (...args: string[]) => causesIn(await replayed(led, 'run', ...args), folder);
  const file = path.join(folder, prompt);
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, source.replace('up to 200 EUR', 'up to 100 EUR'));
  const edited = await run();
  expect(edited).toMatchObject({ code: 1, causes: ['agent'] });
  expect(edited.stdout).toContain('one edit: system prompt, line 2');
  writeFileSync(file, source);

  model.isNoisy = true;
  expect(await run()).toMatchObject({ code: 1, causes: ['model'] });
  model.isNoisy = false;

  expect(await run(...OTHER_AMOUNT)).toMatchObject({ code: 1, causes: ['environment'] });
}
