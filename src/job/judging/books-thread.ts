import { parentPort, workerData } from 'node:worker_threads';
import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { Redaction } from '../../redaction/index.ts';
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
  type ThreadNews,
  toText,
} from './books-messages.ts';

/** The other half of `BooksApart`: one set of books in this thread. */
class Answering {
  readonly #redaction: Redaction;
  #books: Books | undefined;
  /** The sessions that the answer concerns. */
  #sessions: readonly string[] = [];
  #notWritten: AgentReplayError | undefined;

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

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
      const onError = (error: AgentReplayError) => {
        this.#notWritten = error;
      };
      const options = { ...given, scope: scopeIn(given.scope) };
      this.#books = await Books.open(options, { redaction: this.#redaction, onError });
      return this.#books.hasShift;
    },
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
    remark: (remark) => this.#open.remark(remark),
    close: ({ reason }) => this.#open.close(reason && revived(reason)),
    questions: () => this.#open.questions(),
    judge: (judgements) => {
      this.#sessions = [...new Set(judgements.map(({ session }) => session))];
      return this.#open.judge(judgements);
    },
    report: ({ reason, ...ended }) => this.#open.report({ ...ended, ...(reason && { reason: revived(reason) }) }),
    replayed: ({ accepting }) => this.#open.replayed(accepting),
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

const redaction = new Redaction(workerData as readonly string[]);
const open = new Map<number, Answering>();
const givenUp = new Set<number>();

async function answered(asked: Asked): Promise<Answered> {
  const { books, to } = asked;
  // Nobody waits for these books any more, but others are waited for.
  if (givenUp.has(books) && to !== 'end') return { sessions: [] };
  const answering = open.get(books) ?? new Answering(redaction);
  if (to === 'end') open.delete(books);
  else open.set(books, answering);
  return answering.answer(asked);
}

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: Asked | ThreadNews) => {
  if ('secret' in message) redaction.add(message.secret);
  else if ('givenUp' in message) givenUp.add(message.givenUp);
  // One after another, in the order of the questions.
  else last = last.then(async () => parentPort?.postMessage(await answered(message)));
});
