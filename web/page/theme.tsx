import { useEffect, useState } from 'preact/hooks';

const KEPT = 'agent-replay theme';
const NEXT = { '': 'light', light: 'dark', dark: '' } as const;
type Theme = keyof typeof NEXT;
const SHOWN = { '': ['◐', 'as the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] } as const;

/** Light, dark, or as the system has it; remembered. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => {
    const kept = localStorage.getItem(KEPT) ?? '';
    return Object.hasOwn(NEXT, kept) ? (kept as Theme) : '';
  });
  useEffect(() => {
    localStorage.setItem(KEPT, theme);
    document.documentElement.style.colorScheme = theme === '' ? '' : theme;
  }, [theme]);
  const [sign, name] = SHOWN[theme];
  return (
    <button
      type="button"
      class="ghost small"
      aria-label={`Theme: ${name}`}
      title={`Theme: ${name}`}
      onClick={() => setTheme(NEXT[theme])}
    >
      {sign}
    </button>
  );
}
