import { parentPort, workerData } from 'node:worker_threads';
import { asAgentReplayError } from '../../errors.ts';
import { Redaction } from '../../redaction/index.ts';
import { toProblem } from '../../report/index.ts';
import { type LedgerOutput, RunLedger, type RunLedgerOptions } from './run-ledger.ts';
import type { Asked, FromThread, ThreadData, ToThread } from './thread.ts';
import { ThreadText } from './thread-text.ts';

// The other half of `Thread`: keeps its ledgers.

const { secrets, mark } = workerData as ThreadData;
const redaction = new Redaction(secrets);
const text = new ThreadText(mark);
const ledgers = new Map<number, RunLedger>();

function tell(message: FromThread): void {
  parentPort?.postMessage(message);
}

function outputOf(ledger: number): LedgerOutput {
  const teller =
    (name: keyof LedgerOutput) =>
    (...given: unknown[]) =>
      tell({ ledger, tell: name, given: text.of(given) as string });
  return { line: teller('line'), files: teller('files'), session: teller('session') };
}

function answer({ ledger, verb, given }: Asked): unknown {
  const told = text.list(given);
  if (verb === 'open') ledgers.set(ledger, new RunLedger(told[0] as RunLedgerOptions, redaction, outputOf(ledger)));
  else if (verb === 'end') ledgers.delete(ledger);
  else return (ledgers.get(ledger) as unknown as Record<string, (...given: unknown[]) => unknown>)[verb]?.(...told);
  return undefined;
}

parentPort?.on('message', (message: ToThread) => {
  if ('secret' in message) {
    redaction.add(message.secret);
    return;
  }
  try {
    tell({ answer: text.of(answer(message)) });
  } catch (error) {
    tell({ error: toProblem(asAgentReplayError(error)) });
  }
});
