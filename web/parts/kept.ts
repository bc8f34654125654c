/** What a reader has chosen, remembered by the browser; one that keeps nothing forgets it. */
export function kept(name: string): string {
  try {
    return localStorage.getItem(`agent-replay ${name}`) ?? '';
  } catch {
    return '';
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`agent-replay ${name}`, value);
  } catch {
    // It is for this page then.
  }
}
