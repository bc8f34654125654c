import { type CompareRules, declaredRules } from '../shapes/rules.ts';

/** Verbs that mean a change wherever they stand in a tool's name; of German tools, too. */
const WRITES = words(`
  abort accept acknowledge activate add adjust aendern allocate amend anlegen append apply approve assign attach authorise
  authorize ban buchen cancel checkin checkout clear compensate confirm create deactivate decline decrement delete deny deploy detach
  disable dismiss donate edit enable enqueue enrol enroll enter erase erstellen escalate execute extend fill finalize flush generate
  grant handoff increment initialize insert install invite kill loeschen manage migrate modify move mutate notify overwrite pay
  persist prolong provide publish purge put rebook reboot redeem refill register reinstate reject remove rename renew
  replace reschedule reserve resize resolve resume retry revert revoke rollback save sell send senden settle shutdown
  speichern stornieren submit subscribe suspend swap terminate toggle unassign unblock uninstall unlock unsubscribe update upload upsert
  void wipe withdraw write`);

/** Words that mean a change as a verb and are nouns elsewhere: `order_pizza` changes something, `get_order` does not. */
const WRITES_OR_THINGS = words(`
  adjustment alert archive bill block book booking buy call cancellation capture change charge close comment commit
  complete credit debit deletion deposit dispatch downgrade drop email exchange file fire flag fork forward hire
  hold import insertion invoice issue launch lock log mail mark merge message open order page patch pause payment
  payout post print process provision purchase push rate record refund release reply repost request reservation
  reset restart restore return review rotate run scale schedule set share ship sign sms start stop store switch sync
  tag text ticket tip transaction transfer trash trigger upgrade vote`);

/** Verbs of tools that only read. */
const READS = words(`
  abfragen anzeigen auflisten browse calculate check compare compute convert count describe detect discover estimate
  evaluate explain explore fetch filter find finden get grep has inspect is lesen list load look lookup measure peek ping
  preview pruefen query rank read recall rerank retrieve scan search see show suchen summarize translate validate verify
  view`);

/** What a tool without a verb tells, as the last word of its name: `card_status`, `flight_options`. */
const TOLD = words(`
  availability balance catalog catalogue chart details documentation forecast history info information interactions
  logs metadata metrics options overview prices quotes rates schema snapshot statistics stats status summary tree weather`);

/** Of them, verbs of tools that make something new and give it a number. */
const CREATES = words(`
  add book create enqueue enrol enroll file generate import insert install issue launch log open order place post
  publish record register request reserve save schedule send start submit upload`);

/** Verbs of tools to which an empty value may mean that it is cleared. */
const CLEARS = words('change clear edit modify patch put remove replace reset set unset update upsert overwrite');

type Sound = 'reads' | 'writes' | 'unknown';

/**
 * What a tool's name suggests that it does. The first verb decides: `get_order` only reads, but `order` and `order_status`
 * may not; `find_or_create` changes something because of its second verb. This is the only such list: it decides for every
 * tool that is not declared, wherever writes matter.
 */
export function soundOf(tool: string): Sound {
  const named = wordsOf(tool);
  const first = named.find((word) => VERBS.some((verbs) => verbs.has(word)));
  if (first === undefined) return TOLD.has(named.at(-1) ?? '') ? 'reads' : 'unknown';
  return READS.has(first) && !named.some((word) => WRITES.has(word)) ? 'reads' : 'writes';
}

const VERBS = [READS, WRITES, WRITES_OR_THINGS];

/** Whether a tool's name suggests that it makes something new. */
export function creates(tool: string): boolean {
  const first = wordsOf(tool).find((word) => [...VERBS, CREATES].some((verbs) => verbs.has(word)));
  return first !== undefined && CREATES.has(first);
}

/** Whether a tool's name suggests that an empty value clears what was there. */
export function mayClear(tool: string): boolean {
  return wordsOf(tool).some((word) => CLEARS.has(word));
}

/** `mcp__SERVER__`, whose name says nothing about the tool. */
const SERVER = /^mcp__[^_]{1,100}(?:_[^_]{1,100}){0,20}__/;

/** Whether a tool is declared mutating or critical, or its name suggests a change and nobody declared that it only reads. */
export function mayChange({ tools }: Pick<CompareRules, 'tools'>, tool = ''): boolean {
  const { mutating, critical, readOnly } = declaredRules(tools, tool) ?? {};
  return mutating === true || critical === true || !(readOnly ?? soundOf(tool) !== 'writes');
}

/** Whether each letter of a text that a tool is given counts: it is declared critical, or its texts as its effect. */
export function isToTheLetter({ tools }: Pick<CompareRules, 'tools'>, tool = ''): boolean {
  const { critical, prose } = declaredRules(tools, tool) ?? {};
  return critical === true || prose === 'did';
}

/** `mcp__GitHub__createIssue` -> create, issue */
function wordsOf(tool: string): string[] {
  const own = tool.replace(SERVER, '');
  const split = own.replace(/([a-z\d])([A-Z])/g, '$1_$2').replace(/(?<=[A-Z])[A-Z][a-z]/g, '_$&');
  // Two words that together are another verb.
  const joined = split
    .toLowerCase()
    .replace(/(?<=^|[^a-z])(check|hand|roll|shut)[^a-z]?(in|out|off|back|down)(?![a-z])/g, '$1$2');
  return joined.split(/[^\p{L}]{1,100}/u).filter((word) => word !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
