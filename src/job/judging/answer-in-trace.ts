import { asText, isRawNumber, type Json } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';

/**
 * Whether an answer appears anywhere in the trace of its turn. Ignores layout (markup, punctuation, case, blanks), text
 * that an endpoint adds around it, and how tracing split it.
 */
export function isInTrace(answer: Json, trace: Trace): boolean {
  const [said = ''] = leavesOf(answer).sort((a, b) => b.length - a.length);
  // Usually, and cheaply: the root's output is the answer.
  if (leavesOf(trace.output).includes(said)) return true;
  const wanted = lettersOf(said);
  if (wanted === '') return true;
  for (const value of valuesOf(trace)) {
    const leaves = leavesOf(value).map(lettersOf);
    if (leaves.join('').includes(wanted)) return true;
    if (leaves.some((leaf) => leaf.length >= MIN_PART_CHARS && wanted.includes(leaf))) return true;
  }
  return false;
}

/** Shorter texts appear in longer ones by chance. */
const MIN_PART_CHARS = 20;

function* valuesOf({ output, observations }: Trace): Generator<Json | undefined> {
  yield output;
  for (const observation of observations) {
    yield observation.output;
    // The model's input contains what the user said.
    if (observation.type !== 'generation') yield observation.input;
  }
}

/** The texts and numbers in a value. */
function leavesOf(value: Json | undefined): string[] {
  const leaves: string[] = [];
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' || typeof next === 'number' || isRawNumber(next)) leaves.push(asText(next));
    else if (typeof next === 'object' && next !== null) {
      for (const item of Object.values(next).reverse()) pending.push(item as Json);
    }
  }
  return leaves;
}

function lettersOf(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]{1,100}/gu, '');
}
