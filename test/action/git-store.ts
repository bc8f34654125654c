import { createHash } from 'node:crypto';

/** Status and body of an answer; for a list also the number of all its entries. */
export type Answer = readonly [status: number, body?: unknown, total?: number];

type Files = ReadonlyMap<string, string>;

/** Marks the text of a file as the target of a symbolic link. */
export const LINK = 'link:';

const NOT_FOUND: Answer = [404, { message: 'Not Found' }];

interface StoredCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** A commit, in the form that GraphQL takes. */
export interface BranchCommit {
  readonly branch: { readonly branchName: string };
  readonly expectedHeadOid: string;
  readonly message: { readonly headline: string; readonly body?: string };
  readonly fileChanges: { readonly additions: readonly { readonly path: string; readonly contents: string }[] };
}

/** Branches, commits and trees of one repository, as far as files can be written through the API. */
export class GitStore {
  readonly #trees = new Map<string, Files>();
  readonly #folders = new Map<string, { readonly files: Files; readonly prefix: string }>();
  readonly #blobs = new Map<string, string>();
  readonly #commits = new Map<string, StoredCommit>();
  readonly #branches = new Map<string, string>();

  /** Files at the head of a branch; undefined when there is no such branch. */
  filesOf(branch: string): Files | undefined {
    return this.#filesAt(this.#branches.get(branch));
  }

  /** How many commits led to the head of a branch. */
  depthOf(branch: string): number {
    let depth = 0;
    for (let at = this.#branches.get(branch); at !== undefined; at = this.#commits.get(at)?.parents[0]) depth++;
    return depth;
  }

  headOf(branch: string): string | undefined {
    return this.#branches.get(branch);
  }

  parentOf(branch: string): string | undefined {
    return this.#commits.get(this.#branches.get(branch) ?? '')?.parents[0];
  }

  messageOf(branch: string): string | undefined {
    return this.#commits.get(this.#branches.get(branch) ?? '')?.message;
  }

  /** Pushes as somebody else. A text that begins with `LINK` is the target of a symbolic link. */
  commit(branch: string, files: Readonly<Record<string, string>>, sha = nextSha()): void {
    const parent = this.#branches.get(branch);
    const tree = this.#addTree(new Map([...(this.filesOf(branch) ?? []), ...Object.entries(files)]));
    this.#addCommit(tree, parent === undefined ? [] : [parent], 'x', sha);
    this.#branches.set(branch, sha);
  }

  /** Force-pushes as somebody else. */
  reset(branch: string, sha: string): void {
    this.#branches.set(branch, sha);
  }

  /** One folder: a link is an entry of its own kind, and nothing is below it. */
  readTree(sha: string): Answer {
    const commit = this.#filesAt(sha);
    const { files, prefix } = commit === undefined ? (this.#folders.get(sha) ?? {}) : { files: commit, prefix: '' };
    if (files === undefined || prefix === undefined) return NOT_FOUND;
    const below = [...files].filter(([file]) => file.startsWith(prefix));
    const names = new Set(below.map(([file]) => file.slice(prefix.length).split('/', 1)[0] ?? ''));
    const tree = [...names].map((path) => this.#entry(files, prefix, path));
    return [200, { sha, tree, truncated: false }];
  }

  #entry(files: Files, prefix: string, path: string): object {
    const text = files.get(prefix + path);
    if (text === undefined) {
      const sha = shaOf(JSON.stringify([prefix, path, ...files]));
      this.#folders.set(sha, { files, prefix: `${prefix}${path}/` });
      return { path, mode: '040000', type: 'tree', sha };
    }
    const sha = shaOf(text);
    this.#blobs.set(sha, text);
    return { path, mode: text.startsWith(LINK) ? '120000' : '100644', type: 'blob', sha };
  }

  readBlob(sha: string): Answer {
    const text = this.#blobs.get(sha);
    if (text === undefined) return NOT_FOUND;
    const size = Buffer.byteLength(text);
    return [200, { sha, size, encoding: 'base64', content: Buffer.from(text).toString('base64') }];
  }

  readCommit(sha: string): Answer {
    const commit = this.#commits.get(sha);
    if (commit === undefined) return NOT_FOUND;
    const parents = commit.parents.map((parent) => ({ sha: parent }));
    return [200, { sha, message: commit.message, parents, html_url: urlOf(sha) }];
  }

  /** Compares the head and commits in one step, as GitHub does. */
  commitOnBranch({ branch, expectedHeadOid, message, fileChanges }: BranchCommit): Answer {
    const head = this.#branches.get(branch.branchName);
    if (head === undefined || head !== expectedHeadOid) {
      const said = `Expected branch to point to "${head}" but it did not. Pull and try again.`;
      return [200, { data: { createCommitOnBranch: null }, errors: [{ type: 'STALE_DATA', message: said }] }];
    }
    const files = fileChanges.additions.map(
      ({ path, contents }) => [path, Buffer.from(contents, 'base64').toString()] as const,
    );
    const tree = this.#addTree(new Map([...(this.filesOf(branch.branchName) ?? []), ...files]));
    const text = [message.headline, ...(message.body === undefined ? [] : [message.body])].join('\n\n');
    const oid = this.#addCommit(tree, [head], text);
    this.#branches.set(branch.branchName, oid);
    return [200, { data: { createCommitOnBranch: { commit: { oid, url: urlOf(oid) } } } }];
  }

  readRef(ref: string): Answer {
    const sha = this.#branches.get(ref.replace(/^heads\//, ''));
    return sha === undefined ? NOT_FOUND : [200, { ref: `refs/${ref}`, object: { type: 'commit', sha } }];
  }

  readFile(path: string, commit: string): Answer {
    const text = this.#filesAt(commit)?.get(path);
    if (text === undefined) return NOT_FOUND;
    // Of larger files GitHub returns no content here.
    if (text.length > 2 ** 20) return [200, { type: 'file', encoding: 'none', content: '' }];
    return [200, { type: 'file', encoding: 'base64', content: Buffer.from(text).toString('base64') }];
  }

  createTree({ base_tree: base, tree }: { base_tree?: string; tree: { path: string; content: string }[] }): Answer {
    const known = base === undefined ? new Map() : (this.#trees.get(base) ?? this.#filesAt(base));
    if (known === undefined) return NOT_FOUND;
    const files = new Map([...known, ...tree.map(({ path, content }) => [path, content] as const)]);
    return [201, { sha: this.#addTree(files) }];
  }

  createCommit({ tree, parents = [], message }: { tree: string; parents?: string[]; message: string }): Answer {
    return this.#trees.has(tree) ? [201, { sha: this.#addCommit(tree, parents, message) }] : NOT_FOUND;
  }

  createRef({ ref, sha }: { ref: string; sha: string }): Answer {
    const branch = ref.replace(/^refs\/heads\//, '');
    if (this.#branches.has(branch)) return [422, { message: 'Reference already exists' }];
    this.#branches.set(branch, sha);
    return [201, { ref, object: { sha } }];
  }

  /** Moves a branch forward; refuses anything else. */
  moveRef(ref: string, { sha }: { sha: string }): Answer {
    const branch = ref.replace(/^heads\//, '');
    const isForward = this.#commits.get(sha)?.parents.includes(this.#branches.get(branch) ?? '');
    if (!isForward) return [422, { message: 'Update is not a fast forward' }];
    this.#branches.set(branch, sha);
    return [200, { ref: `refs/${ref}`, object: { sha } }];
  }

  #filesAt(commit: string | undefined): Files | undefined {
    const tree = this.#commits.get(commit ?? '')?.tree;
    return tree === undefined ? undefined : this.#trees.get(tree);
  }

  #addTree(files: Files): string {
    const sha = shaOf(JSON.stringify([...files]));
    this.#trees.set(sha, files);
    return sha;
  }

  #addCommit(tree: string, parents: readonly string[], message: string, sha = nextSha()): string {
    this.#commits.set(sha, { tree, parents, message });
    return sha;
  }
}

function urlOf(sha: string): string {
  return `https://github.com/Codertocat/Hello-World/commit/${sha}`;
}

let commits = 0;

/** Of a commit that is like no other. */
function nextSha(): string {
  return shaOf(`commit ${++commits}`);
}

function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
