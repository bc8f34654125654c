/** What a step is, in the word that readers use for it. */
export function Kind({ kind }: { kind: string }) {
  return (
    <span class="kind" data-kind={kind}>
      {kind === 'final' ? 'answer' : kind}
    </span>
  );
}
