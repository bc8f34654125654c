/** A time in the reader's zone, which is named; the original on hover. */
export function Time({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={iso}>
      {new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })}
    </time>
  );
}
