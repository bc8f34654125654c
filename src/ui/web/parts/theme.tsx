import { useEffect, useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';

const NEXT = { '': 'light', light: 'dark', dark: '' } as const;
type Theme = keyof typeof NEXT;
const SHOWN = { '': ['◐', 'as the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] } as const;

/** Light, dark, or as the system has it; remembered. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => {
    const before = kept('theme');
    return Object.hasOwn(NEXT, before) ? (before as Theme) : '';
  });
  useEffect(() => {
    keep('theme', theme);
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
