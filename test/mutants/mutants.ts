import type { Change } from './mutate.ts';

/** One decision of the comparison or of the gate taken in another way. */
export interface Mutant {
  /** What is wrong now, in a few words. */
  readonly name: string;
  /** Relative to `src/`. */
  readonly file: string;
  /** A function, a constant or `Class.method` of the file. */
  readonly of: string;
  readonly change: Change;
}

const VERDICT = 'compare/turn-outcome.ts';
const POLICY = 'report/policy.ts';
const EXPLAIN = 'compare/explain/explain.ts';
const MOVES = 'compare/explain/moves.ts';
const DOWNSTREAM = 'compare/explain/downstream.ts';
const CAUSE = 'compare/explain/cause.ts';
const DIVERGENCE = 'compare/divergence.ts';
const WRITING = 'compare/keys/writing.ts';
const NAMES = 'compare/keys/names.ts';
const REWORDING = 'compare/text/other-words.ts';
const SHARED = 'compare/text/shared.ts';
const MADE_ANEW = 'compare/keys/made-anew.ts';
const TEXT = 'compare/text/text.ts';
const PROSE = 'compare/text/prose.ts';
const QUANTITIES = 'compare/text/same-quantities.ts';
const NOISE = 'compare/noise.ts';

export const MUTANTS: readonly Mutant[] = [
  // Verdicts
  mutant('whatever varies has changed', VERDICT, 'aspectOutcome', reads('isShared', 'true')),
  mutant('other words are as recorded', VERDICT, 'aspectOutcome', reads('inOtherWords', '0')),
  mutant('a lost run counts as recorded', VERDICT, 'aspectOutcome', reads('requested', 'conclusive')),
  mutant('no run differs', VERDICT, 'aspectOutcome', reads('runs', '0')),
  mutant(
    'a session is as its best turn',
    'report/build.ts',
    'sessionVerdict',
    returns("verdicts.at(-1) ?? 'as-recorded'"),
  ),

  // The gate
  mutant('the mildest level decides', POLICY, 'HARDEST_FIRST', is("['off', 'warn', 'error']")),
  mutant('the gate looks at the first divergence alone', POLICY, 'levelOf', reads('others', '[]')),
  mutant('any share of runs as recorded is enough', POLICY, 'levelOf', reads('asRecorded', 'figures.n')),
  mutant('a doubt passes', POLICY, 'levelOf', calls('isDoubt', 'false')),
  mutant('a run in which nothing was verified passes', 'report/status.ts', 'statusOf', reads('verified', '1')),
  mutant('causes have no say in the gate', POLICY, 'levelOf', calls('hardest', 'plain')),

  // What is a divergence at which strictness
  mutant('steps counts as little as behaviour', EXPLAIN, 'THRESHOLD', property('steps', "'behaviour'")),
  mutant('behaviour counts as much as steps', EXPLAIN, 'THRESHOLD', property('behaviour', "'minor'")),
  mutant('outcome looks at no call', EXPLAIN, 'isMeaningful', calls('isMutating', 'false')),

  // Calls
  mutant('another tool is minor', EXPLAIN, 'Explainer.#ofCalls', severity('call-name', 'minor')),
  mutant('a call more or less is minor', EXPLAIN, 'Explainer.#ofGap', severity(undefined, 'minor')),
  mutant(
    'a repeated call is minor',
    EXPLAIN,
    'Explainer.#settle',
    calls('#isIdleRead', "each.kind === 'call-retry' || this.#isIdleRead(each)"),
  ),
  mutant('every tool only informs', EXPLAIN, 'Explainer.#isIdleRead', calls('isInformative', 'true')),
  mutant('a read may go in circles', EXPLAIN, 'MAX_TIMES', is('1_000')),
  mutant('a dropped read is minor whatever follows', EXPLAIN, 'Explainer.#settle', reads('isAsRecorded', 'true')),
  mutant('no read that is dropped is minor', EXPLAIN, 'Explainer.#settle', calls('#isIdleRead', 'false')),
  mutant('order never counts', MOVES, 'Moves.difference', reads('matters', 'false')),
  mutant('order always counts', MOVES, 'Moves.difference', reads('matters', 'true')),
  mutant('writes may change places', MOVES, 'Moves.#isTied', calls('effectOf', "'read'")),
  mutant('the user has no say in order', MOVES, 'Moves.#isTied', calls('orderMatters', 'false')),
  mutant('no data flows between calls', MOVES, 'Moves.#isTied', calls('flows', 'false')),
  mutant('calls at once keep their order', 'compare/keys/identities.ts', 'Naming.#groupInOrder', calls('sort', 'part')),
  mutant('what a tool writes may be in other words', EXPLAIN, 'Explainer.#ofArguments', calls('mayChange', 'false')),
  mutant('arguments are minor', EXPLAIN, 'Explainer.#ofArguments', reads('isMinor', 'true')),
  mutant('a reworded search counts', EXPLAIN, 'Explainer.#ofArguments', reads('isMinor', 'false')),
  mutant(
    'a reworded search is minor whatever it finds',
    EXPLAIN,
    'Explainer.#ofArguments',
    reads('isSameResult', 'true'),
  ),
  mutant('numbers have to be equal whatever is tolerated', EXPLAIN, 'Explainer.#leaves', calls('tolerance', '0')),
  mutant('what is ignored is compared', 'compare/values/paths.ts', 'pathRules', calls('without', 'step.value')),
  mutant('what a generator made is told by its looks', 'compare/values/told.ts', 'counterparts', returns('[]')),
  mutant('lists that belong together are apart', 'compare/explain/argument-leaves.ts', 'paired', returns('null')),

  // Results, errors, ends
  mutant('another result is minor', EXPLAIN, 'Explainer.#ofOneOutcome', severity('result', 'minor')),
  mutant('a failed call is wording', EXPLAIN, 'Explainer.#ofOneOutcome', severity('error', 'wording')),
  mutant('a lost answer is wording', EXPLAIN, 'Explainer.#ofFinals', severity('end', 'wording')),
  mutant("a sub-agent's prose is a result", 'compare/keys/keys.ts', 'isReport', returns('false')),
  mutant(
    'text in the place of data is wording',
    EXPLAIN,
    'Explainer.#ofFinals',
    severity('final-structure', 'wording'),
  ),

  // What follows from another result
  mutant('everything follows from another result', DOWNSTREAM, 'Downstream.#follows', returns('true')),
  mutant('nothing follows from another result', DOWNSTREAM, 'Downstream.#follows', returns('false')),
  mutant('an edited prompt hides behind another result', EXPLAIN, 'Explainer.#settle', calls('isSameAgent', 'true')),
  mutant(
    'calls that change something follow from a result',
    DOWNSTREAM,
    'Downstream.#callFollows',
    calls('mayChange', 'false'),
  ),
  mutant('one divergence is told', DIVERGENCE, 'othersBeside', returns('[]')),

  // Tools
  mutant('no name sounds like writing', WRITING, 'soundOf', returns("'reads'")),
  mutant('every name sounds like writing', WRITING, 'soundOf', returns("'writes'")),
  mutant('critical tools may be reworded', WRITING, 'mayChange', reads('critical', 'undefined')),
  mutant(
    'tools that acknowledge are taken to inform',
    'compare/explain/tool-knowledge.ts',
    'learnTools',
    calls('news', '[JSON.stringify(call.args)]'),
  ),

  // Texts
  mutant('a not more says the same', REWORDING, 'compareAsWritten', calls('polarityDifference', 'undefined')),
  mutant('one not is as good as two', 'compare/text/forms.ts', 'polarityIn', calls('get', '0')),
  mutant('numbers, ids and dates say nothing', REWORDING, 'compareAsWritten', calls('formDifference', 'undefined')),
  mutant('whatever is added was given', 'compare/text/given.ts', 'Given.holds', returns('true')),
  mutant('nothing that is added was given', 'compare/text/given.ts', 'Given.holds', returns('false')),
  mutant('whatever is left out was unasked', 'compare/text/given.ts', 'Given.mayBeLeftOut', returns('true')),
  mutant('nothing may be left out', 'compare/text/given.ts', 'Given.mayBeLeftOut', returns('false')),
  mutant('what was given may be said of anything', REWORDING, 'isBesideRecorded', returns('true')),
  mutant('a figure belongs to no label', REWORDING, 'compareAsWritten', calls('otherStatement', 'undefined')),
  mutant('who does what to whom is all one', REWORDING, 'compareAsWritten', calls('exchange', 'undefined')),
  mutant('an answer on another topic is in other words', REWORDING, 'NOTHING_SHARED', is('0')),
  mutant('no answer is as good as one', REWORDING, 'compareAsWritten', reads('isEmpty', 'false')),
  mutant('a refusal is an answer', REWORDING, 'isOneRefusal', returns('false')),
  mutant('what recordings do not share counts', SHARED, 'differsFreely', returns('false')),
  mutant('whatever recordings share is free', SHARED, 'saysWhatAllSay', returns('true')),
  mutant('nothing is made anew without a shape', MADE_ANEW, 'madeAnewIn', returns('[]')),
  mutant('names in short answers say nothing', REWORDING, 'compareAsWritten', calls('nameDifference', 'undefined')),
  mutant('one place of a short answer says nothing', REWORDING, 'compareAsWritten', calls('onePlace', 'undefined')),
  mutant('an answer that is cut off is whole', REWORDING, 'compareAsWritten', reads('isCutOff', 'false')),
  mutant('a date in the prompt lets anything pass', DIVERGENCE, 'withCause', reads('isPartial', 'false')),
  mutant('no answer is short', TEXT, 'SHORT_WORDS', is('0')),
  mutant('every answer is short', TEXT, 'SHORT_WORDS', is('1_000')),
  mutant('other words count', EXPLAIN, 'severityOf', returns("said === 'same' ? 'wording' : 'behaviour'")),
  mutant('a figure in other words is another', REWORDING, 'compareTexts', calls('inWordsOf', 'undefined')),
  mutant('a figure alone is a whole quantity', QUANTITIES, 'MAX_ATOMS', is('1')),
  mutant('no word stands within a quantity', QUANTITIES, 'MAX_WORDS_BETWEEN', is('0')),
  mutant('each letter of a mail counts', WRITING, 'isToTheLetter', returns('true')),
  mutant('a file is written for people', PROSE, 'FOR_MACHINES_IF_WRITTEN', is('new Set()')),
  mutant('code is prose', PROSE, 'mayHoldProse', returns('true')),
  mutant('a word is prose', PROSE, 'PROSE_WORDS', is('1')),

  // Ids and times
  mutant('what the model wrote first is renamed', NAMES, 'isGenerating', returns('true')),
  mutant('generated ids are compared to the letter', NAMES, 'isGenerating', returns('false')),
  mutant('all generated ids are one', NAMES, 'Names.#generated', reads('count', '1')),
  mutant('any time is of the clock', NAMES, 'isClockTime', returns('true')),
  mutant('ids of the request are renamed', NAMES, 'Names.constructor', calls('tokensIn', '[]')),

  // Several runs and recordings
  mutant('only the original is recorded behaviour', 'compare/clusters.ts', 'headOf', calls('find', 'undefined')),
  mutant('runs that leave elsewhere count here', DIVERGENCE, 'keysAt', reads('place', "''")),

  // Causes
  mutant('no prompt is ever edited', CAUSE, 'Finder.#ofOwnInput', returns('undefined')),
  mutant('another result is of the model', CAUSE, 'Finder.cause', calls('isOfEnvironment', 'false')),
  mutant("the day in a prompt is the agent's", CAUSE, 'fromChanges', property('kind', "'agent'")),
  mutant('an input that differs is the same', CAUSE, 'Finder.#ofParting', returns('this.#ofSameInput(pair)')),

  // What may be ignored
  mutant('whatever varies may be ignored', NOISE, 'proposeNoise', reads('isVolatile', 'true')),
  mutant('what writing tools answer may be ignored', NOISE, 'proposeNoise', calls('mayChange', 'false')),
  mutant('a number is generated', NOISE, 'isOfNoOne', returns("typeof value !== 'string' || isGenerated(value)")),
];

function mutant(name: string, file: string, of: string, change: Change): Mutant {
  return { name, file, of, change };
}

function returns(expression: string): Change {
  return { returns: expression };
}

function is(value: string): Change {
  return { is: value };
}

function property(name: string, value: string): Change {
  return { property: name, is: value };
}

function calls(name: string, give: string): Change {
  return { calls: name, give };
}

function reads(name: string, give: string): Change {
  return { reads: name, give };
}

/** How much a difference counts: the second argument of `difference`. */
function severity(kind: string | undefined, instead: 'minor' | 'wording'): Change {
  return { calls: 'difference', ...(kind !== undefined && { first: kind }), argument: 1, is: `'${instead}'` };
}
