import type { TurnRequest } from '../../contract/index.ts';
import { isJsonObject, type Json } from '../../json/index.ts';
import { type CompareRules, orderMatters } from '../rules.ts';
import { isContainer, mapLeaves } from '../values/canonical.ts';
import { moveInTime } from './another-time.ts';
import { type Call, callsOf, messagesIn, type Part, type Script } from './script.ts';
import { mapValues, replaceTokens, tokensIn } from './script-values.ts';

/** A change that must not count, and how to make it. */
export interface Harmless {
  readonly name: string;
  /** Changes a script. @returns false if it contains nothing that can be changed so */
  readonly apply: (script: Script, rules: CompareRules, request: TurnRequest | undefined) => boolean;
}

export const HARMLESS: readonly Harmless[] = [
  { name: 'nothing changed', apply: () => true },
  { name: 'new ids', apply: renewIds },
  { name: 'keys in another order', apply: (script) => mapValues(script, reversedKeys) },
  { name: 'other whitespace', apply: respace },
  { name: 'other Unicode form', apply: decompose },
  { name: 'another time', apply: moveInTime },
  { name: 'parallel calls in another order', apply: reverseParallel },
];

/** Writes values as indented JSON text, and prose in another layout. Errors stay, because they are plain texts. */
function respace(script: Script, { strictness }: CompareRules): boolean {
  return mapValues(script, (value, kind) => {
    if (kind === 'error') return value;
    if (isContainer(value)) return JSON.stringify(value, null, 2);
    return typeof value === 'string' && kind === 'prose' && strictness !== 'exact' ? spaced(value) : value;
  });
}

/** NFD, as some file systems and keyboards write. Under `exact` it is another text. */
function decompose(script: Script, { strictness }: CompareRules): boolean {
  const decomposed = (value: Json) => mapLeaves(value, (text) => text.normalize('NFD'));
  return mapValues(script, (value, kind) => (kind === 'prose' && strictness === 'exact' ? value : decomposed(value)));
}

/** Replaces generated ids, and those of calls and observations, consistently. */
function renewIds(script: Script, rules: CompareRules, request: TurnRequest | undefined): boolean {
  script.ids = 'renewed';
  const calls = callsOf(script.parts);
  const asked = JSON.stringify(request ?? null);
  const callIds = new Set(calls.flatMap(({ callId }) => (callId !== undefined && CALL_ID.test(callId) ? callId : [])));
  const renewed = new Map([...callIds].filter((id) => !asked.includes(id)).map((id) => [id, renewedId(id)]));
  for (const call of calls) call.callId = call.callId && (renewed.get(call.callId) ?? call.callId);
  if (rules.identities === 'literal') return true;
  for (const [id, isGiven] of tokensIn(script, UUID)) {
    if (isGiven && !asked.includes(id)) renewed.set(id, rotatedCharacters(id));
  }
  replaceTokens(script, new RegExp(`${UUID.source}|${CALL_ID_ANYWHERE.source}`, 'gi'), renewed);
  return true;
}

/** Ids as model providers write them. Others may be counters, whose order means something. */
const CALL_ID = /^(?:call|toolu)[_-][A-Za-z0-9]{8,}$/;
const CALL_ID_ANYWHERE = /(?<![\w-])(?:call|toolu)[_-][A-Za-z0-9]{8,}(?![\w-])/;
const UUID = /(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/i;

function renewedId(id: string): string {
  const start = id.search(/[_-]/) + 1;
  return id.slice(0, start) + rotatedCharacters(id.slice(start));
}

/** Another text of the same shape: digits stay digits, hexadecimal letters stay so, and different texts stay different. */
function rotatedCharacters(text: string): string {
  return text.replace(/[0-9a-f]/gi, (character) => {
    const cycle = /\d/.test(character) ? '0123456789' : /[a-f]/.test(character) ? 'abcdef' : 'ABCDEF';
    return cycle[(cycle.indexOf(character) + 1) % cycle.length] as string;
  });
}

/** Reverses parallel calls, which have no order unless the user says so. */
function reverseParallel({ parts }: Script, rules: CompareRules): boolean {
  const isFree = ({ name }: Call) => !orderMatters(rules, name);
  let isChanged = false;
  for (const message of messagesIn(parts)) {
    if (message.calls.length < 2 || !message.calls.every(isFree)) continue;
    message.calls.reverse();
    isChanged = true;
  }
  for (const list of [parts, ...callsOf(parts).map(({ inner }) => inner)])
    isChanged = reverseGroups(list, isFree) || isChanged;
  return isChanged;
}

function reverseGroups(list: Part[], isFree: (call: Call) => boolean): boolean {
  let isChanged = false;
  for (let start = 0, end = 0; start < list.length; start = end) {
    const first = list[start] as Part;
    end = start + 1;
    if (first.kind !== 'call' || first.group === undefined) continue;
    const isOfGroup = (part: Part | undefined) => part?.kind === 'call' && part.group === first.group;
    while (isOfGroup(list[end])) end++;
    const group = list.slice(start, end) as Call[];
    if (group.length < 2 || !group.every(isFree)) continue;
    list.splice(start, group.length, ...group.reverse());
    isChanged = true;
  }
  return isChanged;
}

function reversedKeys(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(reversedKeys);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  if (entries.length === 0) return value;
  return Object.fromEntries(entries.reverse().map(([key, item]) => [key, reversedKeys(item)]));
}

/** The same text in another layout. Inside code every blank has a meaning, so code stays. */
function spaced(text: string): string {
  const wide = text.includes('`') ? text : text.replaceAll(' ', '  ').replaceAll('\n', '\r\n');
  return `\n ${wide} \n`;
}
