import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PlannedFile } from './planned-file.ts';
import type { Project } from './project.ts';
import { edit, withImport } from './repairs.ts';
import type { Source } from './sources.ts';
import { ownSources, SOURCE } from './tracing-place.ts';

const OPENTELEMETRY = '@opentelemetry/api';
const IMPORT = `import * as opentelemetry from '${OPENTELEMETRY}';`;

/** The edits, or why there are none, with the lines that a person writes. */
type TurnSpan = { readonly edits: readonly PlannedFile[] } | { readonly obstacle: string; readonly lines: string };

/**
 * For an agent whose requests make several traces: the function that the endpoint calls is renamed, and one of its name
 * opens the span.
 */
export async function turnSpanOf(project: Project): Promise<TurnSpan> {
  const sources = await ownSources(project.root);
  const endpoint = sources.find(({ text }) => /\breplayEndpoint\(/.test(text));
  const turn = endpoint && calledIn(endpoint);
  const without = (obstacle: string) => ({ obstacle, lines: turnSpanLines(turn?.name) });
  if (endpoint === undefined) return without('no file here calls replayEndpoint()');
  if (turn === undefined) return without(`${endpoint.file} calls no function that it imports by name`);
  const { name, from } = turn;
  const places = from.startsWith('@/')
    ? [from.slice(2), path.posix.join('src', from.slice(2))]
    : [path.posix.join(path.posix.dirname(endpoint.file), from)];
  const source = sources.find(({ file }) =>
    places.some((place) => file.replace(SOURCE, '') === place.replace(SOURCE, '')),
  );
  if (source === undefined) return without(`${name} comes from ${from}, which is no file of this project`);
  const declared = new RegExp(
    `^(export )?(async function ${name}(?=[(<])|const ${name}(?=(?:: [^=]{0,300})? = async\\b))`,
    'm',
  );
  const found = declared.exec(source.text);
  if (found === null) return without(`${source.file} declares no async function ${name}`);
  if (!existsSync(path.join(project.root, 'node_modules', OPENTELEMETRY)))
    return without(`${OPENTELEMETRY} is not installed`);
  const imported = withApi(source.text);
  if (imported === undefined) return without(`${source.file} calls something else opentelemetry`);
  const text = imported.replace(declared, `$2Inside`).trimEnd();
  const around = spanAround(name, found[1] ?? '', /tsx?$/.test(source.file) ? 'ts' : 'js');
  return { edits: [edit(source, `${text}\n\n${around}`, 'one span around the turn')] };
}

const IMPORTED = /^(?:import|const) \{([^}]{0,2000})\} (?:from |= require\()['"](@?\.{0,2}\/[^'"]+)['"]/gm;
const CALLED = /(=>|\breturn|\bawait|\breplayEndpoint\()\s*(?:await\s+)?(\w+)(?=[(,)])/g;
/** Up to the next statement of the module, as a file may handle other requests, too. */
const ENDPOINT = /\breplayEndpoint\(.*?(?=\n[^\s)}\]]|$)/s;

/**
 * The function of the user's that an endpoint calls: one called takeTurn, or else of those that it calls the last whose result
 * it returns, as the others prepare the turn.
 */
function calledIn({ text }: Source): { readonly name: string; readonly from: string } | undefined {
  const known = new Map(
    [...text.matchAll(IMPORTED)].flatMap(([, names = '', from = '']) =>
      names.split(',').map((each) => {
        const [name = '', local = name] = each.trim().split(/ as |: /);
        return [local, { name, from }] as const;
      }),
    ),
  );
  const code = withoutComments(text).replace(/\bflush\s*:.*/g, '');
  const called = [ENDPOINT.exec(code)?.[0] ?? '', code]
    .map((part) => [...part.matchAll(CALLED)].filter(([, , local = '']) => known.has(local)))
    .find((matches) => matches.length > 0);
  const turn =
    called?.find(([, , local]) => local === 'takeTurn') ??
    called?.findLast(([, before]) => before !== 'await') ??
    called?.[0];
  return known.get(turn?.[2] ?? '');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?(?:\*\/|$)|(?<!:)\/\/.*/g, '');
}

/** The text with OpenTelemetry's API imported as `opentelemetry`; undefined where that is something else. */
function withApi(text: string): string | undefined {
  if (/^(?:import \* as opentelemetry from |const opentelemetry = require\()['"]@opentelemetry\/api['"]/m.test(text))
    return text;
  return /(?<!@)\bopentelemetry\b/.test(withoutComments(text)) ? undefined : withImport(text, IMPORT);
}

/** For a person to write. */
function turnSpanLines(name = 'takeTurn'): string {
  return `${IMPORT}\n\n${spanAround(name, '', 'js')}`;
}

/** By its attribute Langfuse's processor, too, takes the span for one to export. */
function spanAround(name: string, exported: string, language: 'ts' | 'js'): string {
  const inside = `${name}Inside`;
  const [typed, thrown] = language === 'ts' ? [`: Parameters<typeof ${inside}>`, 'error as Error'] : ['', 'error'];
  return `/** One span around the turn holds all others. */
${exported}function ${name}(...turn${typed}) {
  // Add 'session.id', the id of the conversation: then \`record\` pins its turns as one session.
  const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
  return opentelemetry.trace.getTracer('agent').startActiveSpan('turn', { attributes }, async (span) => {
    try {
      return await ${inside}(...turn);
    } catch (error) {
      span.recordException(${thrown});
      span.setStatus({ code: opentelemetry.SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
`;
}
