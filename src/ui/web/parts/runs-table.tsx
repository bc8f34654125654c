import type { RunView, TurnView } from '../../../report/view/view-shapes.ts';
import { Text } from './text.tsx';
import { Letter, Verdict } from './verdict.tsx';

/** Pass or fail of each run of a turn, and its differences. */
export function RunsTable({ turn }: { turn: TurnView }) {
  return (
    <section class="table" tabIndex={0} aria-label={`Runs of turn ${turn.turn}`}>
      <table>
        <thead>
          <tr>
            <th>run</th>
            <th>result</th>
            <th>behaviour</th>
            <th>call</th>
            <th class="trace">trace</th>
          </tr>
        </thead>
        <tbody>
          {turn.runs.map((run) => (
            <tr key={run.run}>
              <td>{run.run}</td>
              <td>
                <Verdict {...run} />
              </td>
              <td>{run.behaviour !== '' && <Behaviour turn={turn} run={run} />}</td>
              <td>{run.took}</td>
              <td class="quiet trace">
                <Text>{run.traceId}</Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Behaviour({ turn, run }: { turn: TurnView; run: RunView }) {
  const { label = '', leavesAt = null } = turn.behaviours.find(({ letter }) => letter === run.behaviour) ?? {};
  return (
    <>
      <Letter letter={run.behaviour} recorded={run.recorded} /> <Text>{label}</Text>
      {leavesAt !== null && ` at step ${leavesAt}`}
    </>
  );
}
