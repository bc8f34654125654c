import type { LineView } from '../../src/report/view/view-shapes.ts';
import { WithIds } from './ids.tsx';
import { lineDiff, type Piece } from './marks.ts';

/** Why the runs part, and what was edited, as a diff of the line: most often the whole answer. */
export function Cause({ kind, detail, line }: { kind: string; detail: string; line: LineView | null }) {
  return (
    <section class="cause" aria-label="Cause">
      <h3>
        <span class="badge outline">cause: {kind}</span>{' '}
        <span>{line === null ? <WithIds text={detail} /> : line.place}</span>
      </h3>
      {line !== null && <LineDiff line={line} />}
    </section>
  );
}

/** Its signs stand apart from the text, which may begin with one of its own. */
function LineDiff({ line: { recorded, replayed } }: { line: LineView }) {
  const [pair] = lineDiff(recorded, replayed);
  return (
    <div class="line-diff" dir="auto">
      {recorded !== null && <del data-sign="−">{marked(pair?.left ?? [{ text: recorded, marked: false }])}</del>}
      {replayed !== null && <ins data-sign="+">{marked(pair?.right ?? [{ text: replayed, marked: false }])}</ins>}
    </div>
  );
}

function marked(pieces: readonly Piece[]) {
  return pieces.map(({ text, marked }, at) => (marked ? <b key={at}>{text}</b> : text));
}
