import type { AgentOptions } from '../../agent/index.ts';
import { askedOnly, RecordedTurn } from '../../compare/index.ts';
import { type Config, withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { ModelRun, RecordedModel } from '../../proxy/index.ts';
import type { ReplayCall, ToolUse } from '../../replay/index.ts';
import { counted } from '../../text/index.ts';
import { callOf, modelNeeded } from '../judging/finding.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { addressVariables, asPinnedIn, heldIn, type ModelStandIn, modelUnseen } from './live-model.ts';

/** A key that no provider takes, so that an agent that asks a model elsewhere pays for nothing. */
const NO_KEY = 'agent-replay-offline';
const KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
];

/** Run k of a turn gets the answers of its k-th recorded path. */
export class OfflineModel implements ModelStandIn {
  readonly addresses: ModelStandIn['addresses'];
  readonly environment: Readonly<Record<string, string>>;
  readonly #config: Config;
  readonly #turns = new Map<string, (run: number) => RecordedModel>();
  /** Its replays, if they are kept. */
  runs: Map<string, ModelRun> | undefined;
  /** Those of the base's agent that did as recorded: what differs from them is of this tree. */
  base: ReadonlyMap<string, ModelRun> | undefined;

  /** @throws AgentReplayError `AGENT_ELSEWHERE` */
  constructor(agent: AgentOptions, config: Config, environment: NodeJS.ProcessEnv) {
    this.#config = config;
    this.addresses = addressVariables(config, agent).map((variable) => ({ variable }));
    const set = KEYS.filter((key) => agent.env?.[key] ?? environment[key]);
    this.environment = Object.fromEntries(set.map((key) => [key, NO_KEY]));
  }

  /** Registers recordings before they are replayed. */
  expect(sessions: readonly PlannedSession[], redact: (text: string) => string): void {
    for (const { pin, own, turns } of sessions) {
      const asPinned = asPinnedIn(pin, redact);
      const { compare } = withOwn(this.#config, own);
      for (const turn of turns) {
        let paths: RecordedModel[] | undefined;
        this.#turns.set(`${turn} ${pin.session.id}`, (run) => {
          const pinned = pin.session.turns[turn - 1] as (typeof pin.session.turns)[number];
          paths ??= new RecordedTurn(pinned, compare)
            .paths()
            .map((calls) => ({ answers: heldIn(calls), otherwise: 'next in order', asPinned }));
          return paths[(run - 1) % paths.length] as RecordedModel;
        });
      }
    }
  }

  recorded({ session, turn, run }: ReplayCall): RecordedModel {
    return this.#turns.get(`${turn} ${session}`)?.(run) as RecordedModel;
  }

  begun(call: ReplayCall, run: ModelRun): void {
    this.runs?.set(callOf(call), run);
  }

  use(run: ModelRun, tools: ToolUse | undefined, call?: ReplayCall): ToolUse {
    const { counts = { recorded: 0, live: 0, missed: 0 }, resultClocks = [], missed = [] } = tools ?? {};
    const breach: ToolUse['breach'] = (trace) => tools?.breach(trace);
    const base = call && this.base?.get(callOf(call));
    const asked = base && base.refused.length + base.left === 0 ? askedOnly(base.requests, run.requests) : undefined;
    const isHeld = missed.length > 0 || asked === '';
    const unheld = isHeld
      ? undefined
      : asked
        ? neededFor(`its ${asked} is another one than at the base`, run)
        : unheldIn(run);
    const doubt = tools?.doubt ?? (isHeld ? undefined : this.#doubtOf(run, unheld));
    const isRecorded = run.answered > 0 && run.notHeld.length + run.refused.length === 0;
    const read = { asked: asked ?? (isRecorded ? '' : undefined), answers: () => run.answered };
    return { counts, resultClocks, missed, breach, doubt, unheld, ...read };
  }

  #doubtOf(run: ModelRun, unheld: AgentReplayError | undefined): AgentReplayError | undefined {
    if (run.answered === 0 && run.refused.length === 0 && run.left > 0)
      return modelUnseen(this.#config, `recorded: ${counted(run.left, 'model call')}`);
    if (run.refused.length === 0) return undefined;
    if (run.requests.length === 0) return neededFor('it is asked in no protocol that can be answered', run);
    return run.notHeld.length === 0 ? neededFor('it is asked for more than was recorded', run) : unheld;
  }
}

/** Why a replay that does as recorded shows nothing of what its model would do. */
function unheldIn(run: ModelRun): AgentReplayError | undefined {
  const [first] = run.notHeld;
  if (first !== undefined) return neededFor(`its ${first.part} differs`, run);
  return run.left === 0 ? undefined : neededFor('it is asked for less than was recorded', run);
}

function neededFor(why: string, { notHeld, refused, left }: ModelRun): AgentReplayError | undefined {
  return modelNeeded(why, [
    ...notHeld.map(({ request, part }) => `request ${request}: another ${part}`),
    ...refused.map((what) => `not answered: ${what}`),
    ...(left > 0 ? [`recorded, and not asked for: ${counted(left, 'model call')}`] : []),
  ]);
}
