import type { ProblemView } from '../../../report/index.ts';
import type { TargetState } from '../../index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';

/** Where the agent is replayed; saved per agent. */
export function Target({
  target,
  edited,
  problem,
  said,
  onEdit,
  onSave,
}: {
  target: TargetState;
  /** An entered URL that is not saved. */
  edited: string | undefined;
  problem: ProblemView | undefined;
  said: string;
  onEdit: (url: string | undefined) => void;
  onSave: () => Promise<boolean>;
}) {
  return (
    <form
      class="target"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
    >
      {target.url === '' && (
        <p class="problem" role="alert">
          <strong>No target URL.</strong> Enter where the agent answers and save it; until then nothing can be run.
        </p>
      )}
      <label>
        Target URL (replay_url)
        <span class="line">
          <input
            type="text"
            id="target-url"
            inputMode="url"
            spellcheck={false}
            value={edited ?? target.url}
            placeholder="http://127.0.0.1:3000/replay"
            aria-describedby="target-hint"
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget: { value } }) => onEdit(value.trim() === target.url ? undefined : value)}
          />
          <button type="submit" class="outline" disabled={edited === undefined || edited.trim() === ''}>
            Save
          </button>
        </span>
      </label>
      <p id="target-hint" class="quiet">
        A full URL that ends in /replay, or a base URL that answers on / or /replay.{' '}
        {edited === undefined ? ORIGINS[target.from] : 'Not saved yet.'}
      </p>
      <p class="quiet" role="status">
        {said}
      </p>
      {problem !== undefined && <Problems problems={[problem]} />}
      {target.source !== '' && edited === undefined && (
        <p class="source">
          <Text>{target.source}</Text>
        </p>
      )}
    </form>
  );
}

const ORIGINS = {
  saved: 'Saved for this agent.',
  configured: 'From the configuration.',
  none: '',
} as const;
