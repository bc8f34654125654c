import { lookOf, placeOf, verdictWord } from '../../../report/words/pages.ts';
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

/** What to do about a problem. */
export function Hint({ hint }: { hint: string }) {
  return (
    <p class="hint">
      <span aria-hidden="true">→ </span>
      <bdi>
        <Own>{hint}</Own>
      </bdi>
    </p>
  );
}

export type PlacedProblem = Problem & { readonly where?: string };

export function Problems({ problems }: { problems: readonly (PlacedProblem | undefined)[] }) {
  const told = problems.filter((each) => each !== undefined);
  if (told.length === 0) return null;
  return (
    <ul class="problems">
      {told.map(({ code, where, message, evidence, hint, location }) => {
        const place = [where, location && placeOf(location)].filter(Boolean).join(', ');
        return (
          <li key={code + place + message} class="problem">
            <p>
              <code>{safe(code)}</code>{' '}
              {place !== '' && (
                <span class="quiet">
                  <Text>{`${place}: `}</Text>
                </span>
              )}
              <Text>{message}</Text>
            </p>
            {evidence.length > 0 && (
              <pre class="log" tabIndex={0} dir="auto">
                {evidence.map((line) => safe(line)).join('\n')}
              </pre>
            )}
            {hint !== undefined && <Hint hint={hint} />}
          </li>
        );
      })}
    </ul>
  );
}

/** Names and values as a list of terms. */
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
