const DECLARED = /^export (?:async )?(?:function\*?|class|const|let|var) (\w+)/gm;
const LISTED = /^(?:export|module\.exports =) \{([^}]{0,2000})\}/gm;
const ASSIGNED = /^(?:module\.)?exports\.(\w+) =/gm;
const FUNCTIONS =
  /\b(?:function\*?|const|let|var) (\w+)(?=[(<]|(?:: ?[^=\n]{0,300})? = (?:async\b|function\b|\(|\w+ =>))/g;

/** Names that a module exports, as far as its text shows them. */
export function exportsOf(text: string): string[] {
  const listed = [...text.matchAll(LISTED)].flatMap(([, names = '']) => names.split(','));
  // `a`, `local as a`, `a: local`
  const named = listed.flatMap((each) => each.split(':')[0]?.trim().split(/\s+/).at(-1) || []);
  const others = [DECLARED, ASSIGNED].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set([...others, ...named])].filter((name) => name !== 'default');
}

/** The one of its functions that seems to take a turn, if it exports any. */
export function turnFunctionOf(text: string): string | undefined {
  const functions = new Set([...text.matchAll(FUNCTIONS)].map(([, name]) => name));
  const exported = exportsOf(text).filter((name) => functions.has(name));
  const byName = [/^takeTurn$/, /turn|message|chat|answer|respond|reply|ask/i, /handle|run|generate|agent/i, /./];
  return byName.flatMap((pattern) => exported.find((name) => pattern.test(name)) ?? [])[0];
}
