import type { SessionView } from '../../../report/index.ts';

/** A verdict as sign and word: never by colour alone. */
export function Verdict({ tone, sign, word }: Pick<SessionView, 'tone' | 'sign' | 'word'>) {
  return (
    <span class="badge" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

/** It diverged, or could not be told. */
export function isOff({ tone }: Pick<SessionView, 'tone'>): boolean {
  return tone === 'bad' || tone === 'doubt';
}

/** The letter of a behaviour, in its colour. */
export function Letter({ letter, recorded }: { letter: string; recorded: boolean }) {
  return (
    <span class="letter" data-tone={toneOf(letter, recorded)}>
      {letter}
    </span>
  );
}

const TONES = 5;

/** Colours repeat after a few: the letter says which behaviour it is. */
export function toneOf(letter: string, recorded: boolean): string {
  return recorded ? 'recorded' : String((letter.charCodeAt(0) - 65) % TONES);
}
