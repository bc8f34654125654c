import { AgentReplayError } from '../errors.ts';
import { askGit, GitError, type GitOptions, git } from './git.ts';

/** As in git, after a name: the last commit that it shares with the current one. */
const COMMON = '...';
/** How much further a shallow clone is fetched in each step; finally all of it. */
const DEEPER = ['--deepen=64', '--deepen=1024', '--unshallow'];

/**
 * The commit of a name: a branch (local, else remote), a tag, a commit; `main...` is the last commit that `main` shares
 * with HEAD. Fetches what this clone lacks.
 * @throws AgentReplayError `BASE_NOT_FOUND`
 */
export async function findCommit(ref: string, options: GitOptions): Promise<string> {
  const isCommon = ref.endsWith(COMMON);
  const name = isCommon ? ref.slice(0, -COMMON.length) : ref;
  const clone = await cloneAt(options);
  try {
    // Its parts are arguments, too: of origin/-x, git is told to fetch -x.
    if (/(^|\/)-/.test(`${clone.remote}/${name}`))
      throw new GitError(['rev-parse'], [`${name} is an option`], undefined);
    const tip = (await known(name, clone)) ?? (await fetched(name, clone));
    return isCommon ? await commonWith(tip, clone) : tip;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new AgentReplayError('BASE_NOT_FOUND', `The base ${ref} is not in this clone, and could not be fetched.`, {
      evidence: error.said.map((line) => `git: ${line}`),
      hint: `Add "fetch-depth: 0" to the step that checks the repository out, or run "git fetch ${clone.remote} ${clone.short(name)}" before. Check the name, too.`,
      cause: error,
    });
  }
}

interface Clone extends GitOptions {
  readonly remote: string;
  readonly isShallow: boolean;
  /** The remote's name for `origin/main`. */
  short(name: string): string;
}

async function cloneAt(options: GitOptions): Promise<Clone> {
  const remotes = (await askGit(['remote'], options))?.split('\n') ?? [];
  const remote = remotes.includes('origin') ? 'origin' : (remotes[0] ?? 'origin');
  return {
    ...options,
    remote,
    isShallow: (await askGit(['rev-parse', '--is-shallow-repository'], options)) === 'true',
    short: (name) => (name.startsWith(`${remote}/`) ? name.slice(remote.length + 1) : name),
  };
}

/** Where git looks for a name. Of several commits it would take the first, whose name anybody may have pushed. */
const PLACES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

async function known(name: string, clone: Clone): Promise<string | undefined> {
  const commitOf = (one: string) => askGit(['rev-parse', '--verify', '--quiet', `${one}^{commit}`], clone);
  const [plain = ''] = name.split(/[~^]|@\{/);
  const isHash = /^[0-9a-f]{4,39}$/.test(plain);
  const objects = isHash ? ((await askGit(['rev-parse', `--disambiguate=${plain}`], clone))?.split('\n') ?? []) : [];
  const candidates = [...PLACES.map((place) => `${place}${plain}`), ...objects];
  refuseSeveral(name, await Promise.all(candidates.map(async (each) => [each, await commitOf(each)] as const)));
  return (await commitOf(name)) ?? (await commitOf(`refs/remotes/${clone.remote}/${clone.short(name)}`));
}

function refuseSeveral(name: string, found: readonly (readonly [name: string, commit: string | undefined])[]): void {
  const meant = found.filter(([, commit]) => commit !== undefined);
  if (new Set(meant.map(([, commit]) => commit)).size < 2) return;
  throw new AgentReplayError('BASE_NOT_FOUND', `The base ${name} means several commits.`, {
    evidence: meant.map(([each, commit]) => `${each}: ${commit}`),
    hint: 'Give a name that means one of them alone, such as refs/heads/main, or the whole commit.',
  });
}

/** Only a shallow clone stays shallow: existing history must not be cut. */
async function fetched(name: string, clone: Clone): Promise<string> {
  const both = ['refs/heads/', 'refs/tags/'].map((place) => place + clone.short(name));
  const listed = (await git(['ls-remote', clone.remote, ...both], clone)).split('\n').map((line) => line.split('\t'));
  refuseSeveral(
    name,
    listed.flatMap(([commit, ref = '']) => (both.includes(ref) ? [[ref, commit] as const] : [])),
  );
  const depth = clone.isShallow ? ['--depth=1'] : [];
  await git(['fetch', '--quiet', '--no-tags', ...depth, clone.remote, clone.short(name)], clone);
  return git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], clone);
}

async function commonWith(tip: string, clone: Clone): Promise<string> {
  const common = () => askGit(['merge-base', 'HEAD', tip], clone);
  const found = await common();
  if (found !== undefined) return found;
  const head = await git(['rev-parse', 'HEAD'], clone);
  for (const deeper of clone.isShallow ? DEEPER : []) {
    await git(['fetch', '--quiet', '--no-tags', deeper, clone.remote, tip, head], clone);
    const now = await common();
    if (now !== undefined) return now;
  }
  throw new GitError(['merge-base'], [`${tip} and HEAD have no commit in common`], undefined);
}
