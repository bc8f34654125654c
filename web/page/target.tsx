import { useState } from 'preact/hooks';
import type { TargetState } from '../../src/dashboard/index.ts';
import type { ProblemView } from '../../src/report/index.ts';
import { Problems } from '../parts/problems.tsx';
import { Text } from '../parts/text.tsx';
import { ask, problemOf } from './server.ts';

/** Where the agent is replayed, saved for it. */
export function Target({ target, onSaved }: { target: TargetState; onSaved: () => Promise<void> }) {
  const [url, setUrl] = useState(target.url);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<ProblemView>();
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await ask('/api/target', { method: 'PUT', body: { agentId: target.agentId, url } });
      setProblem(undefined);
      setSaid('Saved');
      await onSaved();
    } catch (error) {
      setSaid('');
      setProblem(problemOf(error));
    }
  };
  return (
    <form class="target" onSubmit={save}>
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
            inputMode="url"
            spellcheck={false}
            value={url}
            placeholder="http://127.0.0.1:3000/replay"
            aria-describedby="target-hint"
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget }) => {
              setUrl(currentTarget.value);
              setSaid('');
            }}
          />
          <button type="submit" class="outline" disabled={url.trim() === '' || url === target.url}>
            Save
          </button>
        </span>
      </label>
      <p id="target-hint" class="quiet">
        A full URL that ends in /replay, or a base URL that answers on / or /replay.{' '}
        {url !== target.url && target.url !== ''
          ? 'Not saved yet: runs still go to the one before.'
          : ORIGINS[target.from]}
      </p>
      <p class="quiet" role="status">
        {said}
      </p>
      {problem !== undefined && <Problems problems={[problem]} />}
      {target.source !== '' && (
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
