/** A reader's choices, stored by the browser if it allows that. */
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
    // Then it lasts as long as this page.
  }
}
