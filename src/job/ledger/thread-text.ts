import { AgentReplayError } from '../../errors.ts';
import { parseJson } from '../../json/index.ts';
import { type Problem, toProblem } from '../../report/index.ts';
import { errorOf } from '../journal/read-journal.ts';

/** What crosses between threads, as JSON text, because only text keeps every digit of a number. Errors stay errors. */
export class ThreadText {
  readonly #mark: string;

  /** @param mark the only key of an object that stands for an error; nobody else can know it */
  constructor(mark: string) {
    this.#mark = mark;
  }

  of(value: unknown): string | undefined {
    return JSON.stringify(value, (_, each) =>
      each instanceof AgentReplayError ? { [this.#mark]: toProblem(each) } : each,
    );
  }

  read(text: string): unknown {
    const value = parseJson(text);
    return text.includes(this.#mark) ? this.#revived(value) : value;
  }

  /** Reads what is given to a function. JSON has no undefined. */
  list(text: string): unknown[] {
    return (this.read(text) as unknown[]).map((each) => each ?? undefined);
  }

  #revived(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Object.hasOwn(value, this.#mark)) return errorOf((value as Record<string, Problem>)[this.#mark] as Problem);
    for (const [key, each] of Object.entries(value)) {
      const revived = this.#revived(each);
      if (revived !== each) (value as Record<string, unknown>)[key] = revived;
    }
    return value;
  }
}
