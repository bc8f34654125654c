import { createHash, randomUUID } from 'node:crypto';

/** A status, what is answered with it, and of a list how many entries there are in all. */
export type Answer = readonly [status: number, body?: unknown, total?: number];

type Files = ReadonlyMap<string, string>;

const NOT_FOUND: Answer = [404, { message: 'Not Found' }];

/** Branches, commits and trees of one repository, as far as files can be written through the API. */
export class GitStore {
  readonly #trees = new Map<string, Files>();
  readonly #commits = new Map<string, { readonly tree: string; readonly parents: readonly string[] }>();
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

  /** What somebody else pushes. */
  commit(branch: string, files: Readonly<Record<string, string>>): void {
    const parent = this.#branches.get(branch);
    const tree = this.#addTree(new Map([...(this.filesOf(branch) ?? []), ...Object.entries(files)]));
    this.#branches.set(branch, this.#addCommit(tree, parent === undefined ? [] : [parent]));
  }

  readRef(ref: string): Answer {
    const sha = this.#branches.get(ref.replace(/^heads\//, ''));
    return sha === undefined ? NOT_FOUND : [200, { ref: `refs/${ref}`, object: { type: 'commit', sha } }];
  }

  readFile(path: string, commit: string): Answer {
    const text = this.#filesAt(commit)?.get(path);
    if (text === undefined) return NOT_FOUND;
    return [200, { type: 'file', encoding: 'base64', content: Buffer.from(text).toString('base64') }];
  }

  createTree({ base_tree: base, tree }: { base_tree?: string; tree: { path: string; content: string }[] }): Answer {
    const known = base === undefined ? new Map() : (this.#trees.get(base) ?? this.#filesAt(base));
    if (known === undefined) return NOT_FOUND;
    const files = new Map([...known, ...tree.map(({ path, content }) => [path, content] as const)]);
    return [201, { sha: this.#addTree(files) }];
  }

  createCommit({ tree, parents = [] }: { tree: string; parents?: string[] }): Answer {
    return this.#trees.has(tree) ? [201, { sha: this.#addCommit(tree, parents) }] : NOT_FOUND;
  }

  createRef({ ref, sha }: { ref: string; sha: string }): Answer {
    const branch = ref.replace(/^refs\/heads\//, '');
    if (this.#branches.has(branch)) return [422, { message: 'Reference already exists' }];
    this.#branches.set(branch, sha);
    return [201, { ref, object: { sha } }];
  }

  /** Forward only. */
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

  #addCommit(tree: string, parents: readonly string[]): string {
    const sha = shaOf(randomUUID());
    this.#commits.set(sha, { tree, parents });
    return sha;
  }
}

function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
