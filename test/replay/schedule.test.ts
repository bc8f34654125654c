import { expect, test } from 'vitest';
import type { ReplayCall } from '../../src/replay/index.ts';
import { lanesOf, Schedule, type Slot } from '../../src/replay/schedule.ts';
import fc from '../fast-check.ts';

interface Plan {
  readonly turns: readonly number[];
  readonly runs: number;
  readonly workers: number;
  readonly context: 'recorded' | 'sequence';
}

const plan: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }),
  runs: fc.integer({ min: 1, max: 4 }),
  workers: fc.integer({ min: 1, max: 6 }),
  context: fc.constantFrom('recorded', 'sequence'),
});

interface Event {
  readonly kind: 'sent' | 'over';
  readonly call: ReplayCall;
}

/** Plays a schedule; `pick` decides which of the calls in flight is over next. */
function play(
  { turns, workers, ...settings }: Plan,
  pick: (count: number) => number,
  { isTwice = false } = {},
): { events: Event[]; idle: boolean } {
  const sessions = turns.map((count, index) => ({
    id: `s${index}`,
    turns: Array.from({ length: count }, (_, turn) => ({ turn: turn + 1 })),
  }));
  const schedule = new Schedule(lanesOf(sessions, settings, () => (call) => call));
  const inFlight: Slot<ReplayCall>[] = [];
  const events: Event[] = [];
  const total = turns.reduce((sum, count) => sum + count, 0) * settings.runs;
  let sent = 0;
  let idle = false;
  const toBeAppended: Slot<ReplayCall>[] = [];
  const known = new Set<ReplayCall>();
  for (;;) {
    // Sooner or later, or when there is nothing else to do.
    while (toBeAppended.length > 0 && (inFlight.length === 0 || pick(2) === 0)) {
      const slot = toBeAppended.shift() as Slot<ReplayCall>;
      const again = { ...slot.call };
      known.add(again);
      schedule.append(slot, [again]);
    }
    while (inFlight.length < workers) {
      const slot = schedule.next();
      if (slot === undefined) break;
      sent++;
      inFlight.push(slot);
      events.push({ kind: 'sent', call: slot.call });
    }
    if (inFlight.length < workers && sent < total) idle = true;
    if (inFlight.length === 0 && toBeAppended.length > 0) continue;
    if (inFlight.length === 0) return { events, idle };
    const [slot] = inFlight.splice(pick(inFlight.length), 1) as [Slot<ReplayCall>];
    events.push({ kind: 'over', call: slot.call });
    schedule.release(slot);
    if (isTwice && !known.has(slot.call)) toBeAppended.push(slot);
  }
}

function played(
  check: (plan: Plan, events: readonly Event[], idle: boolean) => void,
  options: { isTwice?: boolean } = {},
): void {
  fc.assert(
    fc.property(plan, fc.infiniteStream(fc.nat()), (plan, picks) => {
      const { events, idle } = play(plan, (count) => picks.next().value % count, options);
      check(plan, events, idle);
    }),
  );
}

const nameOf = ({ session, turn, run }: ReplayCall) => `${session}.${turn}.${run}`;

test('every call is sent exactly once, whatever the context', () => {
  played(({ turns, runs }, events) => {
    const expected = turns.flatMap((count, session) =>
      Array.from({ length: count * runs }, (_, n) => `s${session}.${(n % count) + 1}.${Math.floor(n / count) + 1}`),
    );
    const sent = events.filter(({ kind }) => kind === 'sent').map(({ call }) => nameOf(call));
    expect(sent.sort()).toEqual(expected.sort());
  });
});

/** Most calls that are in flight at once in each group. */
function overlaps(events: readonly Event[], groupOf: (call: ReplayCall) => string): Map<string, number> {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { kind, call } of events) {
    const group = groupOf(call);
    now.set(group, (now.get(group) ?? 0) + (kind === 'sent' ? 1 : -1));
    most.set(group, Math.max(most.get(group) ?? 0, now.get(group)!));
  }
  return most;
}

test('sequence: the turns of one run go one after another', () => {
  played((plan, events) => {
    if (plan.context !== 'sequence') return;
    for (const most of overlaps(events, ({ session, run }) => `${session}.${run}`).values()) expect(most).toBe(1);
  });
});

test('calls that are appended to their rows are sent once each, and beside none of their row', () => {
  played(
    ({ turns, runs, context }, events) => {
      const calls = turns.reduce((sum, count) => sum + count, 0) * runs;
      expect(events.filter(({ kind }) => kind === 'sent')).toHaveLength(2 * calls);
      const rowOf = ({ session, turn, run }: ReplayCall) =>
        context === 'sequence' ? `${session}.${run}` : `${session}.${turn}.${run}`;
      for (const most of overlaps(events, rowOf).values()) expect(most).toBe(1);
    },
    { isTwice: true },
  );
});

test('no worker is idle while calls are left that nothing holds back, and sessions are opened in order', () => {
  played((plan, events, idle) => {
    if (plan.context !== 'recorded') return;
    expect(idle).toBe(false);
    const sessions = events.filter(({ kind }) => kind === 'sent').map(({ call }) => call.session);
    expect(sessions).toEqual([...sessions].sort());
  });
});

test('a million calls are planned without being held', () => {
  const sessions = Array.from({ length: 1_000 }, (_, n) => ({ id: `s${n}`, turns: [{ turn: 1 }] }));
  let open = 0;
  const lanes = lanesOf(sessions, { context: 'recorded', runs: 1_000 }, () => {
    open++;
    return (call: ReplayCall) => call;
  });
  const schedule = new Schedule(lanes);
  for (let call = 0; call < 2_500; call++) schedule.next();
  expect(open).toBe(3);
});
