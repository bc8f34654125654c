/** One decision of the comparison or of the gate taken in another way: a text in a file of `src/`, and what stands instead. */
export interface Mutant {
  /** What is wrong now, in a few words. */
  readonly name: string;
  /** Relative to `src/`. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export const MUTANTS: readonly Mutant[] = [
  // Verdicts
  mutant(
    'a turn that changed is reproduced',
    'compare/verdict.ts',
    "return settled('changed');",
    "return settled('reproduced');",
  ),
  mutant(
    'a flaky turn is reproduced',
    'compare/verdict.ts',
    "if (originalSeen && clusterSizes.length > 1) return settled('flaky');",
    '',
  ),
  mutant(
    'other words are as recorded',
    'compare/verdict.ts',
    "settled(reworded > 0 ? 'reworded' : 'reproduced')",
    "settled('reproduced')",
  ),
  mutant('a lost run counts as recorded', 'compare/verdict.ts', '(asRecorded === conclusive && lost > 0)', 'false'),
  mutant(
    'nothing is unsettled',
    'compare/verdict.ts',
    'clusterSizes.length === 1 || single / conclusive <= MAX_UNSEEN_SHARE',
    'true',
  ),
  mutant(
    'a session is as its best turn',
    'report/build.ts',
    'verdict.options.find((each)',
    'verdict.options.findLast((each)',
  ),

  // The gate
  mutant('the mildest level decides', 'report/gate.ts', "['error', 'warn', 'off'];", "['off', 'warn', 'error'];"),
  mutant(
    'the gate looks at the first divergence alone',
    'report/gate.ts',
    'explained.flatMap((each) => [each, ...(each?.others ?? [])])',
    '[divergence]',
  ),
  mutant(
    'any share of runs as recorded is enough',
    'report/gate.ts',
    'figures.asRecorded / figures.n >= minAgreement',
    'true',
  ),
  mutant(
    'a doubt passes',
    'report/gate.ts',
    "if (verdict === 'inconclusive' || verdict === 'reworded' || verdict === 'varies') return failOn[verdict];",
    "if (verdict === 'inconclusive' || verdict === 'reworded' || verdict === 'varies') return 'off';",
  ),
  mutant('a run in which nothing was verified passes', 'report/gate.ts', ' || count.verified === 0 ?', ' ?'),
  mutant(
    'causes have no say in the gate',
    'report/gate.ts',
    "failOn.cause[cause?.kind ?? 'unknown'] ?? plain",
    'plain',
  ),

  // What is a divergence at which strictness
  mutant('steps counts as little as behaviour', 'compare/explain/explain.ts', "steps: 'minor',", "steps: 'behaviour',"),
  mutant(
    'behaviour counts as much as steps',
    'compare/explain/explain.ts',
    "behaviour: 'behaviour',\n  outcome",
    "behaviour: 'minor',\n  outcome",
  ),
  mutant(
    'outcome looks at no call',
    'compare/explain/explain.ts',
    "return kind !== 'result' && isMutating(rules, tool);",
    'return false;',
  ),

  // Calls
  mutant(
    'another tool is minor',
    'compare/explain/explain.ts',
    "difference('call-name', 'behaviour',",
    "difference('call-name', 'minor',",
  ),
  mutant(
    'a call more or less is minor',
    'compare/explain/explain.ts',
    "difference(isRetry ? 'call-retry' : kind, 'behaviour',",
    "difference(isRetry ? 'call-retry' : kind, 'minor',",
  ),
  mutant(
    'a repeated call is minor',
    'compare/explain/explain.ts',
    "(isGap ? isAsRecorded : each.kind === 'call-retry') && this.#isIdleRead(each)",
    "(isGap ? isAsRecorded && this.#isIdleRead(each) : each.kind === 'call-retry')",
  ),
  mutant(
    'every tool only informs',
    'compare/explain/explain.ts',
    'if (!this.#context.tools.isInformative(tool)) return false;',
    '',
  ),
  mutant('a read may go in circles', 'compare/explain/explain.ts', 'const MAX_TIMES = 2;', 'const MAX_TIMES = 1_000;'),
  mutant(
    'a dropped read is minor whatever follows',
    'compare/explain/explain.ts',
    '(isGap ? isAsRecorded :',
    '(isGap ? true :',
  ),
  mutant(
    'no read that is dropped is minor',
    'compare/explain/explain.ts',
    "const severity = isRead ? 'minor' : each.severity;",
    'const severity = each.severity;',
  ),
  mutant(
    'order never counts',
    'compare/explain/explain.ts',
    "difference('call-order', matters ? 'behaviour' : 'minor',",
    "difference('call-order', 'minor',",
  ),
  mutant(
    'order always counts',
    'compare/explain/explain.ts',
    "difference('call-order', matters ? 'behaviour' : 'minor',",
    "difference('call-order', 'behaviour',",
  ),
  mutant(
    'writes may change places',
    'compare/explain/explain.ts',
    'if (tools.mayChange(call.name) || tools.mayChange(other.name)) return true;',
    '',
  ),
  mutant(
    'the user has no say in order',
    'compare/explain/explain.ts',
    'if (tools.orderMatters(call.name) || tools.orderMatters(other.name)) return true;',
    '',
  ),
  mutant(
    'no data flows between calls',
    'compare/explain/explain.ts',
    'return flows(call, other) || flows(other, call);',
    'return false;',
  ),
  mutant(
    'calls at once keep their order',
    'compare/values/identities.ts',
    'for (const part of parts) part.sort((a, b) => byCodeUnit(a.sketch, b.sketch) || this.#byUse(a, b));',
    '',
  ),
  mutant(
    'what a tool writes may be in other words',
    'compare/explain/explain.ts',
    "const said = tools.mayChange(a.name) ? undefined : compared(leaf, a.name ?? '');",
    "const said = compared(leaf, a.name ?? '');",
  ),
  mutant(
    'arguments are minor',
    'compare/explain/explain.ts',
    "difference('argument', isMinor ? 'minor' : 'behaviour',",
    "difference('argument', 'minor',",
  ),
  mutant(
    'a reworded search counts',
    'compare/explain/explain.ts',
    'const isMinor = isFree && isSameResult && tools.isInformative(a.name);',
    'const isMinor = false;',
  ),
  mutant(
    'a reworded search is minor whatever it finds',
    'compare/explain/explain.ts',
    'const isMinor = isFree && isSameResult &&',
    'const isMinor = isFree &&',
  ),
  mutant(
    'numbers have to be equal whatever is tolerated',
    'compare/explain/explain.ts',
    'isTolerated: (pointer, x, y) => Math.abs(x - y) <= this.#context.paths.tolerance(a, pointer),',
    'isTolerated: () => false,',
  ),
  mutant(
    'what is ignored is compared',
    'compare/values/paths.ts',
    'if (appliesTo(path, step)) value = without(value, path.keys);',
    'if (appliesTo(path, step)) value = step.value;',
  ),

  // Results, errors, ends
  mutant(
    'another result is minor',
    'compare/explain/explain.ts',
    "difference('result', 'behaviour', a, b, { ...leaf, ...because, ...author })",
    "difference('result', 'minor', a, b, { ...leaf, ...because, ...author })",
  ),
  mutant(
    'a failed call is wording',
    'compare/explain/explain.ts',
    "difference('error', 'behaviour', a, b, { ...values(a.value, b.value), ...because })",
    "difference('error', 'wording', a, b, { ...values(a.value, b.value), ...because })",
  ),
  mutant(
    'a lost answer is wording',
    'compare/explain/explain.ts',
    "difference('end', 'behaviour', a, b, { change:",
    "difference('end', 'wording', a, b, { change:",
  ),
  mutant(
    "a sub-agent's prose is a result",
    'compare/values/keys.ts',
    "return byModel === true && typeof value === 'string';",
    'return false;',
  ),
  mutant(
    'text in the place of data is wording',
    'compare/explain/explain.ts',
    "difference('final-structure', 'behaviour', a, b, { pointer: '',",
    "difference('final-structure', 'wording', a, b, { pointer: '',",
  ),

  // What follows from another result
  mutant(
    'everything follows from another result',
    'compare/explain/downstream.ts',
    'if (this.#news.isEmpty) return false;',
    'return true;',
  ),
  mutant(
    'nothing follows from another result',
    'compare/explain/downstream.ts',
    'if (this.#news.isEmpty) return false;',
    'return false;',
  ),
  mutant(
    'an edited prompt hides behind another result',
    'compare/explain/explain.ts',
    'settled.some(isOfEnvironment) && this.#context.isSameAgent()',
    'settled.some(isOfEnvironment)',
  ),
  mutant(
    'calls that change something follow from a result',
    'compare/explain/downstream.ts',
    'if (this.#tools.mayChange((a ?? b)?.name)) return false;',
    '',
  ),
  mutant('one divergence is told', 'compare/divergence.ts', 'return told.slice(1);', 'return [];'),

  // Tools
  mutant(
    'no name sounds like writing',
    'compare/explain/writing.ts',
    'return !READS.has(first) || named.some((word) => WRITES.has(word));',
    'return false;',
  ),
  mutant(
    'every name sounds like writing',
    'compare/explain/writing.ts',
    'return !READS.has(first) || named.some((word) => WRITES.has(word));',
    'return true;',
  ),
  mutant(
    'critical tools may be reworded',
    'compare/explain/writing.ts',
    'mutating === true || critical === true ||',
    'mutating === true ||',
  ),
  mutant(
    'tools that acknowledge are taken to inform',
    'compare/explain/tool-knowledge.ts',
    "new Set(calls.map((call) => [...news(call)].sort().join('\\0'))).size > 1",
    'true',
  ),

  // Texts
  mutant(
    'a not more says the same',
    'compare/text/rewording.ts',
    'const polarity = polarityDifference(recorded, replayed);',
    'const polarity = undefined;',
  ),
  mutant('one not is as good as two', 'compare/text/forms.ts', '(polarity.get(found) ?? 0) + 1', '1'),
  mutant(
    'numbers, ids and dates say nothing',
    'compare/text/rewording.ts',
    'formDifference(recorded, replayed) ??',
    '',
  ),
  mutant(
    'who does what to whom is all one',
    'compare/text/rewording.ts',
    'exchange(recorded, replayed);',
    'undefined;',
  ),
  mutant(
    'an answer on another topic is in other words',
    'compare/text/rewording.ts',
    'const NOTHING_SHARED = 0.2;',
    'const NOTHING_SHARED = 0;',
  ),
  mutant(
    'no answer is as good as one',
    'compare/text/rewording.ts',
    "if (recorded.isEmpty !== replayed.isEmpty) return { because: 'empty', ...NO_WORDS };",
    "if (recorded.isEmpty !== replayed.isEmpty) return 'same';",
  ),
  mutant(
    'a refusal is an answer',
    'compare/text/rewording.ts',
    'recorded.forms.isRefusal !== replayed.forms.isRefusal;',
    'false;',
  ),
  mutant(
    'names in short answers say nothing',
    'compare/text/rewording.ts',
    'nameDifference(recorded, replayed) ??',
    '',
  ),
  mutant(
    'the one word that differs says nothing',
    'compare/text/rewording.ts',
    'wordDifference(recorded, replayed) ??',
    '',
  ),
  mutant(
    'one place of a short answer says nothing',
    'compare/text/rewording.ts',
    '(isShort ? onePlace(recorded.words, replayed.words) : undefined) ??',
    '',
  ),
  mutant(
    'an answer that is cut off is whole',
    'compare/text/rewording.ts',
    'recorded.endsWithSentence && replayed.isCutOff',
    'false',
  ),
  mutant(
    'a date in the prompt lets anything pass',
    'compare/divergence.ts',
    "cause.kind === 'environment' && cause !== FOLLOWS && !isOutcome && !isOfDay(at, context);",
    'false;',
  ),
  mutant('no answer is short', 'compare/text/text.ts', 'const SHORT_WORDS = 12;', 'const SHORT_WORDS = 0;'),
  mutant('every answer is short', 'compare/text/text.ts', 'const SHORT_WORDS = 12;', 'const SHORT_WORDS = 1_000;'),
  mutant(
    'other words count',
    'compare/explain/explain.ts',
    "return said === 'same' || said === 'reworded' ? 'wording' : 'behaviour';",
    "return said === 'same' ? 'wording' : 'behaviour';",
  ),
  mutant('code is prose', 'compare/text/prose.ts', 'return !FOR_MACHINES.test(', 'return true || !FOR_MACHINES.test('),
  mutant('a word is prose', 'compare/text/prose.ts', 'const PROSE_WORDS = 5;', 'const PROSE_WORDS = 1;'),

  // Ids and times
  mutant(
    'what the model wrote first is renamed',
    'compare/values/names.ts',
    "return kind === 'error' || (kind === 'result' && byModel !== true);",
    'return true;',
  ),
  mutant(
    'generated ids are compared to the letter',
    'compare/values/names.ts',
    "return kind === 'error' || (kind === 'result' && byModel !== true);",
    'return false;',
  ),
  mutant('all generated ids are one', 'compare/values/names.ts', '(this.#counts.get(kind) ?? 0) + 1;', '1;'),
  mutant(
    'any time is of the clock',
    'compare/values/names.ts',
    'return time >= clock.from - CLOCK_SLACK_MS && time <= clock.to + CLOCK_SLACK_MS;',
    'return true;',
  ),
  mutant(
    'ids of the request are renamed',
    'compare/values/names.ts',
    'new Set(tokensIn(asked).map(({ text }) => text));',
    'new Set();',
  ),

  // Several runs and recordings
  mutant(
    'only the original is recorded behaviour',
    'compare/clusters.ts',
    '.find((each) => isNear(each, group));',
    '.find(() => false);',
  ),
  mutant(
    'runs that leave elsewhere count here',
    'compare/divergence.ts',
    'told.leaving.filter(({ place }) => place === own.place)',
    'told.leaving',
  ),

  // Causes
  mutant(
    'no prompt is ever edited',
    'compare/explain/cause.ts',
    'return changes.length === 0 ? undefined : fromChanges(changes);',
    'return undefined;',
  ),
  mutant(
    'another result is of the model',
    'compare/explain/cause.ts',
    'if (isOfEnvironment(this.#at)) return this.#ofResult();',
    '',
  ),
  mutant(
    "the day in a prompt is the agent's",
    'compare/explain/cause.ts',
    "kind: own.length === 0 ? 'environment' : 'agent',",
    "kind: 'agent',",
  ),
  mutant(
    'an input that differs is the same',
    'compare/explain/cause.ts',
    "case 'output': {",
    "case 'output': return this.#ofSameInput(pair);\n      case 'output' as never: {",
  ),

  // What may be ignored
  mutant(
    'whatever varies may be ignored',
    'compare/noise.ts',
    'const isVolatile = isOnlyGenerated && values.size === runs;',
    'const isVolatile = true;',
  ),
  mutant(
    'what writing tools answer may be ignored',
    'compare/noise.ts',
    ' || tools.mayChange(tool)) continue;',
    ') continue;',
  ),
  mutant(
    'a number is generated',
    'compare/noise.ts',
    "if (typeof value !== 'string') return false;",
    "if (typeof value !== 'string') return true;",
  ),

  // Stopping early
  mutant(
    'a pass is certain before all runs are made',
    'compare/early-stop.ts',
    'return worst === mildest ?',
    'return worst === mildest || true ?',
  ),
];

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name, file, from, to };
}
