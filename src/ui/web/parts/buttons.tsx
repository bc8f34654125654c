import { useEffect, useState } from 'preact/hooks';

/** How long "copied" is shown. */
const SAID_MS = 2_000;

/** A page opened from disk may not use the clipboard; then it selects the text instead. */
export function Copy({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    write(typeof text === 'string' ? text : text()).then(
      () => setSaid('Copied'),
      () => setSaid('Could not copy'),
    );
  return (
    <button type="button" onClick={() => void copy()}>
      {said === '' ? label : said}
      <span class="hidden" role="status">
        {said}
      </span>
    </button>
  );
}

async function write(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) throw new Error('no clipboard');
  }
}
