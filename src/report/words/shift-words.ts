import { type RunShift, type TurnShift, textOfP } from '../../shift/index.ts';
import { counted, firstOf, percent } from '../../text/index.ts';
import { ownResult } from '../build.ts';
import { acceptCommand, recordCommand } from '../commands.ts';
import type { BaseResult, Blame, Report, SessionResult, TurnResult } from '../schema.ts';
import { costLines } from './cost-words.ts';
import { driftLines } from './drift-words.ts';
import { nameOfPin, outcomesIn } from './words.ts';

/** What a run was judged by, with all its figures. */
export function gateLines(report: Report): string[] {
  return [...gateFirst(report), ...gateFigures(report)];
}

/** What one must know to read the rows: the gate, or what another would say, the base, what decides nothing. */
export function gateFirst({ evidence, results: { gates, shift, base, sessions } }: Report): string[] {
  // Offline each run follows another recorded path.
  const isNamed = gates !== undefined || (base?.sessions ?? 0) > 0 || evidence.offline;
  return [
    ...(base === undefined ? [] : baseLines(base, sessions)),
    ...(gates === undefined ? [] : [`Gate: ${gates}`]),
    ...(isNamed ? [] : variesLine(sessions)),
    ...(shift === undefined ? [] : reachOf(shift, sessions)),
    ...copiesLine(sessions),
    ...sessions.flatMap((session) => quarantineLine(session)),
  ];
}

/** The figures behind the verdict. */
export function gateFigures({ results, evidence }: Report): string[] {
  const { shift, judge, sessions } = results;
  return [
    ...(shift === undefined ? [] : shift.suites.flatMap((suite) => suiteLine(suite, results.untold))),
    ...ownLines(sessions),
    ...(judge === undefined ? [] : [judgeLine(judge)]),
    ...costLines(results),
    ...driftLines(results),
    ...ageOf(sessions, evidence.startedAt),
    ...(shift === undefined ? [] : [...seenLine(shift), ...partNote(shift)]),
  ];
}

/** An agent whose replays disagree in a larger share of its sessions varies. */
const VARYING_SHARE = 0.1;

/** What the other gate would say of an agent that varies, and has too few recordings for it. */
function variesLine(sessions: readonly SessionResult[]): string[] {
  const judged = sessions.filter(
    ({ turns, quarantine, gate, own }) =>
      (quarantine ?? gate ?? own?.gate) === undefined && turns.some(({ comparison }) => comparison.conclusive > 1),
  );
  const alike = judged.filter(({ turns }) => turns.every(({ comparison }) => comparison.figures.behaviours <= 1));
  if (judged.length - alike.length <= VARYING_SHARE * judged.length) return [];
  return [
    `The runs of ${judged.length - alike.length} of ${counted(judged.length, 'session')} differ from each other. Judged by what it did alone, as with five recordings of each (gate: shift): ${outcomesIn('did', judged)}. To keep these runs as recordings: ${acceptCommand('--as-recordings')}, no new call.`,
  ];
}

function quarantineLine({ pin, quarantine }: SessionResult): string[] {
  return quarantine === undefined
    ? []
    : [`Quarantined until ${quarantine.until}: ${nameOfPin(pin)} (${quarantine.why}).`];
}

/** Further names in one line are counted. */
const NAMED = 5;

/** `Own settings: runs 20, strictness exact: refund-abroad, refund-eu.` */
function ownLines(sessions: readonly SessionResult[]): string[] {
  const alike = Map.groupBy(sessions, ({ own }) => (own === undefined ? '' : ownWords(own)));
  return [...alike].flatMap(([words, of]) => {
    if (words === '') return [];
    return [`Own settings: ${words}: ${firstOf(of, NAMED, ({ pin }) => nameOfPin(pin)).join(', ')}.`];
  });
}

/** `Copies of recordings count once: 9 in refund-abroad.` */
function copiesLine(sessions: readonly SessionResult[]): string[] {
  const found = sessions.filter(({ copies }) => copies !== undefined);
  const named = firstOf(found, NAMED, ({ copies, pin }) => `${copies} in ${nameOfPin(pin)}`, 'more sessions');
  return found.length === 0 ? [] : [`Copies of recordings count once: ${named.join(', ')}.`];
}

/** {@link ownWords} of a session's own settings in the configuration. */
export function ownSettingsWords(own: Parameters<typeof ownResult>[0]): string {
  return ownWords(ownResult(own));
}

/** `runs 20, gate every-run, fails on did changed and said changed`: a session's own settings. */
function ownWords({ runs, gate, strictness, failOn, tools }: NonNullable<SessionResult['own']>): string {
  return [
    ...(runs === undefined ? [] : [`runs ${runs}`]),
    ...(gate === undefined ? [] : [`gate ${gate}`]),
    ...(strictness === undefined ? [] : [`strictness ${strictness}`]),
    ...(failOn === undefined ? [] : [failOn.length === 0 ? 'fails on nothing' : `fails on ${failOn.join(' and ')}`]),
    ...(tools === undefined ? [] : [`tools ${tools}`]),
  ].join(', ');
}

/** `Judge m-1: of 5 texts in other words 3 mean the same, 1 something else, 1 could not tell.` */
function judgeLine({ version, same, different, unsure }: NonNullable<Report['results']['judge']>): string {
  const asked = counted(same + different + unsure, 'text');
  return `Judge ${version}: of ${asked} in other words ${same} the same, ${different} different, ${unsure} could not tell.`;
}

const COMMIT_CHARS = 12;

/** Who made the difference, in one sentence. */
const BLAME: Readonly<Record<Blame, string>> = {
  neither: 'neither this change nor the world: nothing has shifted',
  change: 'this change did it: it does not do what the base does',
  world: 'the world did it: the base no longer behaves as recorded, and this change does what the base does',
  both: 'both: this change does not do what the base does, and the base no longer behaves as recorded',
  open: 'unclear: runs are not as recorded, and no test says whether this change did it or the world',
};

/** Begins with the reason why there is no base, if there is none. */
function baseLines(base: BaseResult, all: readonly SessionResult[]): string[] {
  const { blame, sessions, drifted, driftedSuites } = base;
  const missing = withoutBaseLines(base);
  if (sessions === 0) return missing;
  const what = blame === null ? '' : `: ${BLAME[blame]}`;
  const pins = new Map(all.map(({ id, pin }) => [id, pin]));
  const world = [
    ...firstOf(drifted, NAMED, ({ id, what }) => `${nameOfPin(pins.get(id) ?? id)} (${what})`, 'more sessions'),
    ...driftedSuites.map((suite) => `all sessions${whose(suite)} together, p = ${textOfP(suite.p)}`),
  ];
  return [
    ...missing,
    `Base: ${counted(sessions, 'session')} against ${nameOf(base)}, side by side${what}.`,
    ...(world.length === 0 ? [] : [`The base no longer behaves as recorded: ${world.join('; ')}.`]),
  ];
}

/** Why sessions are judged by their recordings, though a base was asked for. */
export function withoutBaseLines(base: BaseResult | undefined): string[] {
  return (base?.without ?? []).map(
    (each) => `Judged by the recordings${whose(each)}, without the base ${nameOf(base as BaseResult)}: ${each.reason}.`,
  );
}

function nameOf({ ref, commit }: BaseResult): string {
  return commit === undefined || ref === commit ? ref : `${ref} (${commit.slice(0, COMMIT_CHARS)})`;
}

function whose({ agentId }: { agentId?: string }): string {
  return agentId === undefined ? '' : ` of ${agentId}`;
}

const DAY_MS = 86_400_000;

/** `Recordings: of 2026-05-03, 12 days old; models: m-1.` */
function ageOf(sessions: readonly SessionResult[], startedAt: string): string[] {
  const known = sessions.flatMap(({ recordings }) => recordings ?? []);
  if (known.length === 0) return [];
  const times = known.flatMap(({ oldest, newest }) => [Date.parse(oldest), Date.parse(newest)]);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const days = Math.max(0, Math.floor((Date.parse(startedAt) - from) / DAY_MS));
  const when = day(from) === day(to) ? `of ${day(from)}` : `of ${day(from)} to ${day(to)}`;
  const age = days === 0 ? 'made today' : `${counted(days, 'day')} old`;
  const models = [...new Set(known.flatMap((each) => each.models))].sort();
  return [`Recordings: ${when}, ${age}${models.length === 0 ? '' : `; models: ${models.join(', ')}`}.`];
}

function reachOf({ reach, recordings, varying }: RunShift, sessions: readonly SessionResult[]): string[] {
  if (reach === null) return [];
  const { least, needed, recordings: enough } = reach;
  const why = `the least is ${textOfP(least)}, and with ${counted(varying, 'turn')} that ${varying === 1 ? 'varies' : 'vary'} ${textOfP(needed)} is needed`;
  const tested = sessions.filter(({ turns }) => turns.some(({ shift }) => shift !== undefined));
  const next =
    enough === undefined
      ? 'Several that have changed can'
      : `Record at least ${enough}: ${recordCommand(tested, ['--more'], Math.max(2, enough - recordings))}`;
  return [`With ${counted(recordings, 'recording')} no turn can be red by its p alone: ${why}. ${next}.`];
}

/** @param untold sessions of missing shards */
function suiteLine(suite: RunShift['suites'][number], untold = 0): string[] {
  const { state, p, shift, turns, varying, speaks, against } = suite;
  if (state !== 'shifted' && (turns < 2 || varying === 0)) return [];
  const reference = against === 'base' ? 'those of the base' : 'the recordings';
  const who = `All sessions${whose(suite)}${untold === 0 ? '' : ' in these shards'} together`;
  const size =
    shift === null ? '' : `, ${Math.round(shift * 100)} % further from ${reference} than these are from each other`;
  switch (state) {
    case 'as-before':
      return [`${who}: as before (p = ${textOfP(p)}).`];
    case 'too-small':
      return [`${who}: a shift too small to matter (p = ${textOfP(p)}${size}).`];
    case 'shifted':
      return [`${who} have shifted in ${CHANNEL_NAMES[speaks]}: p = ${textOfP(p)}${size}.`];
  }
}

/** What green means. */
function seenLine({ wouldSee }: RunShift): string[] {
  if (wouldSee === undefined) return [];
  const { share, found, of } = wouldSee;
  return [
    `Smaller changes can pass unseen: a call that is missing in ${percent(share)} of the runs of one turn is found in ${found} of ${of} simulated runs.`,
  ];
}

function partNote({ isPart, bySession }: RunShift): string[] {
  if (bySession) return ['Each session was tested by itself: `agent-replay run` tests all of them together, too.'];
  return isPart ? ['`agent-replay merge`, which has all parts, decides what has shifted by its p.'] : [];
}

/** What runs are compared by, for people. */
const CHANNEL_NAMES: Readonly<Record<NonNullable<TurnShift['speaks']>, string>> = {
  calls: 'the calls',
  tools: 'which tools are called',
  arguments: 'what tools are given',
  answer: 'the answers',
  words: 'words of the answers',
};

export function shiftStory({ shift, events = [], comparison }: TurnResult): string[] {
  const told = events.map(({ sentence, fails }) => (fails ? sentence : `alarm: ${sentence}`));
  if (shift === undefined || !isTold(shift)) return told;
  // A short note has already said it.
  const separation = shift.separation.filter((sentence) => !comparison.note?.includes(sentence));
  return [...told, ...separation];
}

/** The groups may differ. */
function isTold({ state }: TurnShift): boolean {
  return state === 'shifted' || state === 'may-have-shifted';
}
