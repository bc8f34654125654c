import type { ComponentChildren } from 'preact';
import { cut, forHtmlText } from '../../../report/words/pages.ts';

/** Longest text that is shown in a line or a sentence. Values have limits of their own. */
const MAX_CHARS = 4_000;

/** A text from outside as the pages show it: nothing in it acts unseen. */
export function safe(text: string, maxChars = MAX_CHARS): string {
  return forHtmlText(cut(text, maxChars));
}

/** Text from an agent, a model or a file name: isolated, so that its direction does not affect its surroundings. */
export function Text({ children }: { children: string }) {
  return <bdi>{safe(children)}</bdi>;
}

/** Our own words, with commands in backticks. They can quote others. */
export function Own({ children }: { children: string }) {
  return (
    <>
      {children.split('`').map((part, at): ComponentChildren => {
        if (at % 2 === 0) return safe(part);
        return <Command key={at}>{part}</Command>;
      })}
    </>
  );
}

/** A command, broken between its words alone: `--flag` and a path stay whole where there is room for them. */
export function Command({ children }: { children: string }) {
  return (
    <code>
      {safe(children)
        .split(' ')
        .flatMap((word, at) => [...(at === 0 ? [] : [' ']), <span key={at}>{word}</span>])}
    </code>
  );
}
