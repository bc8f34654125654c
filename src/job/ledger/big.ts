import type { ReplayResult } from '../../replay/index.ts';

/** Characters from which redacting and comparing a piece may keep a thread busy for long. */
const BIG = 256 * 1024;
/** What a value of an object or a list counts besides its text: many small ones take long, too. */
const NODE = 64;

/** Whether any of these values is big. Looks at no text, and at few thousand nodes at most of each. */
export function isBig(values: readonly unknown[], most: number = BIG): boolean {
  return values.some((value) => {
    let left = most;
    for (const pending = [value]; pending.length > 0 && left >= 0; ) {
      const each = pending.pop();
      left -= NODE + (typeof each === 'string' ? each.length : 0);
      if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) pending.push(part);
    }
    return left < 0;
  });
}

/** Whether an answer or a trace is big. With `AGENT_REPLAY_BIG=0` tests have each one so. */
export function isBigReplay({ outcome, replaced = [] }: ReplayResult): boolean {
  const most = process.env.AGENT_REPLAY_BIG;
  return isBig([outcome, ...replaced.map((each) => each.outcome)], most === undefined ? BIG : Number(most));
}
