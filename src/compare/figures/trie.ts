/**
 * All runs of a turn as paths through one tree of keys. In time linear in the steps it shows where any two runs part, which
 * runs go where, and how many are still on the recorded path.
 */
export interface TrieNode {
  /** Steps before this node. */
  readonly depth: number;
  readonly children: Map<string, TrieNode>;
  /** Numbers of the paths that pass here. */
  readonly paths: number[];
}

export function buildTrie(paths: readonly (readonly string[])[]): TrieNode {
  const root: TrieNode = { depth: 0, children: new Map(), paths: [] };
  for (const [number, keys] of paths.entries()) {
    let node = root;
    node.paths.push(number);
    for (const key of keys) {
      let next = node.children.get(key);
      if (next === undefined) {
        next = { depth: node.depth + 1, children: new Map(), paths: [] };
        node.children.set(key, next);
      }
      next.paths.push(number);
      node = next;
    }
  }
  return root;
}

/** Nodes at which paths part: several ways on, or an end and a way on. Ordered by depth, then by first path. */
export function forksOf(root: TrieNode, lengths: readonly number[]): { node: TrieNode; ended: number[] }[] {
  const forks: { node: TrieNode; ended: number[] }[] = [];
  const pending = [root];
  for (const node of pending) {
    if (node.paths.length < 2) continue;
    const ended = node.paths.filter((path) => lengths[path] === node.depth);
    if (node.children.size + (ended.length > 0 ? 1 : 0) > 1) forks.push({ node, ended });
    pending.push(...node.children.values());
  }
  return forks;
}
