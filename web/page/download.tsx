import { useState } from 'preact/hooks';
import { ask } from './server.ts';

/** Saves the report of a result, as `run` writes it. */
export function Download({ session, result, name }: { session: string; result: string; name: string }) {
  const [said, setSaid] = useState('');
  const save = async () => {
    try {
      const report = await ask<unknown>('/api/report', { query: { session, id: result } });
      const url = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }));
      Object.assign(document.createElement('a'), { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url));
      setSaid('Downloaded');
    } catch {
      setSaid('Could not download');
    }
  };
  return (
    <button type="button" class="outline small" onClick={save}>
      Download
      <span class="hidden" role="status">
        {said}
      </span>
    </button>
  );
}
