import type { RunUnderWay, SessionHead } from '../../index.ts';
import { Spark } from '../parts/spark.tsx';
import { Text } from '../parts/text.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { Marked } from './marked.tsx';

/** A session in a list: its name, its result, and its agent or the search's matches. */
export function Head({
  session,
  run,
  shared = [],
}: {
  session: SessionHead;
  run?: RunUnderWay | undefined;
  /** What all sessions of the list share, so that none repeats it. */
  shared?: readonly string[];
}) {
  const { id, title, match, trend = [] } = session;
  const isTitleMarked = match?.title.some(({ isMarked }) => isMarked) === true;
  return (
    <>
      <span class="name">{isTitleMarked ? <Marked text={match.title} /> : <Text>{title || id}</Text>}</span>
      {match !== undefined && <Said snippets={match.snippets} />}
      <span class="foot">
        <State session={session} run={run} />
        <span class="quiet summary" title={factsOf(session).join(' · ')}>
          <Text>
            {factsOf(session)
              .filter((fact) => !shared.includes(fact))
              .join(' · ')}
          </Text>
        </span>
        {trend.length > 1 && <Spark shares={trend} />}
      </span>
    </>
  );
}

function State({ session: { last, source }, run }: { session: SessionHead; run: RunUnderWay | undefined }) {
  if (run !== undefined) {
    return (
      <span class="badge">
        {run.isWaiting ? 'waits' : run.total === 0 ? 'starting' : `${run.came} of ${run.total}`}
      </span>
    );
  }
  if (source === 'platform') return <span class="badge">on the platform</span>;
  if (last?.isCancelled) return <span class="badge">■ cancelled</span>;
  return last === undefined ? <span class="quiet">never run</span> : <Verdict {...last} />;
}

const PLACES = {
  id: '',
  title: '',
  request: 'asked',
  tool: 'calls',
  arguments: '',
  result: '',
  answer: 'answered',
} as const;

/** The first passage; opening the session shows the others. */
function Said({ snippets: [snippet] }: { snippets: NonNullable<SessionHead['match']>['snippets'] }) {
  if (snippet === undefined || snippet.place === 'id') return null;
  const { place, name, text } = snippet;
  const where = place === 'result' ? `${name} returned` : place === 'arguments' ? name : PLACES[place];
  return (
    <span class="said">
      <span class="quiet">
        <Text>{where}: </Text>
      </span>
      <Marked text={text} />
    </span>
  );
}

/** The shared origin and agent of a list's sessions. */
export function sharedFacts(sessions: readonly SessionHead[]): string[] {
  const [first, second] = sessions;
  if (first === undefined || second === undefined) return [];
  return (['source', 'agentId'] as const).flatMap((fact) =>
    first[fact] !== '' && sessions.every((each) => each[fact] === first[fact]) ? [first[fact]] : [],
  );
}

function factsOf({ id, title, agentId, turns, recordedAt, source, replayable }: SessionHead): string[] {
  return [
    ...(replayable === false ? ['not replayable'] : []),
    ...(recordedAt === '' ? [] : [ago(recordedAt)]),
    ...(source === 'platform' ? [] : [source]),
    ...(agentId === '' ? [] : [agentId]),
    ...(turns === 1 ? [] : [`${turns} turns`]),
    ...(title === '' ? [] : [id]),
  ];
}

const AGES: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const age = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** `3d ago`. */
function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1_000;
  const [unit, size] = AGES.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return age.format(Math.round(seconds / size), unit);
}
