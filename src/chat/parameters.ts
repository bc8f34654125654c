import { isJsonObject, type Json, type JsonObject, spelledOut } from '../json/index.ts';

/**
 * Settings of a caller in providers' spellings, in lower case without separators. Other recorded values (ids and times of
 * the response, usage, retries) are not settings.
 */
const SET_BY_CALLERS = new Set([
  'temperature',
  'topp',
  'topk',
  'topa',
  'minp',
  'maxtokens',
  'maxoutputtokens',
  'maxcompletiontokens',
  'maxtokenstosample',
  'maxnewtokens',
  'maxgenlen',
  'n',
  'choicecount',
  'candidatecount',
  'seed',
  'randomseed',
  'stop',
  'stopsequences',
  'presencepenalty',
  'frequencypenalty',
  'repetitionpenalty',
  'logitbias',
  'toolchoice',
  'functioncall',
  'toolconfig',
  'paralleltoolcalls',
  'responseformat',
  'responsemimetype',
  'responseschema',
  'outputtype',
  'outputformat',
  'text',
  'format',
  'reasoning',
  'reasoningeffort',
  'effort',
  'thinking',
  'thinkingconfig',
  'thinkingbudget',
  'budgettokens',
  'verbosity',
  'safetysettings',
  'modalities',
  'truncation',
  'servicetier',
  'mode',
]);
/** Senders put a call's settings below one of these. */
const NESTED = new Set(['generationconfig', 'inferenceconfig', 'settings', 'modelsettings', 'config', 'options']);

/** The settings of a caller, taken from everything recorded about a model call. Undefined if there are none. */
export function parametersIn(recorded: JsonObject | undefined): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(recorded ?? {})) {
    const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
    const spelled = NESTED.has(plain) ? spelledOut(value) : undefined;
    if (isJsonObject(spelled)) entries.push(...Object.entries(parametersIn(spelled) ?? {}));
    else if (value !== null && value !== '' && SET_BY_CALLERS.has(plain)) entries.push([name, value]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
