/** Length of the longest common prefix of two lists or texts, which is the place of the first difference. */
export function commonPrefix(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}
