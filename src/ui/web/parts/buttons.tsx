import { useEffect, useState } from 'preact/hooks';

/** How long "copied" is shown. */
const SAID_MS = 2_000;

/** A button that says for a moment what came of it. */
function Saying({
  label,
  act,
  done,
  failed,
}: {
  label: string;
  act: () => Promise<void>;
  done: string;
  failed: string;
}) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button
      type="button"
      onClick={() =>
        void act().then(
          () => setSaid(done),
          () => setSaid(failed),
        )
      }
    >
      {said === '' ? label : said}
      <span class="hidden" role="status">
        {said}
      </span>
    </button>
  );
}

/** Copies a text. A page opened from disk may not use the clipboard; then it selects the text instead. */
export function Copy({ text, label = 'Copy' }: { text: string | (() => Promise<string>); label?: string }) {
  const act = async () => write(typeof text === 'string' ? text : await text());
  return <Saying label={label} act={act} done="Copied" failed="Could not copy" />;
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

/** Saves a text as a file. */
export function Save({
  name,
  text,
  label = 'Download',
}: {
  name: string;
  text: () => Promise<string>;
  label?: string;
}) {
  const act = async () => {
    const url = URL.createObjectURL(new Blob([await text()], { type: 'application/json' }));
    Object.assign(document.createElement('a'), { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  };
  return <Saying label={label} act={act} done="Downloaded" failed="Could not download" />;
}

const THEME = 'agent-replay theme';
const NEXT = { '': 'light', light: 'dark', dark: '' } as const;
type Theme = keyof typeof NEXT;
const THEMES = { '': ['◐', 'as the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] } as const;

/** Light, dark, or as the system has it; remembered if the browser allows that. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  useEffect(() => {
    document.documentElement.style.colorScheme = theme;
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // Then it lasts as long as this page.
    }
  }, [theme]);
  const [sign, name] = THEMES[theme];
  const label = `Theme: ${name}`;
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={() => setTheme(NEXT[theme])}>
      {sign}
    </button>
  );
}

function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME) ?? '';
    return Object.hasOwn(NEXT, kept) ? (kept as Theme) : '';
  } catch {
    return '';
  }
}
