/** A time in the zone of the reader, which is said; as it was written on hover. */
export function Time({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={iso}>
      {new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })}
    </time>
  );
}
