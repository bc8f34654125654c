import { behaviourLabels, decisiveTurn } from '../../../report/words/pages.ts';
import type { Place } from './place.tsx';
import type { Cluster, Difference, LaidStep, SessionResult, TurnResult } from './shapes.ts';

/** Runs that behaved alike, under the letter and the label that people know them by. */
export interface Way {
  readonly cluster: Cluster;
  readonly letter: string;
  readonly label: string;
  /** All that was seen behaved like this. */
  readonly isAlone: boolean;
}

const LETTERS = 26;

/** The behaviours of a turn; the recorded one, `A`, is first. */
export function behavioursOf({ comparison: { clusters }, shift }: TurnResult): Way[] {
  const labels = behaviourLabels(clusters, shift !== undefined);
  const isAlone = clusters.filter(isSeen).length === 1;
  return clusters.map((cluster, at) => {
    const letter = String.fromCharCode(65 + (at % LETTERS));
    const round = at < LETTERS ? '' : Math.floor(at / LETTERS);
    return { cluster, letter: `${letter}${round}`, label: labels[at] ?? '', isAlone };
  });
}

function isSeen({ runs, recordings = 0 }: Cluster): boolean {
  return runs.length + recordings > 0;
}

/** Those that somebody saw: a replay, or one of several recordings. Of what was recorded, only with replays or recordings. */
export function seenBehaviours(turn: TurnResult): Way[] {
  return behavioursOf(turn).filter(({ cluster }) => isSeen(cluster));
}

/** One line of the lanes. */
export interface Row {
  /** Number of the recorded step; of a step that only replays have `4+1`, `4+2`: after the recorded one. */
  readonly key: string;
  readonly left: LaidStep | null;
  readonly right: LaidStep | null;
  readonly same: boolean;
  readonly differences: readonly Difference[];
}

/** The lines of one behaviour beside the recording. */
interface Lanes {
  readonly rows: readonly Row[];
  /** Rows that the report leaves out. */
  readonly more: number;
}

const known = new WeakMap<Cluster, Lanes>();

/** @param behaviour undefined if nothing was seen of the turn: then there is the recording alone */
function lanesOf(turn: TurnResult, behaviour: Way | undefined): Lanes {
  const cluster = behaviour?.cluster ?? turn.comparison.clusters[0];
  if (cluster === undefined || (behaviour === undefined && !isSeen(cluster)))
    return { rows: turn.steps.map((step) => ({ ...sameRow(step), right: null })), more: turn.moreSteps ?? 0 };
  const lanes = known.get(cluster) ?? laneRows(turn, cluster);
  known.set(cluster, lanes);
  return lanes;
}

function sameRow(step: LaidStep): Row {
  return { key: String(step.number), left: step, right: step, same: true, differences: [] };
}

function laneRows({ steps, moreSteps = 0, pairs }: TurnResult, cluster: Cluster): Lanes {
  const pair = pairs.find((each) => each.cluster === cluster.id);
  if (pair === undefined) return { rows: cluster.recorded ? steps.map(sameRow) : [], more: moreSteps };
  const left = new Set(cluster.differences);
  const take = (recorded: number | null, replayed: number | null): Difference[] => {
    const found = [...left].filter(({ recordedStep, replayedStep }) =>
      recordedStep === null ? replayedStep === replayed : recordedStep === recorded,
    );
    for (const each of found) left.delete(each);
    return found;
  };
  const rows: Row[] = [];
  let [last, extra] = [0, 0];
  for (const row of pair.rows) {
    if ('count' in row) {
      for (let at = 0; at < row.count; at++) {
        const step = steps[row.left + at - 1];
        if (step !== undefined) rows.push({ ...sameRow(step), right: { ...step, number: row.right + at } });
      }
      last = row.left + row.count - 1;
    } else {
      extra = row.left === null ? extra + 1 : 0;
      last = row.left?.number ?? last;
      const key = row.left === null ? `${last}+${extra}` : String(last);
      rows.push({ key, ...row, differences: take(row.left?.number ?? null, row.right?.number ?? null) });
    }
  }
  return { rows, more: pair.more };
}

/** What is looked at of a session: a turn, a behaviour of it, and one of its rows. */
export interface Chosen {
  readonly turn: TurnResult;
  readonly behaviour: Way | undefined;
  readonly lanes: Lanes;
  readonly row: Row | undefined;
}

/** By default the turn that decides, its largest behaviour that is not as recorded, and the first row that counts. */
export function chosenIn(session: SessionResult, place: Place): Chosen | undefined {
  const turn = session.turns.find((each) => each.turn === place.turn) ?? decisiveTurn(session);
  if (turn === undefined) return undefined;
  const isHere = place.turn === undefined || place.turn === turn.turn;
  const behaviours = seenBehaviours(turn);
  const named = isHere ? behaviours.find(({ letter }) => letter === place.behaviour) : undefined;
  const behaviour = named ?? mostApart(turn, behaviours);
  const lanes = lanesOf(turn, behaviour);
  const row = (isHere && lanes.rows.find(({ key }) => key === place.step)) || firstTelling(lanes, turn, behaviour);
  return { turn, behaviour, lanes, row };
}

/**
 * The one that the head tells of, the largest of several; under shift the one whose shares of replays and recordings differ most.
 */
function mostApart(
  { comparison: { figures, clusters, divergence }, shift }: TurnResult,
  behaviours: readonly Way[],
): Way | undefined {
  const isTold = ({ cluster }: Way) =>
    shift === undefined &&
    divergence !== null &&
    cluster.divergence?.recordedStep === divergence.recordedStep &&
    cluster.divergence.replayedStep === divergence.replayedStep;
  const all = clusters.reduce((sum, { recordings = 0 }) => sum + recordings, 0);
  const apart = ({ cluster: { runs, recordings = 0 } }: Way) =>
    runs.length / Math.max(figures.n, 1) - recordings / Math.max(all, 1);
  const others = behaviours.filter(({ cluster }) => cluster.id > 0 && !cluster.recorded);
  return others.toSorted((a, b) => Number(isTold(b)) - Number(isTold(a)) || apart(b) - apart(a))[0] ?? behaviours[0];
}

/** The row that the head tells of, if this behaviour has it. */
function firstTelling({ rows }: Lanes, { comparison }: TurnResult, behaviour: Way | undefined): Row | undefined {
  const at = (of: Cluster['divergence'] | undefined) =>
    rows.find(
      ({ same, left, right }) =>
        of != null &&
        !same &&
        (of.recordedStep === null ? right?.number === of.replayedStep : left?.number === of.recordedStep),
    );
  return (
    at(comparison.divergence) ??
    at(behaviour?.cluster.divergence) ??
    rows.find(({ differences }) => differences.some(({ severity }) => severity === 'behaviour')) ??
    rows.find(({ same }) => !same)
  );
}

/** The places at which behaviours are not as recorded, turn by turn, the largest behaviour first; and which of them is chosen. */
export function differencesIn({ turns }: SessionResult, chosen: Chosen) {
  const all = turns.flatMap((turn) => {
    const behaviours = seenBehaviours(turn);
    const first = mostApart(turn, behaviours);
    const ordered = [...new Set(first === undefined ? [] : [first, ...behaviours])];
    return ordered.flatMap((behaviour) =>
      lanesOf(turn, behaviour).rows.flatMap(({ same, key }) =>
        same ? [] : { turn: turn.turn, behaviour: behaviour.letter, step: key },
      ),
    );
  });
  const at = all.findIndex(
    ({ turn, behaviour, step }) =>
      turn === chosen.turn.turn && behaviour === chosen.behaviour?.letter && step === chosen.row?.key,
  );
  return { all, at };
}
