import type { SessionView } from '../../src/report/index.ts';

/** A verdict as sign and word: never by colour alone. */
export function Verdict({ verdict, sign, word = verdict }: Pick<SessionView, 'verdict' | 'sign'> & { word?: string }) {
  return (
    <span class="badge" data-verdict={verdict}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
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
