import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { IdView } from '../../../report/view/view-shapes.ts';

/** The real values of generated ids that the comparison shows by a name. */
export const Ids = createContext<readonly IdView[]>([]);

/** `<refund_order.hex#1>`: the comparison's names for generated ids. */
const NAMED = /(<[^<>#\n]{1,200}#\d+>)/;

/**
 * A text with the real value of each id, a small mark, and the name on hover.
 * @param of letter of the behaviour; empty for the recording
 */
export function WithIds({ text, of = '' }: { text: string; of?: string }) {
  const ids = useContext(Ids);
  if (ids.length === 0 || !NAMED.test(text)) return <>{text}</>;
  return (
    <>
      {text.split(NAMED).map((part, at): ComponentChildren => {
        const id = at % 2 === 1 ? idFor(ids, part, of) : undefined;
        return id === undefined ? part : <Id key={`${at} ${part}`} id={id} />;
      })}
    </>
  );
}

function idFor(ids: readonly IdView[], name: string, of: string): IdView | undefined {
  return ids.find((id) => id.name === name && id.of === of) ?? ids.find((id) => id.name === name);
}

function Id({ id: { name, text } }: { id: IdView }) {
  return (
    <span class="id" title={`${nameOf(name)} (${name}): the same one on both sides, generated anew in each run`}>
      {text}
      <span class="hidden"> ({nameOf(name)})</span>
    </span>
  );
}

/** `<refund_order.hex#1>` as `the id of refund_order`. */
function nameOf(name: string): string {
  const [, tool = '', shape = '', number = ''] = /^<(.+)\.(\w+)#(\d+)>$/.exec(name) ?? [];
  if (tool === '') return 'a generated id';
  const what = shape === 'time' ? 'time' : 'id';
  return number === '1' ? `the ${what} of ${tool}` : `${what} ${number} of ${tool}`;
}

/** The same as plain text, for copying and comparing. */
export function withIds(text: string, ids: readonly IdView[], of = ''): string {
  return text.replace(/<[^<>#\n]{1,200}#\d+>/g, (name) => idFor(ids, name, of)?.text ?? name);
}
