import { isDiverged, otherInput, RecordedTurn, type Sent } from '../../compare/index.ts';
import type { Config } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { inLanguage, type Language } from '../../files/index.ts';
import { type Json, present, textOrJson } from '../../json/index.ts';
import { redactError, redactRecording, redactRecordingTexts, redactTexts } from '../../redaction/index.ts';
import type { Answered, ReplayCall, ReplayResult } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import { type Pin, type PinnedTurn, recordingOf } from '../../session/index.ts';
import { forbiddenIn } from '../../shift/index.ts';
import {
  type Recording,
  responseOnly,
  splitError,
  type Trace,
  unreadError,
  withoutHugeTexts,
} from '../../trace/index.ts';
import type { TraceUsage } from '../records/journal-format.ts';
import { usageOf } from '../records/usage-sum.ts';
import { isInTrace } from './answer-in-trace.ts';

type ReplacedRun = NonNullable<Report['evidence']['runs'][number]['replaced']>[number];

type Redact = (text: string) => string;

/** Everything that is compared, kept and reported of one replay. */
export interface Finding extends Omit<ReplayResult, 'outcome' | 'replaced'> {
  /** The base's agent made it; undefined: this tree's. */
  readonly side?: 'base';
  /** Redacted like its pin. */
  readonly outcome:
    | { readonly kind: 'replayed'; readonly recording: Recording }
    | { readonly kind: 'unverified'; readonly error: AgentReplayError };
  readonly traceId?: string;
  readonly usage?: TraceUsage;
  readonly ended?: Trace['ended'];
  /** Warnings about a replay that was compared. */
  readonly warnings?: readonly AgentReplayError[];
  readonly forbidden?: ReturnType<typeof forbiddenIn>;
  readonly replaced?: readonly Replaced[];
}

/** The replay of a finding. A late finding about the same one replaces the earlier. */
export function callOf({ session, turn, run, side }: ReplayCall & Pick<Finding, 'side'>): string {
  return `${side === undefined ? '' : `${side} `}${turn} ${run} ${session}`;
}

/** A finding that replaces an earlier one, and keeps what it does not know about the call. */
export function superseding(earlier: readonly Finding[], now: Finding): Finding {
  const before = earlier.find((each) => callOf(each) === callOf(now));
  return { ...before, warnings: undefined, forbidden: undefined, ...now };
}

/** A replay that counts only for its cost. */
interface Replaced extends ReplacedRun {
  readonly usage?: TraceUsage;
}

/**
 * @param pin of the replayed session, as it was sent
 * @param redact removes secrets before anything is compared, quoted or cut
 * @param config what is forbidden, and which unread attributes the user has acknowledged
 */
export function findingOf(result: ReplayResult, pin: SentPin, redact: Redact, config: FindingConfig): Finding {
  return withForbidden(replayedOf(result, pin, redact, config), pin, redact, config);
}

/** Where the model answered as recorded to other requests, it shows nothing that the agent does as recorded. */
function withoutModel(
  finding: Finding,
  { outcome, turn }: ReplayResult,
  { session }: SentPin,
  redact: Redact,
  { compare }: FindingConfig,
): Finding {
  const pinned = session.turns[turn - 1];
  if (pinned === undefined || outcome.kind === 'unverified' || finding.outcome.kind === 'unverified') return finding;
  const { recording } = finding.outcome;
  const recorded = new RecordedTurn(pinned, compare);
  const unheld = outcome.answered?.unheld ?? modelNeeded(recorded.otherTools(recording));
  if (unheld === undefined) return finding;
  if (!isAsRecordedBy(recorded, recording)) return finding;
  return { ...finding, outcome: { kind: 'unverified', error: redactError(unheld, redact) } };
}

function isAsRecordedBy(recorded: RecordedTurn, recording: Recording): boolean {
  return Object.values(recorded.compare(recording).aspects).every(({ outcome }) => !isDiverged(outcome));
}

/** Whether a replay does as recorded, whatever it asks its model. */
export function doesAsRecorded(result: ReplayResult, pin: SentPin, redact: Redact, config: FindingConfig): boolean {
  const { outcome } = replayedOf(result, pin, redact, { ...config, offline: false });
  const pinned = pin.session.turns[result.turn - 1];
  if (pinned === undefined || outcome.kind === 'unverified') return false;
  return isAsRecordedBy(new RecordedTurn(pinned, config.compare), outcome.recording);
}

/**
 * The same sentence in all sessions with the same reason.
 * @param why undefined: the model is not needed
 */
export function modelNeeded(why: string | undefined, evidence: readonly string[] = []): AgentReplayError | undefined {
  if (why === undefined) return undefined;
  return new AgentReplayError('MODEL_NEEDED', `The recording cannot answer for the model: ${why}.`, {
    evidence,
    hint: 'Let the model answer: `npx agent-replay run` without --offline. If that edit stays, `npx agent-replay accept --all` then makes the pins hold what the model is asked now.',
  });
}

interface SentPin extends Pick<Pin, 'session'> {
  /** What the run sends to all its sessions; undefined: nothing is known of others. */
  readonly sent?: Sent;
}
type FindingConfig = Pick<Config, 'tracing' | 'compare' | 'prices' | 'language'> & Partial<Pick<Config, 'offline'>>;

export function withForbidden(
  finding: Finding,
  pin: SentPin,
  redact: Redact,
  config: Pick<Config, 'tracing' | 'compare'>,
): Finding {
  const { outcome, turn } = finding;
  const { forbid } = config.compare;
  const pinned = pin.session.turns[turn - 1];
  if (forbid.length === 0 || outcome.kind === 'unverified' || pinned === undefined) return finding;
  try {
    const hasTraces = config.tracing.source !== 'none';
    const steps = new RecordedTurn(pinned, config.compare, { hasTraces }).stepsOf(outcome.recording);
    const forbidden = forbiddenIn(steps, forbid, turn).map((each) => ({ ...each, sentence: redact(each.sentence) }));
    return forbidden.length === 0 ? finding : { ...finding, forbidden };
  } catch (error) {
    return { ...finding, outcome: { kind: 'unverified', error: redactError(asAgentReplayError(error), redact) } };
  }
}

/** A finding without forbidden behaviour. */
export function replayedOf(result: ReplayResult, pin: SentPin, redact: Redact, config: FindingConfig): Finding {
  try {
    const finding = redactedFinding(result, pin, redact, config);
    return config.offline ? withoutModel(finding, result, pin, redact, config) : finding;
  } catch (cause) {
    return notComparable(
      result,
      redact(cause instanceof Error ? cause.message : 'a value that is no Error was thrown'),
      cause,
    );
  }
}

/** A trace that cannot be compared costs only its own replay. */
export function notComparable(
  { outcome: _, callError: __, replaced: ___, ...rest }: ReplayResult,
  met: string,
  cause: unknown,
): Omit<Finding, 'outcome'> & { outcome: { kind: 'unverified'; error: AgentReplayError } } {
  const error = new AgentReplayError('TRACE_INVALID', 'The trace of this replay cannot be compared.', {
    evidence: [`met: ${met}`],
    hint: 'This is a defect of agent-replay: please report it with what the agent traces.',
    cause,
  });
  return { ...rest, outcome: { kind: 'unverified', error } };
}

function redactedFinding(
  { outcome, callError, replaced, ...given }: ReplayResult,
  { session, sent }: SentPin,
  redact: Redact,
  { tracing, prices, language }: Pick<Config, 'tracing' | 'prices' | 'language'>,
): Finding {
  const result = {
    ...given,
    ...present({
      callError: callError && redactError(callError, redact),
      replaced: replaced?.map((each) => replacedOf(each, redact, prices)),
    }),
  };
  if (outcome.kind === 'unverified') {
    const error = redactError(outcome.error, redact);
    return { ...result, ...tracedAs(outcome.trace, prices), outcome: { kind: 'unverified', error } };
  }
  const { trace, response, answered } = outcome;
  const answer = withoutHugeTexts(response?.output);
  if (trace === null) {
    const recording = redactRecordingTexts(responseOnly(answer), redact);
    return { ...result, outcome: { kind: 'replayed', recording } };
  }
  const recording = { ...recordingOf(trace), ...answeredIn(answered) };
  const turn = session.turns[result.turn - 1];
  const lost = unreadError([trace], 'value', tracing.acknowledge) ?? unfitError(turn, tracing);
  const other = inputError(recording, turn, { redact, language, sent });
  // Where the request itself was seen, it says which of its messages is another one.
  const untold = other === undefined ? lost : answered?.unheld;
  const error = (untold && redactError(untold, redact)) ?? other;
  // Both sides must be alike, and the pin was redacted when it was made.
  const personal = redactRecording(recording, session.redacted);
  const kept = redactRecordingTexts(personal, redact);
  const warnings = [
    callError === undefined ? answerNotTraced(answer, trace) : undefined,
    unreadError([trace], 'content', tracing.acknowledge),
    splitError([trace], language),
  ].filter((each) => each !== undefined);
  return {
    ...result,
    ...tracedAs(trace, prices),
    ...(warnings.length > 0 && { warnings: warnings.map((each) => redactError(each, redact)) }),
    outcome: error === undefined ? { kind: 'replayed', recording: kept } : { kind: 'unverified', error },
  };
}

function replacedOf(
  { outcome, replayRunId, attempts, status }: ReplayResult,
  redact: Redact,
  prices: Config['prices'],
): Replaced {
  const provider = outcome.kind === 'unverified' ? outcome.provider : undefined;
  const { traceId, usage } = tracedAs(outcome.trace ?? undefined, prices);
  return {
    replayRunId,
    attempts,
    ...present({ traceId, status }),
    // A run whose turns build on each other is replaced as a whole.
    reason: provider?.reason ?? 'another turn of its run',
    message: outcome.kind === 'unverified' ? redact(outcome.error.message) : '',
    ...(usage && { usage }),
  };
}

function answeredIn({ resultClocks = [], missed = [], asked }: Partial<Answered> = {}): Partial<Recording> {
  return {
    ...(resultClocks.length > 0 && { resultClocks }),
    ...(missed.length > 0 && { missed }),
    ...(asked !== undefined && { asked }),
  };
}

/** What is known about a trace, compared or not, because its cost counts in any case. */
function tracedAs(trace: Trace | undefined, prices: Config['prices']): Pick<Finding, 'traceId' | 'usage' | 'ended'> {
  if (trace === undefined) return {};
  const { id: traceId, ended } = trace;
  return { traceId, usage: usageOf(trace, prices), ...(ended && { ended }) };
}

/** What a recording lost cannot be compared, even where the replay has it. */
function unfitError(turn: PinnedTurn | undefined, { acknowledge }: Config['tracing']): AgentReplayError | undefined {
  const { code, evidence, hint } = (turn && unreadError([turn.recorded], 'value', acknowledge)) ?? {};
  if (code === undefined) return undefined;
  const message = 'The recording is unfit: values of its steps were traced in a way that agent-replay cannot read.';
  return new AgentReplayError(code, message, { evidence, hint: `${hint} Then record the session again.` });
}

const SHOWN_CHARS = 200;

/** The trace was compared. If the user got another answer, a warning says so. */
function answerNotTraced(answer: Json | undefined, trace: Trace): AgentReplayError | undefined {
  if (answer === undefined || isInTrace(answer, trace)) return undefined;
  const message = "The agent's answer is nowhere in the trace, so it was not compared.";
  const shown = textOrJson(answer);
  return new AgentReplayError('ANSWER_NOT_TRACED', message, {
    evidence: [`answered: ${shown.slice(0, SHOWN_CHARS).toWellFormed()}`],
    hint: "Set the output of the turn's root span to what the endpoint answers.",
  });
}

function inputError(
  recording: Recording,
  turn: PinnedTurn | undefined,
  { redact, language, sent: elsewhere }: Pick<SentPin, 'sent'> & { redact: Redact; language: Language | undefined },
): AgentReplayError | undefined {
  const other = turn && otherInput(turn, recording, elsewhere);
  if (turn === undefined || other === undefined) return undefined;
  const { converter, isUnfit } = other;
  // The message leaves out secrets. If only a secret differs, it says no more than that.
  const sent = { recorded: turn.recorded, request: redactTexts(turn.request, redact) };
  const redacted = elsewhere && new Set([...elsewhere].map(redact));
  const difference = otherInput(sent, redactRecordingTexts(recording, redact), redacted)?.difference;
  return new AgentReplayError('TRACE_INPUT_DIFFERS', 'The agent did not work on the messages that were sent.', {
    evidence: [difference ?? 'they differ in a secret'],
    hint: isUnfit
      ? 'Trace what the model is given whole, in a shape that is known (docs/frameworks.md), and record the session again.'
      : converter === undefined
        ? 'Let the endpoint pass the recorded messages on unchanged: `messages` win over `input`.'
        : `The recorded model was given messages in a shape of its own: let the endpoint convert what is sent, with ${inLanguage(
            language,
            {
              javascript: `${converter}(messages) of agent-replay/endpoint`,
              python: 'the function of agent_replay.messages for its library',
            },
          )}.`,
  });
}
