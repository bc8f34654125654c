import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { type ProjectOptions, projectWith } from './project.ts';

/** From so many pins on there is a lock. */
const MANY = 200;

const sessions = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${String(index).padStart(3, '0')}`, 'a']));

/** A project in which one session was replayed otherwise, and accepted. */
async function accepted(options: ProjectOptions) {
  const project = await projectWith({ ...options, config: { runs: 1 } });
  const cwd = project.path;
  const changed = path.join(cwd, 'replays/s000.session.json');
  await writeFile(
    changed,
    (await readFile(changed, 'utf8')).replaceAll('"a"', '"b"').replace('"input":"b"', '"input":"a"'),
  );
  await command(['run', 'replays/s000.session.json'], { cwd });
  const { stdout } = await command(['accept', '--force'], { cwd });
  expect(stdout).toContain('written replays/s000.session.json');
  return project;
}

test('accept and pin keep pins.lock where there are many pins; a shard reads only its own, and a conflict heals itself', async () => {
  await using project = await accepted({ sessions: sessions(MANY) });
  const cwd = project.path;
  const lock = path.join(cwd, 'pins.lock');
  const whole = await readFile(lock, 'utf8');
  expect(whole.trimEnd().split('\n')).toHaveLength(1 + 1 + MANY);
  const planned = async (index: number, ...args: string[]) => {
    const shard = ['--shard', `${index}/4`];
    const { code, stdout, stderr } = await command(['run', '--dry-run', ...shard, ...args], { cwd });
    return { code, told: `${stdout}${stderr}`, pins: stdout.match(/^replays\/\S+(?=:)/gm) ?? [] };
  };
  const shards = await Promise.all([1, 2, 3, 4].map((index) => planned(index)));
  expect(shards.flatMap(({ pins }) => pins).sort()).toHaveLength(MANY);
  expect(shards.map(({ told }) => told).join()).not.toContain('pins.lock');

  // Without a lock they are divided alike, though all pins are read.
  await rm(lock);
  expect((await planned(1)).pins).toEqual(shards[0]?.pins);

  // What a shard does not read it cannot complain about: it reads its own pins, and none of the others.
  await writeFile(lock, whole);
  const others = shards.flatMap(({ pins }, index) => (index === 1 ? [] : pins.map((file) => path.join(cwd, file))));
  const texts = await Promise.all(others.map((file) => readFile(file, 'utf8')));
  await Promise.all(others.map((file, index) => writeFile(file, texts[index]?.replace('{', '[') ?? '')));
  expect(await planned(2)).toMatchObject({ code: 0, pins: shards[1]?.pins });
  expect((await planned(1)).told).toContain('PIN_INVALID');
  await Promise.all(others.map((file, index) => writeFile(file, texts[index] ?? '')));
  // What it knows of all of them is a short line of each.
  expect(whole.length / MANY).toBeLessThan(500);

  // A pin that was changed by hand is replayed as it is, and its shard says so.
  const [broken = ''] = shards[0]?.pins ?? [];
  const text = await readFile(path.join(cwd, broken), 'utf8');
  await writeFile(path.join(cwd, broken), `${text}\n`);
  expect((await planned(1)).told).toContain('1 pin is not as in pins.lock: pin, accept and record keep it');
  // Whether it is chosen is asked of what it holds now.
  await writeFile(path.join(cwd, broken), text.replace('"id"', '"title": "Refund a lamp", "id"'));
  expect(await planned(1, '--grep', 'refund a lamp')).toMatchObject({ code: 0, pins: [broken] });
  await writeFile(path.join(cwd, broken), text);

  // Another turn, or another recording, would change what is tested of all: others plan without it, so nothing is replayed.
  const pin = JSON.parse(text);
  await writeFile(path.join(cwd, broken), JSON.stringify({ ...pin, turns: [...pin.turns, ...pin.turns] }));
  const otherwise = await planned(1);
  expect(otherwise.code).toBe(2);
  expect(otherwise.told).toContain('Pins have changed since pins.lock was written');
  expect(otherwise.told).toContain(broken);
  await rm(lock);
  expect(await planned(1)).toMatchObject({ code: 0 });
  await writeFile(lock, whole);
  await writeFile(path.join(cwd, broken), text);

  // A file that it does not know is read by all, one that is gone is missed by none.
  await writeFile(path.join(cwd, 'replays/new.session.json'), text.replace(/"id":\s*"[^"]+"/, '"id": "new"'));
  await rm(path.join(cwd, broken));
  const anew = await Promise.all([1, 2, 3, 4].map((index) => planned(index)));
  const files = anew.flatMap(({ pins }) => pins);
  expect(files).toHaveLength(MANY);
  expect(files).toContain('replays/new.session.json');
  // Two pins of one session are told, also if the lock knows one of them.
  await writeFile(path.join(cwd, 'replays/again.session.json'), texts[1] ?? '');
  expect((await planned(1)).told).toContain('PIN_DUPLICATE');
  for (const name of ['new', 'again']) await rm(path.join(cwd, `replays/${name}.session.json`));
  await writeFile(path.join(cwd, broken), text);

  // As git leaves it after two branches have changed one pin: both lines are in doubt, and the file is read.
  const line = whole.split('\n').find((each) => each.includes(`\t${broken}\t`)) as string;
  const other = line.replace(/\w{8}(?=\w{56})/, '00000000');
  await writeFile(lock, whole.replace(line, `<<<<<<< HEAD\n${line}\n=======\n${other}\n>>>>>>> branch`));
  const during = await planned(1);
  expect(during).toMatchObject({ code: 0, pins: shards[0]?.pins });
  expect(during.told).toContain('1 pin is not as in pins.lock');
  await command(['accept', '--force'], { cwd });
  expect(await readFile(lock, 'utf8')).toBe(whole);

  // How an agent varies is asked of all pins, and stands in the lock, too.
  const [often = ''] = shards[1]?.pins ?? [];
  await command(['pin', often, '--runs', '5', '--yes'], { cwd });
  const lines = (await readFile(lock, 'utf8')).split('\n');
  const [, steady] = lines.find((each) => each.includes('"steady":true'))?.split('\t') ?? [];
  expect(lines.filter((each) => each.endsWith(`\t${steady}`))).toEqual([expect.stringContaining(`\t${often}\t`)]);
  const told = await Promise.all([1, 2, 3, 4].map((index) => planned(index)));
  expect(told.map(({ told }) => told.includes('the agent is steady'))).toEqual(
    told.map(({ pins }) => pins.some((file) => file === often)),
  );
  expect(told.map(({ told }) => told).join()).not.toContain('pins.lock');
});

test('a project with fewer pins has no pins.lock', async () => {
  await using project = await accepted({ sessions: sessions(3) });
  expect(await readdir(project.path)).not.toContain('pins.lock');
});
