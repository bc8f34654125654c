/** `.012`: a p needs no more than two significant digits. */
export function textOfP(p: number): string {
  return String(Number(p.toPrecision(2)));
}
