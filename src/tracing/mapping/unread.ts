import { type Json, textOrJson } from '../../json/index.ts';
import type { Observation, ObservationType, Unread } from '../../trace/index.ts';
import { type Attributes, onceANameOf } from './attributes.ts';
import { CONVENTIONS } from './conventions.ts';
import { READ } from './payload.ts';

/**
 * Content of a span that nobody reads; only for steps, which are compared. `value`: the step's arguments, result or
 * messages are under an unknown name, so the step is compared without them. `content`: the step says more beside them.
 */
export function unreadIn(attributes: Attributes, observation: Observation): Unread[] {
  const kind = stepKind(observation, attributes);
  const found = droppedOf(attributes, observation, kind);
  if (kind === undefined) return found;
  const { input, output } = observation;
  for (const [attribute, value] of attributes) {
    const name = classOfAttribute(attribute);
    if (kind === 'tool' && name.isReadAsOutput && typeof value === 'string' && STAND_IN.test(value)) {
      found.push({ attribute, degree: 'value' });
      continue;
    }
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

/** What is left out of a step may be its value, and of a span of no known type what makes it a step. */
function droppedOf({ dropped = [] }: Attributes, { type, input, output }: Observation, kind?: StepKind): Unread[] {
  const isWhole = kind !== undefined && input !== undefined && output !== undefined;
  return dropped.map((attribute) => {
    const mayBeValue =
      attribute === 'droppedEventsCount' ? kind === 'model' && !isWhole : kind !== undefined || type === 'span';
    return { attribute, degree: mayBeValue ? 'value' : 'content' };
  });
}

/** Code that has lost a result writes `[object Object]`, `[tool: refund]`. */
const STAND_IN = /^"?\[(?:object \w+|tool(?:[_ ]result)?: ?[\w.-]+)\]"?$/;

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

const classOfAttribute = onceANameOf((attribute): AttributeClass => {
  const isBeside = NEVER.test(attribute) || BESIDE.test(attribute);
  return {
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
});

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
const READ_INPUTS = patternOf('input', 'tool.parameters llm.prompts llm.prompts.** lk.input_* all_messages*');
const READ_OUTPUTS = patternOf(
  'output',
  'lk.response.function_calls ai.response.text ai.response.tool* ai.result.tool* gen_ai.response.tool_* all_messages*',
);

function patternOf(side: 'input' | 'output', more: string): RegExp {
  const keys = [...READ, ...CONVENTIONS].flatMap((row) => row[side] ?? []).concat(more.split(' '));
  const patterns = keys.map((key) => key.replaceAll('.', '\\.').replaceAll('**', '.+').replaceAll('*', '\\w*'));
  return new RegExp(`^(?:${patterns.join('|')})$`);
}

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
