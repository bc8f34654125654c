/**
 * What a pull request does to the size of the house: `node scripts/rooms.ts COMMIT` compares the product code with that
 * commit, for each room: a module of src/, action or plugin. On a pull request it is a comment, written as the action
 * writes its own; elsewhere it is printed.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { commentOn } from '../action/comment.ts';
import { commentablePullRequest, readEvent } from '../action/event.ts';
import { pageOf } from '../action/pages.ts';
import { digest, reporterIn } from '../action/subject.ts';

const HEADS = ['room', 'characters', 'pairs of folders that import each other', 'named types'];

/** Of each room, and of all: characters of TypeScript and CSS, pairs of folders (by the first of both), named types. */
function countsIn(root: string): Map<string, number[]> {
  const counts = new Map<string, number[]>();
  const imports = new Set<string>();
  const add = (folder: string, added: readonly number[]) => {
    const [top = '', module = ''] = folder.split('/');
    for (const room of ['all', top === 'src' ? module : top])
      counts.set(
        room,
        added.map((each, at) => each + (counts.get(room)?.[at] ?? 0)),
      );
  };
  for (const file of globSync('{src,action,plugin}/**/*.{ts,tsx,css}', { cwd: root })) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const folder = path.dirname(file);
    add(folder, [[...text].length, 0, text.match(/^\s*(?:export )?(?:interface|type) \w+/gm)?.length ?? 0]);
    for (const [, to = ''] of text.matchAll(/from '(\.[^']+)'/g))
      imports.add(`${folder} ${path.join(folder, path.dirname(to))}`);
  }
  // Everything may import src/errors.ts.
  for (const [from = '', to = ''] of [...imports].map((each) => each.split(' ')))
    if (from < to && from !== 'src' && imports.has(`${to} ${from}`)) add(from, [0, 1, 0]);
  return counts;
}

const base = path.join(mkdtempSync(path.join(tmpdir(), 'rooms-')), 'base');
const worktree = (...args: string[]) => execFileSync('git', ['worktree', ...args], { stdio: 'ignore' });
worktree('add', '--detach', base, process.argv[2] ?? 'HEAD');
const [before, after] = [countsIn(base), countsIn('.')];
worktree('remove', '--force', base);

const rows = [...new Set([...after.keys(), ...before.keys()])].map((room) => {
  const told = [0, 1, 2].map((at) => {
    const [was, now] = [before, after].map((counts) => counts.get(room)?.[at] ?? 0) as [number, number];
    const change = was === now ? '' : ` (${(now - was).toLocaleString('en', { signDisplay: 'always' })})`;
    return `${now.toLocaleString('en')}${change}`;
  });
  return [room === '' ? 'src' : room, ...told];
});
const changed = rows.filter(([room, ...told]) => room === 'all' || told.join().includes('('));
const text = markdownTable([HEADS, ...changed], { align: ['l', 'r', 'r', 'r'] });
const title = `${rows[0]?.[1]} characters of product code`;

const { env } = process;
const pull = commentablePullRequest(await readEvent(env));
if (pull === undefined || pull.isFork || !env.GITHUB_TOKEN) console.log(`${title}\n\n${text}`);
else {
  const { repository, number, headSha } = pull;
  const [id, count, attempt] = [env.GITHUB_RUN_ID, env.GITHUB_RUN_NUMBER, env.GITHUB_RUN_ATTEMPT].map(Number);
  const run = { status: 'passed' as const, number: count!, attempt: attempt!, id: id!, sha: headSha.slice(0, 7) };
  const about = { subject: digest('rooms') + digest([]), name: '', legs: 1, ...reporterIn(env) };
  const reportUrl = pageOf(repository, `actions/runs/${id}`);
  const section = { ...about, title, text, headSha, reportUrl, runs: [run] as [typeof run] };
  const signal = AbortSignal.timeout(60_000);
  const { trouble } = await commentOn({ repository, pull: number, section }, { token: env.GITHUB_TOKEN, env, signal });
  if (trouble !== undefined) console.log(`::warning::${trouble}`);
}
