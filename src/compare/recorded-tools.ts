import { outcomeIn } from '../chat/index.ts';
import { canonical, type Json, type JsonObject } from '../json/index.ts';
import type { Recording } from '../trace/index.ts';
import type { CompareRules } from './shapes/rules.ts';
import type { Step } from './shapes/step.ts';
import { type RecordedCall, recordedCalls } from './steps/recorded-calls.ts';
import { type Clock, clockOf } from './steps/tree.ts';
import { isContainer, mapLeaves } from './values/canonical.ts';
import { type PathRules, pathRules, placesApart } from './values/paths.ts';
import { replaceTokens, tokensIn } from './values/volatile.ts';

interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

/** What one recording of a turn holds of its tools. */
interface Recorded {
  readonly calls: readonly RecordedCall[];
  /** Places of calls by their compared arguments, in the order in which they were made. */
  readonly places: ReadonlyMap<string, readonly { readonly place: number }[]>;
  readonly clock: Clock | undefined;
}

/** The tools of a turn's recordings, read once for all replays. */
export class RecordedTools {
  readonly recorded: readonly Recorded[];
  readonly rules: CompareRules;
  /** Tools that run a model. */
  readonly subAgents: ReadonlySet<string>;
  readonly #paths: PathRules;
  readonly #asPinned: (value: Json) => Json;

  /**
   * @param recordings the original first
   * @param asPinned removes from a value what was removed from recordings
   */
  constructor(
    recordings: readonly Recording[],
    rules: CompareRules,
    asPinned: (value: Json) => Json = (value) => value,
  ) {
    this.rules = rules;
    this.#asPinned = asPinned;
    this.#paths = pathRules(rules);
    this.recorded = recordings.map((recording) => {
      const calls = recordedCalls(recording);
      return { calls, places: this.#placesOf(calls), clock: clockOf(recording.observations) };
    });
    const calls = this.recorded.flatMap((each) => each.calls);
    this.subAgents = new Set(calls.filter(({ isSubAgent }) => isSubAgent).map(({ name }) => name));
  }

  keyOf({ name, arguments: args }: ToolCall): string {
    const { value } = this.#paths.strip<Step>({ kind: 'call', name, value: this.#asPinned(args) });
    return `${name}\0${canonical(value)}`;
  }

  /** Starts following one replay of the turn through its tool calls. */
  follow(): Following {
    return new Following(this);
  }

  #placesOf(calls: readonly RecordedCall[]): Recorded['places'] {
    const keyed = calls.flatMap(({ name, arguments: forms }, place) => {
      const keys = new Set(forms.map((each) => this.keyOf({ name, arguments: each })));
      return [...keys].map((key) => ({ key, place }));
    });
    return Map.groupBy(keyed, ({ key }) => key);
  }
}

/** A recording, and how far one replay has followed it. */
class Track {
  readonly recorded: Recorded;
  readonly #turn: RecordedTools;
  readonly #used = new Set<number>();
  /** Ids of this replay, and the recorded ids that they correspond to. */
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(recorded: Recorded, turn: RecordedTools) {
    this.recorded = recorded;
    this.#turn = turn;
  }

  /** Place of the first equal call that the replay has not made yet. */
  find(call: ToolCall): number | undefined {
    const key = this.#turn.keyOf({ name: call.name, arguments: this.#asRecorded(call.arguments) });
    return this.recorded.places.get(key)?.find(({ place }) => !this.#used.has(place))?.place;
  }

  use(place: number): void {
    this.#used.add(place);
  }

  /** Learns which ids of this replay correspond to recorded ones, from a tool result on both sides. */
  learn(place: number, result: Json): void {
    const outcome = this.recorded.calls[place]?.outcome;
    if (outcome === undefined || 'error' in outcome || this.#turn.rules.identities === 'literal') return;
    // One result may be in an MCP server's form, and the other as the agent's tracing recorded it.
    this.#pair(outcomeIn(outcome.result) ?? outcome.result, outcomeIn(result) ?? result);
  }

  /** The recorded call of the tool whose arguments differ in the fewest places; calls not made yet come first. */
  nearest({ name, arguments: args }: ToolCall): RecordedCall | undefined {
    const given = this.#asRecorded(args);
    const [nearest] = [...this.recorded.calls.entries()]
      .filter(([, call]) => call.name === name)
      .map(([place, call]) => ({
        call,
        isUsed: Number(this.#used.has(place)),
        distance: placesApart(call.arguments[0], given),
      }))
      .sort((a, b) => a.isUsed - b.isUsed || a.distance - b.distance);
    return nearest?.call;
  }

  #asRecorded(value: Json): Json {
    if (this.#ids.size === 0) return value;
    return mapLeaves(value, (text) => replaceTokens(text, (token) => this.#ids.get(token.text) ?? token.text));
  }

  #pair(recorded: Json, own: Json): void {
    if (typeof recorded === 'string' && typeof own === 'string') this.#pairTexts(recorded, own);
    if (!isContainer(recorded) || !isContainer(own) || Array.isArray(recorded) !== Array.isArray(own)) return;
    for (const [name, each] of Object.entries(recorded)) {
      const other = Object.hasOwn(own, name) ? (own as JsonObject)[name] : undefined;
      if (other !== undefined) this.#pair(each, other);
    }
  }

  /** Only ids of the same shape at the same place correspond, one to one. */
  #pairTexts(recorded: string, own: string): void {
    const [theirs, ours] = [tokensIn(recorded), tokensIn(own)];
    if (theirs.length !== ours.length) return;
    for (const [index, { text, shape }] of ours.entries()) {
      const other = theirs[index];
      if (other === undefined || other.shape !== shape || this.#ids.has(text) || this.#taken.has(other.text)) continue;
      this.#ids.set(text, other.text);
      this.#taken.add(other.text);
    }
  }
}

/** A recorded call, and its recording to learn ids from if the tool runs anyway. */
interface Held {
  readonly call: RecordedCall;
  readonly clock: Clock | undefined;
  learn(result: Json): void;
}

/**
 * One replay of a turn, followed through its tool calls. A call is looked up by its arguments, with this replay's ids
 * replaced by the recorded ones, and among equal calls by occurrence; never by its position among other calls. Of several
 * recordings, only those count whose results this replay was given so far; first the result that most of them hold, since
 * those that were accepted beside an original can be of another world.
 */
class Following {
  #tracks: readonly Track[];

  constructor(turn: RecordedTools) {
    this.#tracks = turn.recorded.map((recorded) => new Track(recorded, turn));
  }

  /** Releases the recordings. No call is found any more. */
  close(): void {
    this.#tracks = [];
  }

  /**
   * The recorded call that corresponds to this one; undefined if no recording followed so far contains it.
   * @param isAnswered whether the agent is given the recorded result
   */
  next(call: ToolCall, isAnswered: boolean): Held | undefined {
    const holding = this.#tracks.flatMap((track) => {
      const place = track.find(call);
      return place === undefined ? [] : [{ track, place, found: track.recorded.calls[place] as RecordedCall }];
    });
    const alike = [...Map.groupBy(holding, ({ found }) => outcomeText(found)).values()];
    const [most = []] = alike.sort((a, b) => b.length - a.length);
    const followed = isAnswered ? most : holding;
    const [first] = followed;
    if (first === undefined) return undefined;
    for (const { track, place } of followed) track.use(place);
    if (isAnswered) this.#tracks = followed.map(({ track }) => track);
    return {
      call: first.found,
      clock: first.track.recorded.clock,
      learn: (result) => {
        for (const { track, place } of followed) track.learn(place, result);
      },
    };
  }

  nearest(call: ToolCall): RecordedCall | undefined {
    return this.#tracks[0]?.nearest(call);
  }
}

function outcomeText({ outcome }: RecordedCall): string {
  if (outcome === undefined) return '';
  return 'error' in outcome ? `error ${outcome.error}` : `result ${canonical(outcome.result)}`;
}
