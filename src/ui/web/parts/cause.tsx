import { useContext } from 'preact/hooks';
import type { LineView } from '../../../report/view/view-shapes.ts';
import { Copy } from './copy.tsx';
import { WithIds } from './ids.tsx';
import { lineDiff, type Piece } from './marks.ts';
import { OfTurn } from './turn-name.ts';

interface CauseProps {
  readonly kind: string;
  readonly detail: string;
  readonly line: LineView | null;
  /** Shell command that measures it; empty if that is pointless. */
  readonly measure: string;
}

/** Why the runs part, with the edited line as a diff: usually the whole answer. */
export function Cause({ kind, detail, line, measure }: CauseProps) {
  return (
    <section class="cause" aria-label={`Cause${useContext(OfTurn)}`}>
      <h3>
        <span class="badge outline">cause: {kind}</span>{' '}
        <span>{line === null ? <WithIds text={detail} /> : line.place}</span>
      </h3>
      {line !== null && <LineDiff line={line} />}
      {measure !== '' && (
        <div class="measure quiet">
          <div class="line">
            <p>Is it the model? This asks it again, with all that was recorded before this step:</p>
            <Copy text={measure} label="Copy fork command" />
          </div>
          <code>{measure}</code>
        </div>
      )}
    </section>
  );
}

/** The signs are separate from the text, which may start with one. */
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
