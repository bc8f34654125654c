import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../report/index.ts';
import type { AcceptableChange, Acceptables } from '../../index.ts';
import { Problems } from '../parts/look.tsx';
import { Text } from '../parts/text.tsx';
import { ask, problemOf } from './server.ts';

/** Accepts a result after saying what would be written; the lanes show how it differs. */
export function Accept({
  session,
  result,
  shown,
  onAccepted,
}: {
  session: string;
  result: string;
  /** The runs that are looked at: how they behave is offered first. */
  shown: readonly number[];
  /** Called with what was done. */
  onAccepted: (said: string) => Promise<void>;
}) {
  const [acceptables, setAcceptables] = useState<Acceptables>();
  const [problem, setProblem] = useState<Problem>();
  const [choice, setChoice] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    const query = { session, id: result };
    ask<Acceptables>('/api/acceptable', { query, signal: controller.signal }).then(setAcceptables, (error) => {
      if (!controller.signal.aborted) setProblem(problemOf(error));
    });
    return () => controller.abort();
  }, [session, result]);
  const changes = acceptables?.changes ?? [];
  const change = changes[choice];
  const accept = async ({ run, asRecordings }: AcceptableChange) => {
    try {
      setProblem(undefined);
      const body = { session, id: result, asRecordings, ...(run === null ? {} : { run }) };
      const { pin } = await ask<{ pin: string }>('/api/accept', { method: 'POST', body });
      dialog.current?.close();
      await onAccepted(
        asRecordings
          ? `${pin} now holds what the replays did as further recordings`
          : `The replayed behaviour is now the original of ${pin}`,
      );
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const refusal = acceptables?.refusal ?? problem?.message ?? '';
  return (
    <>
      <button
        type="button"
        disabled={acceptables === undefined || refusal !== ''}
        aria-describedby={refusal === '' ? undefined : 'refusal'}
        onClick={() => {
          const looked = changes.findIndex(({ run }) => run !== null && shown.includes(run));
          setChoice(Math.max(0, looked === -1 ? changes.findIndex(({ refusal }) => refusal === null) : looked));
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        Accept…
      </button>
      {refusal !== '' && (
        <p id="refusal" class="quiet">
          It cannot be accepted: <Text>{refusal}</Text>
        </p>
      )}
      <dialog ref={dialog} aria-labelledby="accept" onClose={() => setOpen(false)}>
        <h2 id="accept">Accept</h2>
        {isOpen && acceptables !== undefined && change !== undefined && (
          <>
            {/* A refusal names the file itself. */}
            {change.refusal === null && (
              <p>
                This is written to <Text>{acceptables.pin}</Text>:
              </p>
            )}
            {changes.length > 1 && (
              <select
                aria-label="What is accepted"
                value={choice}
                onChange={({ currentTarget }) => setChoice(Number(currentTarget.value))}
              >
                {changes.map(({ label, refusal }, at) => (
                  <option key={label} value={at}>
                    {label}
                    {refusal === null ? '' : ' (refused)'}
                  </option>
                ))}
              </select>
            )}
            <ul>
              {change.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
            <Problems problems={[change.refusal ?? undefined, problem]} />
            <div class="line">
              <button
                type="button"
                class="primary"
                disabled={change.refusal !== null}
                onClick={() => void accept(change)}
              >
                Write
              </button>
              <button type="button" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
            </div>
          </>
        )}
      </dialog>
    </>
  );
}
