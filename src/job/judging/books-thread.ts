import { parentPort } from 'node:worker_threads';
import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { toProblem } from '../../report/index.ts';
import { Books, type BooksOptions } from './books.ts';
import {
  type Answered,
  type Asked,
  findingIn,
  fromText,
  resultIn,
  revived,
  scopeIn,
  type Talk,
  toText,
} from './books-messages.ts';

/** The other half of `BooksApart`: books in a thread of their own. */
class Answering {
  #books: Books | undefined;
  /** That the answer is about. */
  #sessions: readonly string[] = [];
  #notWritten: AgentReplayError | undefined;

  async answer({ to, given }: Asked): Promise<Answered> {
    this.#sessions = [];
    this.#notWritten = undefined;
    try {
      const value = await this.#ways[to](fromText(given));
      return { ...this.#standing(), ...(value !== undefined && { value: toText(value) }) };
    } catch (error) {
      return { ...this.#standing(), error: toProblem(asAgentReplayError(error)) };
    }
  }

  get #open(): Books {
    return this.#books as Books;
  }

  readonly #ways: { readonly [To in keyof Talk]: (given: Talk[To]['given']) => unknown } = {
    open: async (given: BooksOptions) => {
      const options = { ...given, scope: scopeIn(given.scope) };
      this.#books = await Books.open(options, (error) => {
        this.#notWritten = error;
      });
      return this.#books.hasShift;
    },
    secret: (secret) => this.#open.addSecret(secret),
    note: ({ result, side }) => this.#open.note(resultIn(result), side),
    take: ({ call, said }) => {
      this.#sessions = [call.session];
      return this.#open.take(call, said && findingIn(said));
    },
    reopen: ({ calls, said }) => {
      this.#sessions = calls.map(({ session }) => session);
      return this.#open.reopen(
        calls,
        said.map((each) => each && findingIn(each)),
      );
    },
    secondLooks: (sessions) => {
      this.#sessions = sessions;
      return this.#open.secondLooks(sessions);
    },
    isInDoubt: () => this.#open.isInDoubt,
    fail: ({ error, sessions }) => this.#open.fail(revived(error), sessions),
    against: (base) => this.#open.against(base),
    withoutBase: (why) => this.#open.withoutBase(why),
    traced: (sum) => this.#open.traced(sum),
    log: (lines) => this.#open.log(lines),
    close: ({ reason }) => this.#open.close(reason && revived(reason)),
    questions: () => this.#open.questions(),
    judge: (judgements) => {
      this.#sessions = [...new Set(judgements.map(({ session }) => session))];
      return this.#open.judge(judgements);
    },
    report: ({ reason, ...ended }) => this.#open.report({ ...ended, ...(reason && { reason: revived(reason) }) }),
    end: () => this.#books?.[Symbol.asyncDispose](),
  };

  #standing(): Pick<Answered, 'sessions' | 'notWritten'> {
    return {
      sessions: this.#sessions.map((id) => this.#standingOf(id)),
      ...(this.#notWritten && { notWritten: { problem: toProblem(this.#notWritten), code: codeOf(this.#notWritten) } }),
    };
  }

  #standingOf(id: string): Answered['sessions'][number] {
    const concluded = this.#books?.concluded(id);
    return { id, isOver: this.#books?.isOver(id) ?? true, ...(concluded && { concluded: toText(concluded) }) };
  }
}

function codeOf({ cause }: AgentReplayError): string | undefined {
  return (Object(cause) as NodeJS.ErrnoException).code;
}

const answering = new Answering();
let last: Promise<void> = Promise.resolve();
// One after another, in the order in which they were asked.
parentPort?.on('message', (asked: Asked) => {
  last = last.then(async () => parentPort?.postMessage(await answering.answer(asked)));
});
