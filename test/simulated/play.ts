/**
 * Plays seeds of simulated bad luck: `node test/simulated/play.ts 17`, or `0-999`, or with one mend taken out
 * `node test/simulated/play.ts 0-999 --without "name"`. Prints each seed that breaks a promise; exit code 1 if one does.
 */
import { registerHooks } from 'node:module';
import { parseArgs } from 'node:util';
import { mutate } from '../mutants/mutate.ts';
import { MENDS } from './mends.ts';
import { World } from './world.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string' }, first: { type: 'boolean' } },
});
const mend = MENDS.find(({ name }) => name === values.without);
if (values.without !== undefined && mend === undefined) throw new Error(`there is no mend ${values.without}`);
const left = new Set(mend?.changes);
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = mend?.changes.filter(([file]) => url.endsWith(`/src/${file}`)) ?? [];
    for (const change of changes) left.delete(change);
    const source = changes.reduce((text, [, of, change]) => mutate(text, of, change), String(loaded.source));
    return changes.length === 0 ? loaded : { ...loaded, source };
  },
});
const world = new World();
world.install();
process.env.GITHUB_SHA = 'simulated';
process.env.GITHUB_REF_NAME = 'simulated';
const { play } = await import('./job.ts');
if (left.size > 0) throw new Error(`not loaded: ${[...left].map(([file]) => file)}`);

const escaped: string[] = [];
process.on('uncaughtException', (error) => escaped.push(`uncaught: ${error.stack}`));
process.on('unhandledRejection', (error) => escaped.push(`unhandled: ${(error as Error)?.stack ?? error}`));
let broken = 0;
const ends: Record<string, number> = {};
for (const range of positionals) {
  const [from, to = from] = range.split('-').map(Number) as [number, number?];
  for (let seed = from; seed <= to; seed++) {
    const { status = 'none', wrong } = await play(world, seed);
    ends[status] = (ends[status] ?? 0) + 1;
    wrong.push(...escaped.splice(0));
    if (wrong.length === 0) continue;
    broken++;
    console.log(`seed ${seed}: ${wrong.join('\n')}`);
    if (values.first === true) process.exit(1);
  }
}
console.log(JSON.stringify(ends));
process.exit(broken === 0 ? 0 : 1);
