import { useContext } from 'preact/hooks';
import {
  duration,
  IN_OTHER_WORDS,
  isDoubt,
  OTHER_WORDS,
  OUTCOMES,
  percent,
  replacedNote,
  textOfP,
} from '../../../report/words/pages.ts';
import { Facts, Letter } from './look.tsx';
import { PlaceContext } from './place.tsx';
import type { Report, RunEvidence, TurnResult } from './shapes.ts';
import { safe, Text } from './text.tsx';
import { behavioursOf, type Way } from './turns.ts';
import { countIn } from './what.tsx';

interface Run {
  readonly run: number;
  /** Undefined if it could not be compared. */
  readonly behaviour: Way | undefined;
  readonly sign: string;
  readonly tone: string;
  /** Whether it passes by itself; if it could not be compared, why, as a code. */
  readonly word: string;
  readonly evidence: RunEvidence | undefined;
}

/** Every run of a turn that was asked for, by number. */
export function runsIn(turn: TurnResult, session: string, report: Report): Run[] {
  const made = report.evidence.runs.filter((each) => each.session === session && each.turn === turn.turn);
  const behaviours = behavioursOf(turn);
  const failed = turn.problems.flatMap(({ code, runs }) => runs.map((run) => [run, code] as const));
  const numbers = new Set([
    ...behaviours.flatMap(({ cluster }) => cluster.runs),
    ...failed.map(([run]) => run),
    ...made.map(({ run }) => run),
  ]);
  const codes = new Map(failed);
  return [...numbers]
    .sort((a, b) => a - b)
    .map((run) => {
      const behaviour = behaviours.find(({ cluster }) => cluster.runs.includes(run));
      const evidence = made.find((each) => each.run === run);
      const [outcome, word] = outcomeOf(turn, behaviour, run, codes.get(run));
      const { sign, tone } = OUTCOMES[outcome];
      // Red is only what fails the run.
      const isLetPass = outcome === 'changed' && turn.level !== 'error';
      return { run, behaviour, evidence, word, ...(isLetPass ? PLAIN : { sign, tone }) };
    });
}

function outcomeOf({ shift }: TurnResult, behaviour: Way | undefined, run: number, code: string | undefined) {
  if (behaviour === undefined)
    return ['could-not-tell', code === undefined ? 'could not tell' : `could not tell: ${code}`] as const;
  if (shift === undefined && behaviour.cluster.inOtherWords.includes(run))
    return ['could-not-tell', IN_OTHER_WORDS] as const;
  if (behaviour.cluster.recorded) return ['as-recorded', 'pass'] as const;
  return ['changed', shift === undefined ? 'fail' : 'differs'] as const;
}

const PLAIN = { sign: OUTCOMES.varies.sign, tone: 'plain' };

function namedWay({ isAlone, letter, label }: Way): string {
  return isAlone ? label : `${letter} ${label}`;
}

export function Dots({ turn, runs }: { turn: TurnResult; runs: readonly Run[] }) {
  const [place, go] = useContext(PlaceContext);
  if (runs.length === 0) return null;
  const others = isDoubt(turn.comparison.verdict) ? 0 : runs.filter(({ word }) => word === IN_OTHER_WORDS).length;
  return (
    <div class="dots">
      <ul aria-label={`Runs of turn ${turn.turn}`}>
        {runs.map(({ run, behaviour, sign, tone, word }) => {
          const name = safe(
            `run ${run}: ${[word, ...(behaviour === undefined ? [] : [namedWay(behaviour)])].join(', ')}`,
          );
          return (
            <li key={run}>
              <button
                type="button"
                class="dot"
                data-tone={tone}
                aria-pressed={place.run === run && place.turn === turn.turn}
                aria-label={name}
                title={name}
                onClick={() => go({ turn: turn.turn, run, view: 'run', behaviour: behaviour?.letter })}
              >
                {tone === 'good' ? '●' : sign}
              </button>
            </li>
          );
        })}
      </ul>
      <span class="quiet">
        {countIn(turn)}
        {others > 0 && `, ${others} ${OTHER_WORDS}`}
      </span>
    </div>
  );
}

/** What stands behind the head: figures with their n, and each run with its call. */
export function Figures({ turn, runs }: { turn: TurnResult; runs: readonly Run[] }) {
  const known = [
    ['call', runs.map(({ evidence }) => callOf(evidence))],
    ['trace', runs.map(({ evidence }) => evidence?.traceId ?? '')],
  ] as const;
  const columns = known.filter(([, texts]) => texts.some((text) => text !== ''));
  return (
    <details class="figures">
      <summary>Figures and runs</summary>
      <Facts facts={factsOf(turn)} />
      {runs.length > 0 && (
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['run', 'result', 'behaviour', ...columns.map(([name]) => name)].map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {runs.map(({ run, sign, tone, word, behaviour }, at) => (
                <tr key={run}>
                  <td>{run}</td>
                  <td data-tone={tone}>
                    <span aria-hidden="true">{sign}</span> {safe(word)}
                  </td>
                  <td>
                    {behaviour !== undefined && (
                      <>
                        <Letter way={behaviour} />
                        <Text>{behaviour.label}</Text>
                      </>
                    )}
                  </td>
                  {columns.map(([name, texts]) => (
                    <td key={name} class={name === 'trace' ? 'trace quiet' : ''}>
                      <Text>{texts[at] ?? ''}</Text>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** Time of the call, its status if it failed, and attempts if there were several. */
function callOf(evidence: RunEvidence | undefined): string {
  if (evidence === undefined) return '';
  const { callMs, attempts, status = 200 } = evidence;
  return [
    ...(status >= 200 && status < 300 ? [] : [`status ${status}`]),
    ...(callMs === undefined ? [] : [duration(callMs)]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...replacedNote([evidence]),
  ].join(', ');
}

/** The figures of a turn by name, each with what it counts and its n. */
function factsOf(turn: TurnResult): (readonly [string, string | undefined, string?])[] {
  const { figures, requested } = turn.comparison;
  const { n, asRecorded, interval, behaviours } = figures;
  if (n === 0) return [['conclusive runs', `0 of ${requested}`]];
  const of = `n = ${n}`;
  return [
    ['as recorded', `${asRecorded} of ${n}`, `${n} conclusive runs of ${requested}`],
    ['95 % interval', interval?.map(percent).join(' to '), `Wilson score, ${of}`],
    ['agreement', percent(figures.agreement), `share of pairs of replays that agree, TAR@2, ${of}`],
    ['behaviours', String(behaviours), `distinct ones among the replays, ${of}`],
    [
      'p',
      turn.shift?.p == null ? undefined : textOfP(turn.shift.p),
      'chance that runs of an unchanged agent differ so much from the recordings',
    ],
  ];
}
