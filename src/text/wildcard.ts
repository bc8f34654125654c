/** Whether a pattern means a name: each `*` in it stands for any text. Unlike a regular expression it takes linear time. */
export function means(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= name.length - last.length;
}
