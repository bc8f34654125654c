import { isAsRecorded } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { openAcceptance } from '../job/index.ts';
import { runNumbers, type SessionResult, toProblem } from '../report/index.ts';
import { type Pin, replacePin } from '../session/index.ts';
import { counted } from '../text/index.ts';
import type { AcceptableChange, Acceptables } from './api-shapes.ts';
import type { Results } from './results.ts';
import { isPinned } from './sessions.ts';

type AcceptedTurn = Acceptance['accepted'][number];
type Acceptance = ReturnType<Awaited<ReturnType<typeof openAcceptance>>['accept']>;

/** Which part of a result to accept; default: what all replays did. */
interface Meant {
  readonly run?: number;
  readonly asRecordings?: boolean;
}

/** One result of a pinned session, and what can be accepted of it. */
interface AcceptableResult {
  /** Each way to accept it, with what would be written or why it is refused. Writes nothing. */
  changes(): Promise<Acceptables>;
  /**
   * Writes the pin.
   * @returns its path
   * @throws AgentReplayError the first refusal, which names the file itself
   */
  write(meant: Meant): Promise<string>;
}

/** @throws AgentReplayError `USAGE` if the session is not pinned, `INPUT_INVALID` if the result does not exist */
export async function openAcceptable(
  { path: pin, session }: Pin,
  id: string,
  results: Results,
  { root }: Config,
): Promise<AcceptableResult> {
  if (!isPinned({ path: pin })) {
    throw new AgentReplayError('USAGE', 'Only a pinned session has an original that can be replaced.', {
      hint: 'Pin it first.',
    });
  }
  const report = await results.report(session.id, id);
  const result = report.results.sessions.find((each) => each.id === session.id);
  if (result === undefined) throw new AgentReplayError('INPUT_INVALID', 'This session is not in the result.');
  const acceptedAs = async ({ run, asRecordings = false }: Meant): Promise<Acceptance> => {
    const { accept } = await openAcceptance(results.folder(session.id, id), report, { asRecordings });
    const acceptance = accept(session, result, { run });
    if (acceptance.accepted.length > 0 || acceptance.refused.length > 0) return acceptance;
    return { ...acceptance, refused: [new AgentReplayError('USAGE', 'The pin already holds what was replayed.')] };
  };
  const noteOf = (accepted: AcceptedTurn): string => {
    const { turn } = accepted;
    if (accepted.as === 'original') return `Turn ${turn}: the replayed behaviour becomes the original.`;
    const { added, total, replaced } = accepted;
    const kept = `${counted(added, 'replay')} kept as recordings, ${total} in all`;
    const instead = replaced && `; ${counted(replaced.count, 'recording')} of ${replaced.made.slice(0, 10)} replaced`;
    return `Turn ${turn}: ${kept}${instead ?? ''}.`;
  };
  const changeOf = async ({ label, ...meant }: Meant & { readonly label: string }): Promise<AcceptableChange> => {
    const { accepted, refused } = await acceptedAs(meant);
    const [refusal] = refused;
    return {
      label,
      run: meant.run ?? null,
      asRecordings: meant.asRecordings ?? false,
      notes: accepted.map(noteOf),
      refusal: refusal === undefined ? null : toProblem(refusal),
    };
  };
  return {
    changes: async () => {
      if (isAsRecorded(result.verdict)) {
        return { pin, refusal: 'There is nothing to accept: the replays are as recorded.', changes: [] };
      }
      const { ways, areAll } = waysIn(result);
      const meant: readonly (Meant & { readonly label: string })[] = [
        ...(ways.length < 2 && areAll
          ? [{ label: 'what all replays did' }]
          : ways.map((runs) => ({ run: runs[0] as number, label: `what ${runNumbers(runs)} did` }))),
        { asRecordings: true, label: 'all of it, as further recordings' },
      ];
      const changes = await Promise.all(meant.map(changeOf));
      const refused = changes.every(({ refusal }) => refusal !== null);
      return { pin, refusal: refused ? (changes[0]?.refusal?.message ?? '') : '', changes };
    },
    write: async (meant) => {
      const accepted = await acceptedAs(meant);
      const [refusal] = accepted.refused;
      if (refusal !== undefined) {
        const { code, message, evidence, hint } = refusal;
        throw new AgentReplayError(code, message, { evidence, ...(hint !== undefined && { hint }) });
      }
      return replacePin(accepted.session, pin, root);
    },
  };
}

/** Runs with equal behaviour in all turns, without those as recorded; and whether these are all. */
function waysIn({ turns }: SessionResult): { ways: number[][]; areAll: boolean } {
  const wayOf = (run: number) =>
    turns.map(({ comparison }) => comparison.clusters.find(({ runs }) => runs.includes(run)));
  const runs = new Set(turns.flatMap(({ comparison }) => comparison.clusters.flatMap((each) => each.runs)));
  const differing = [...runs].filter((run) => wayOf(run).some((cluster) => cluster?.recorded !== true));
  const ways = Map.groupBy(
    differing.sort((a, b) => a - b),
    (run) =>
      wayOf(run)
        .map((cluster) => cluster?.id ?? '-')
        .join(),
  );
  return { ways: [...ways.values()], areAll: differing.length === runs.size };
}
