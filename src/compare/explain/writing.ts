import type { CompareRules } from '../rules.ts';

/** Verbs that change something wherever they stand in a tool's name. */
const WRITES = words(`
  abort accept acknowledge activate add adjust allocate amend append apply approve assign attach authorise authorize
  ban cancel checkin checkout clear compensate confirm create deactivate decline decrement delete deny deploy detach
  disable dismiss donate edit enable enqueue enrol enroll erase escalate execute extend finalize flush generate
  grant handoff increment initialize insert install invite kill migrate modify move mutate notify overwrite pay
  persist prolong publish purge put rebook reboot redeem refill register reinstate reject remove rename renew
  replace reschedule reserve resize resolve resume retry revert revoke rollback save sell send settle shutdown
  submit subscribe suspend swap terminate toggle unassign unblock uninstall unlock unsubscribe update upload upsert
  void wipe withdraw write`);

/** Words that change something as a verb, and are things elsewhere: `order_pizza` does, `get_order` does not. */
const WRITES_OR_THINGS = words(`
  adjustment alert archive bill block book booking buy call cancellation capture change charge close comment commit
  complete credit debit deletion deposit dispatch downgrade drop email exchange file fire flag fork forward hire
  hold import insertion invoice issue launch lock log mail mark merge message open order page patch pause payment
  payout post print process provision purchase push rate record refund release reply repost request reservation
  reset restart restore return review rotate run scale schedule set share ship sign sms start stop store switch sync
  tag text ticket tip transaction transfer trash trigger upgrade vote`);

/** Verbs of tools that only look. */
const READS = words(`
  browse calculate check compare compute convert count describe detect estimate evaluate explain explore fetch filter find
  get grep has inspect is list load look lookup measure peek ping preview query read recall retrieve scan search see
  show summarize translate validate verify view`);

/**
 * Whether a tool's name says that it changes something. The first verb decides: `get_order` only looks, `order` and
 * `order_status` may not; `find_or_create` changes something for the verb behind it. The only such list: wherever it
 * is decided what is delicate, this decides for tools that are not declared.
 */
export function soundsWriting(tool: string): boolean {
  const named = wordsOf(tool);
  const first = named.find((word) => READS.has(word) || WRITES.has(word) || WRITES_OR_THINGS.has(word));
  if (first === undefined) return false;
  return !READS.has(first) || named.some((word) => WRITES.has(word));
}

/** Whether a tool is declared to change something or to be critical, or its name says so and nobody declared that it only reads. */
export function mayChange({ tools }: Pick<CompareRules, 'tools'>, tool = ''): boolean {
  const { mutating, critical, readOnly } = (Object.hasOwn(tools, tool) && tools[tool]) || {};
  return mutating === true || critical === true || !(readOnly ?? !soundsWriting(tool));
}

/** `mcp__GitHub__createIssue` as mcp, git, hub, create, issue. */
function wordsOf(tool: string): string[] {
  const split = tool.replace(/([a-z\d])([A-Z])/g, '$1_$2').replace(/(?<=[A-Z])[A-Z][a-z]/g, '_$&');
  // Two words that are another verb together.
  const joined = split
    .toLowerCase()
    .replace(/(?<=^|[^a-z])(check|hand|roll|shut)[^a-z]?(in|out|off|back|down)(?![a-z])/g, '$1$2');
  return joined.split(/[^\p{L}]{1,100}/u).filter((word) => word !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
