/** Cuts at a character's border and says so with an ellipsis. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : `${text
        .slice(0, maxChars - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}
