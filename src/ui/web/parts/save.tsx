import { useState } from 'preact/hooks';

/** Saves a text as a file; shows `failed` if it is not available. */
export function Save({
  name,
  text,
  label = 'Download',
  failed = 'Could not download',
}: {
  name: string;
  text: () => Promise<string>;
  label?: string;
  failed?: string;
}) {
  const [said, setSaid] = useState('');
  const save = async () => {
    try {
      const url = URL.createObjectURL(new Blob([await text()], { type: 'application/json' }));
      Object.assign(document.createElement('a'), { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url));
      setSaid('Downloaded');
    } catch {
      setSaid(failed);
    }
  };
  return (
    <button type="button" class="outline small" onClick={save}>
      {said === failed ? failed : label}
      <span class="hidden" role="status">
        {said}
      </span>
    </button>
  );
}
