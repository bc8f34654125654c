/** Asks for a yes or a no: Enter is yes. */
export async function isAgreed(ask: (question: string) => Promise<string>, question: string): Promise<boolean> {
  return !/^\s*n/i.test(await ask(`${question} (Y/n) `));
}
