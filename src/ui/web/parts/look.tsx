import { brief, counted, lookOf, placeOf, verdictWord } from '../../../report/words/pages.ts';
import type { Problem, SessionResult } from './shapes.ts';
import { Own, safe, Text } from './text.tsx';
import type { Way } from './turns.ts';

/** A verdict as sign and word: never by colour alone. */
export function Verdict({ session }: { session: SessionResult }) {
  const { sign, tone } = lookOf(session);
  return (
    <span class="badge" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {verdictWord(session)}
    </span>
  );
}

/** Without a tone it is of something that was never run. */
export function Sign({ sign = '·', tone }: { sign?: string; tone?: string }) {
  return (
    <span class="sign" data-tone={tone} aria-hidden="true">
      {sign}
    </span>
  );
}

/** The colour of a behaviour. Colours repeat after a few: the letter says which behaviour it is. */
export function hueOf({ letter, cluster }: Way): string {
  return cluster.recorded ? 'var(--quiet)' : `var(--tone-${(letter.charCodeAt(0) - 65) % 5})`;
}

/** Behaviours have letters by their place. A single one needs none. */
export function Letter({ way }: { way: Way }) {
  if (way.isAlone) return null;
  return (
    <>
      <span class="letter" style={{ '--hue': hueOf(way) }}>
        {way.letter}
      </span>{' '}
    </>
  );
}

/** A time in the reader's zone, which is named; the original on hover. */
export function Time({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={iso}>
      {new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })}
    </time>
  );
}

export function Hint({ hint }: { hint: string }) {
  return (
    <p class="hint">
      <span aria-hidden="true">→ </span>
      <bdi>
        <Own>{brief(hint)}</Own>
      </bdi>
    </p>
  );
}

export type PlacedProblem = Problem & { readonly where?: string };

/** More lines are folded: what an agent prints must not push everything else off the page. */
const MAX_OPEN_LINES = 12;

export function Problems({ problems }: { problems: readonly (PlacedProblem | undefined)[] }) {
  const told = problems.filter((each) => each !== undefined);
  if (told.length === 0) return null;
  return (
    <ul class="problems">
      {told.map(({ code, where, message, evidence, hint, location }) => {
        const at = location && brief(placeOf(location));
        // A message that names the file names the place in it, too.
        const said = location && at ? message.replace(location.file, () => at) : message;
        const place = [where, said === message ? at : undefined].filter(Boolean).join(', ');
        const seen = (brief(said) === said ? evidence : [said, ...evidence]).map((line) => safe(line)).join('\n');
        const lines = seen.split('\n').length;
        const log = (
          <pre class="log" tabIndex={0} dir="auto">
            {seen}
          </pre>
        );
        return (
          <li key={code + place + message} class="problem">
            <p>
              <code>{safe(code)}</code>{' '}
              {place !== '' && (
                <span class="quiet">
                  <Text>{`${place}: `}</Text>
                </span>
              )}
              <Text>{brief(said)}</Text>
            </p>
            {lines > MAX_OPEN_LINES ? (
              <details>
                <summary>{counted(lines, 'line')}</summary>
                {log}
              </details>
            ) : (
              seen !== '' && log
            )}
            {hint !== undefined && <Hint hint={hint} />}
          </li>
        );
      })}
    </ul>
  );
}

export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, text: string | undefined, hint?: string])[];
}) {
  return (
    <dl class="facts">
      {facts.map(([name, text, hint]) =>
        text === undefined || text === '' ? null : (
          <div key={name}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd>
              {/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? <Time iso={text} /> : <Text>{text}</Text>}
              {hint !== undefined && <small>{hint}</small>}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}
