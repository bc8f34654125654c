import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Report } from './shapes.ts';
import { safe } from './text.tsx';

/** The real values of generated ids that the comparison shows by a name, of the recording (`cluster` null) and of behaviours. */
type KnownIds = NonNullable<Report['evidence']['ids']>;
export const Ids = createContext<KnownIds>([]);

/** `<refund_order.hex#1>`: the comparison's names for generated ids. */
const NAMED = /(<[^<>#\n]{1,200}#\d+>)/;

/** A text with the real value of each id, and what it is on hover. @param of a behaviour; null for the recording */
export function WithIds({ text, of = null }: { text: string; of?: number | null }) {
  const ids = useContext(Ids);
  if (ids.length === 0 || !NAMED.test(text)) return <>{safe(text, Number.POSITIVE_INFINITY)}</>;
  return (
    <>
      {text.split(NAMED).map((part, at): ComponentChildren => {
        const value = at % 2 === 1 ? realId(ids, part, of) : undefined;
        if (value === undefined) return safe(part, Number.POSITIVE_INFINITY);
        return (
          <span
            key={at}
            class="id"
            title={safe(`${nameOf(part)} (${part}): the same one on both sides, generated anew in each run`)}
          >
            {safe(value)}
            <span class="hidden"> ({safe(nameOf(part))})</span>
          </span>
        );
      })}
    </>
  );
}

function realId(ids: KnownIds, name: string, of: number | null): string | undefined {
  const known = ids.flatMap(({ cluster, named }) =>
    named.flatMap((id) => (id.name === name ? { cluster, text: id.text } : [])),
  );
  return (known.find(({ cluster }) => cluster === of) ?? known[0])?.text;
}

/** `<refund_order.hex#1>` as `the id of refund_order`. */
function nameOf(name: string): string {
  const [, tool = '', shape = '', number = ''] = /^<(.+)\.(\w+)#(\d+)>$/.exec(name) ?? [];
  if (tool === '') return 'a generated id';
  const what = shape === 'time' ? 'time' : 'id';
  return number === '1' ? `the ${what} of ${tool}` : `${what} ${number} of ${tool}`;
}

/** The same as plain text, for copying. */
export function withIds(text: string, ids: KnownIds, of: number | null = null): string {
  return text.replace(/<[^<>#\n]{1,200}#\d+>/g, (name) => realId(ids, name, of) ?? name);
}
