const DECLARED = /^export (?:async )?(?:function\*?|class|const|let|var) (\w+)/gm;
const LISTED = /^(?:export|module\.exports =) \{([^}]{0,2000})\}/gm;
const ASSIGNED = /^(?:module\.)?exports\.(\w+) =/gm;
const FUNCTIONS =
  /\b(?:function\*?|const|let|var) (\w+)(?=[(<]|(?:: ?[^=\n]{0,300})? = (?:async\b|function\b|\(|\w+ =>))/g;
const ASYNC = /\basync function\*? (\w+)|\b(\w+)(?:: ?[^=\n]{0,300})? = async\b/g;
const HANDED_ON = /^export \{([^}]{0,2000})\} from\b/gm;

/** Names that a module exports, as far as its text shows them. */
export function exportsOf(text: string): string[] {
  const others = [DECLARED, ASSIGNED].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set([...others, ...listedBy(LISTED, text)])].filter((name) => name !== 'default');
}

function listedBy(pattern: RegExp, text: string): string[] {
  const listed = [...text.matchAll(pattern)].flatMap(([, names = '']) => names.split(','));
  // `a`, `local as a`, `a: local`
  return listed.flatMap((each) => each.split(':')[0]?.trim().split(/\s+/).at(-1) || []);
}

const TURN = /^(?:take|run)Turn$/;
const LIKELY = [/^(?:handle|run)/, /turn|message|chat|answer|respond|reply|ask/i, /handle|run|generate|agent/i];

/** The one of its functions that seems to take a turn, if it exports any. */
export function turnFunctionOf(text: string): string | undefined {
  const functions = new Set([...text.matchAll(FUNCTIONS)].map(([, name]) => name));
  const exported = exportsOf(text).filter((name) => functions.has(name));
  const named = [...exported, ...listedBy(HANDED_ON, text)];
  const isAsync = new Set([...text.matchAll(ASYNC)].map(([, declared, assigned]) => declared ?? assigned));
  const waiting = exported.filter((name) => isAsync.has(name));
  const likely = [waiting, named].flatMap((names) => LIKELY.map((pattern) => names.find((name) => pattern.test(name))));
  return named.find((name) => TURN.test(name)) ?? likely.find((name) => name !== undefined) ?? exported[0];
}
