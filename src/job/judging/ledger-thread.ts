import { parentPort } from 'node:worker_threads';
import { asAgentReplayError } from '../../errors.ts';
import type { FurtherRuns } from '../../replay/index.ts';
import { toProblem } from '../../report/index.ts';
import type { Finding } from './finding.ts';
import { Ledger } from './ledger.ts';
import { type Answered, type Asked, findingIn, read, revived, scopeIn, written } from './ledger-messages.ts';
import type { RunScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';

/** The other half of `LedgerApart`: a ledger in a thread of its own. */
class Answering {
  #ledger: Ledger | undefined;
  /** That the answer is about. */
  #sessions: readonly string[] = [];

  answer(asked: Asked): Answered {
    this.#sessions = [];
    try {
      const value = this.#value(asked);
      return { ...this.#standing(), ...(value !== undefined && { value: written(value) }) };
    } catch (error) {
      return { ...this.#standing(), error: toProblem(asAgentReplayError(error)) };
    }
  }

  #value(asked: Asked): unknown {
    if (asked.do === 'open') return this.#open(asked);
    const ledger = this.#ledger as Ledger;
    switch (asked.do) {
      case 'take': {
        const finding = findingIn(read(asked.finding));
        this.#sessions = [finding.session];
        return ledger.take(finding);
      }
      case 'reopen': {
        const before = read<{ findings: Finding[] } | { lost: object }>(asked.before);
        this.#sessions = [asked.session];
        const known = 'lost' in before ? revived(before.lost) : before.findings.map(findingIn);
        return ledger.reopen(asked.session, known, read<Finding[]>(asked.after).map(findingIn), asked.side);
      }
      case 'secondLooks':
        this.#sessions = asked.sessions;
        return ledger.secondLooks(asked.sessions) satisfies FurtherRuns[];
      case 'isInDoubt':
        return ledger.isInDoubt;
      case 'close': {
        const { reason } = read<{ reason?: object }>(asked.given);
        return ledger.close(reason && revived(reason));
      }
      case 'report':
        return ledger.report(read(asked.given));
      case 'fail': {
        const { error, sessions } = read<{ error: object; sessions: string[] }>(asked.given);
        return ledger.fail(revived(error), sessions);
      }
      case 'questions':
        return ledger.questions();
      case 'judge':
        return ledger.judge(read(asked.given));
      case 'against':
        return ledger.against(read(asked.given));
      case 'withoutBase':
        return ledger.withoutBase(read(asked.given));
      case 'traced':
        return ledger.traced(read(asked.given));
      case 'log':
        return ledger.log(read(asked.given));
    }
  }

  /** @returns whether any session is judged by shift */
  #open({ settings, scope, part }: Extract<Asked, { do: 'open' }>): boolean {
    this.#ledger = new Ledger(read<RunSettings>(settings), scopeIn(read<RunScope>(scope)), part);
    return this.#ledger.hasShift;
  }

  #standing(): Pick<Answered, 'sessions'> {
    return { sessions: this.#sessions.map((id) => [id, this.#ledger?.isOver(id) ?? true] as const) };
  }
}

const answering = new Answering();
parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answering.answer(asked)));
