/** `npm test` tries every so-manieth case where there are hundreds; the slow suite, or the soak, tries all. */
export const EVERY = Number(process.env.EVERY ?? 1);

/** Whether the next case is tried; the first is. */
export function sampler(): () => boolean {
  let count = 0;
  return () => count++ % EVERY === 0;
}
