/** A step's kind, in a reader's words. */
export function Kind({ kind }: { kind: string }) {
  return (
    <span class="kind" data-kind={kind}>
      {kind === 'final' ? 'answer' : kind}
    </span>
  );
}
