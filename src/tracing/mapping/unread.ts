import { type Json, textOrJson } from '../../json/index.ts';
import type { Observation, ObservationType, Unread } from '../../trace/index.ts';
import type { Attributes } from './attributes.ts';

/**
 * Content of a span that nobody reads; only for steps, which are compared. `value`: the step's arguments, result or
 * messages are under an unknown name, so the step is compared without them. `content`: the step says more beside them.
 */
export function unreadIn(attributes: Attributes, observation: Observation): Unread[] {
  const kind = stepKind(observation, attributes);
  if (kind === undefined) return [];
  const { input, output } = observation;
  const found: Unread[] = [];
  for (const [attribute, value] of attributes) {
    const name = classOfAttribute(attribute);
    if (!name.isContent[kind]) continue;
    if ((name.isReadAsInput && input !== undefined) || (name.isReadAsOutput && output !== undefined)) continue;
    const isLost =
      (input === undefined && output === undefined && isContent(value)) ||
      (output === undefined && name.isOfOutput && isSet(value)) ||
      (input === undefined && name.isOfInput && isSet(value));
    if (isLost) found.push({ attribute, degree: 'value' });
    else if (isLong(value)) found.push({ attribute, degree: 'content' });
  }
  return found;
}

/** What an attribute's name shows about it. */
interface AttributeClass {
  /** It may be content of such a step. */
  readonly isContent: Readonly<Record<StepKind, boolean>>;
  readonly isReadAsInput: boolean;
  readonly isReadAsOutput: boolean;
  readonly isOfInput: boolean;
  readonly isOfOutput: boolean;
  /** It names a tool, or contains the span's kind, in an unknown convention. */
  readonly tells: 'tool' | 'kind' | undefined;
}

/** Senders use the same few names again and again; further names are not cached. */
const REMEMBERED_NAMES = 2_000;
const names = new Map<string, AttributeClass>();

function classOfAttribute(attribute: string): AttributeClass {
  const known = names.get(attribute);
  if (known !== undefined) return known;
  const isBeside = NEVER.test(attribute) || BESIDE.test(attribute);
  const named: AttributeClass = {
    isContent: {
      tool: !isBeside && !DEFINITIONS.test(attribute),
      model: !isBeside && !SETTINGS.test(attribute),
    },
    isReadAsInput: READ_INPUTS.test(attribute),
    isReadAsOutput: READ_OUTPUTS.test(attribute),
    isOfInput: INPUTS.test(attribute),
    isOfOutput: OUTPUTS.test(attribute),
    tells: NEVER.test(attribute)
      ? undefined
      : NAMES_TOOL.test(attribute)
        ? 'tool'
        : HOLDS_KIND.test(attribute)
          ? 'kind'
          : undefined,
  };
  if (names.size < REMEMBERED_NAMES) names.set(attribute, named);
  return named;
}

type StepKind = 'tool' | 'model';

const KINDS: Partial<Readonly<Record<ObservationType, StepKind>>> = {
  tool: 'tool',
  retriever: 'tool',
  generation: 'model',
};

/** By its type, or, if no convention gives one, by its name or the value of some attribute. */
function stepKind({ type, name, callId }: Observation, attributes: Attributes): StepKind | undefined {
  const known = KINDS[type];
  if (known !== undefined) return known;
  if (type !== 'span') return undefined;
  if (callId !== undefined || TOOL_NAMES.test(name)) return 'tool';
  if (MODEL_NAMES.test(name)) return 'model';
  for (const [key, value] of attributes) {
    const { tells } = classOfAttribute(key);
    if (tells === undefined || typeof value !== 'string') continue;
    if (tells === 'tool') return 'tool';
    if (/^"?(?:tool|function|tool_call|retriever|retrieval)"?$/i.test(value)) return 'tool';
    if (/^"?(?:llm|chat|chat_model|generation|completion)"?$/i.test(value)) return 'model';
  }
  return undefined;
}

const NAMES_TOOL = /(?:^|[._])(?:tool|function)[._]name$/;
const HOLDS_KIND = /(?:^|[._])(?:span|run|step)[._]?(?:kind|type)$/i;
const TOOL_NAMES = /^(?:execute_tool|tool_call|toolcall|call_tool|tool|retrieval)[ .:/]\S|\.tool$/i;
const MODEL_NAMES =
  /^(?:chat|text_completion|generate_content) \S+$|^(?:openai|anthropic|bedrock|cohere|mistral)\.chat\b/i;

/** Facts about where a call went and how, not about its content. */
const NEVER =
  /^(?:http|db|rpc|url|code|exception|net|network|server|client|user_agent|messaging|faas|cloud|aws|azure|k8s|thread|enduser|peer|otel|telemetry|process|host|service|deployment|session|user|error|event|tls|dns|feature_flag|metadata|tag|tags|langfuse|logfire|sentry|graph|resource|operation|ai\.telemetry|ai\.request|ai\.settings|ai\.model|ai\.usage|ai\.response\.(?:id|model|timestamp|providerMetadata|finishReason|headers)|genkit:(?!input|output)|traceloop\.(?!entity\.(?:input|output))|mlflow\.(?!span(?:Inputs|Outputs))|braintrust\.(?!input|output))(?:[.:]|$)?/;
/** Parts of names with the same meaning in any namespace. */
const BESIDE =
  /(?:^|[._:])(?:metadata|usage|tokens?|token_count|cost|headers?|tags?|id|ids|models?|model_name|version|mime_type|duration|timestamp|time|time_to_first_\w+|finish_?reasons?|description|provider|system|runtime|path|dotted_order|state|name|type|kind|index|status|session_id|reasoning)$|[._](?:metadata|usage|tokens?|token_count|cost|headers?|tags?|runtime)[._]/i;
/** Settings and tools of a model call, which are read elsewhere or are only evidence. */
const SETTINGS =
  /(?:^|[._])(?:parameters|invocation_parameters|config|settings|options|tool_?choice|tools?|definitions|functions|json_schema|schema|instructions|system_instructions|request)(?:[._]|$)/i;
/** What a tool is, not its arguments. */
const DEFINITIONS = /(?:^|[._])(?:definitions?|json_schema|schema|signature|doc)(?:[._]|$)/i;

/** Where values are searched. A value hidden by another source repeats it, unless that side was not read at all. */
const READ_INPUTS =
  /^(?:input(?:\.value)?|ai\.prompt(?:\.messages)?|ai\.toolCall\.args|prompt|gen_ai\.(?:prompt\b.*|input\.messages|tool\.call\.arguments|tool\.input|request\.messages|retrieval\.query\.text|memory\.query\.text)|llm\.(?:input_messages|prompts)\b.*|gcp\.vertex\.agent\.(?:llm_request|tool_call_args)|mlflow\.spanInputs|traceloop\.entity\.input|tool_arguments|tool\.parameters|lk\.(?:input_\w+|user_transcript|chat_ctx|function_tool\.arguments)|genkit:input|flue\.(?:turn\.input|tool\.arguments|task\.prompt|workflow\.payload)|braintrust\.input(?:_json)?|mastra\.\w+\.input|events|all_messages\w*|pydantic_ai\.all_messages)$/;
const READ_OUTPUTS =
  /^(?:output(?:\.value)?|ai\.(?:response|result)\.(?:text|object|tool\w+)|ai\.toolCall\.result|gen_ai\.(?:completion\b.*|output\.messages|tool\.call\.result|tool\.output|response\.(?:text|object|tool_\w+)|retrieval\.documents|memory\.records)|llm\.output_messages\b.*|gcp\.vertex\.agent\.(?:llm_response|tool_response)|mlflow\.spanOutputs|traceloop\.entity\.output|tool_response|final_result|lk\.(?:response\.text|response\.function_calls|function_tool\.output)|genkit:output|flue\.(?:turn\.output|tool\.result|task\.result|operation\.result|workflow\.result)|braintrust\.output(?:_json)?|mastra\.\w+\.output|events|all_messages\w*)$/;

const INPUTS = /(?:^|[._:])(?:inputs?|args?|arguments|params?|parameters|query|question|prompts?|messages)(?:[._]|$)/i;
const OUTPUTS =
  /(?:^|[._:])(?:outputs?|results?|responses?|return(?:_value)?|completions?|answer|documents?)(?:[._]|$)/i;

function isSet(value: Json): boolean {
  return value !== null && value !== '' && value !== '{}' && value !== '[]';
}

/** JSON, or a text of several words. */
function isContent(value: Json): boolean {
  if (typeof value !== 'string') return typeof value === 'object' && isSet(value) && !isNameList(value);
  return isSet(value) && (/^\s*[[{]/.test(value) || /\S\s+\S+\s+\S/.test(value));
}

/** Long enough to be a sentence, and not a list of names. */
const LONG = 200;

function isLong(value: Json): boolean {
  const text = textOrJson(value);
  return isContent(value) && (text.length >= LONG || /^\s*(?:\{.{20}|\[\s*\{)/s.test(text));
}

function isNameList(value: Json): boolean {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' && !/\s/.test(String(each)));
}
