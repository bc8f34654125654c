import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');

/** What runs in a browser: it imports only types of the rest. */
const IN_BROWSER = path.join('ui', 'web');

/** The table of test/architecture.md: what each module may import. */
const ROWS = [
  ...readFileSync(path.join(ROOT, 'test', 'architecture.md'), 'utf8').matchAll(
    /^\| (?!module)([a-z]+) \|([a-z, ]*)\|$/gm,
  ),
];
const table = new Map(
  ROWS.map(([, name = '', list = '']) => [name, new Set(list.split(',').map((word) => word.trim()))]),
);

interface Import {
  readonly file: string;
  readonly from: string;
  /** The imported file, relative to src/. */
  readonly target: string;
}

function importsInside(): Import[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith(IN_BROWSER),
  );
  return files.flatMap((file) => {
    return importsOf(path.join(SRC, file)).map((specifier) => ({
      file,
      from: moduleOf(file),
      target: path.join(path.dirname(file), specifier),
    }));
  });
}

/** Relative specifiers. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => specifier);
}

function moduleOf(file: string): string {
  return file.includes(path.sep) ? (file.split(path.sep)[0] as string) : path.basename(file, '.ts');
}

const imports = importsInside();

test('every module is in the table of test/architecture.md, and has a row of its own', () => {
  const modules = new Set(
    imports.flatMap(({ from, target }) => [from, moduleOf(target)]).filter((name) => name !== 'errors'),
  );
  expect(new Set(table.keys())).toEqual(modules);
});

test('a module imports only what the table allows it', () => {
  const refused = imports.filter(({ from, target }) => {
    const to = moduleOf(target);
    return to !== from && to !== 'errors' && !table.get(from)?.has(to);
  });
  expect(refused).toEqual([]);
});

test('a module is entered through its door', () => {
  const past = imports.filter(
    ({ from, target }) =>
      moduleOf(target) !== from && target.includes(path.sep) && path.basename(target) !== 'index.ts',
  );
  expect(past).toEqual([]);
});

/** Files that lead back to themselves, each circle once: by what they import, types included. */
function circlesAmong(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    done.add(file);
    for (const next of edges.get(file) ?? []) follow(next, [...trail, file]);
  };
  for (const file of edges.keys()) follow(file, []);
  return circles;
}

test('no file imports itself in a circle, types included', () => {
  const edges = Map.groupBy(imports, ({ file }) => file);
  const targets = [...edges].map(([file, own]) => [file, own.map(({ target }) => target)] as const);
  expect(circlesAmong(new Map(targets))).toEqual([]);
  expect(
    circlesAmong(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b -> c -> b']);
});

/** Folders that the table does not know, with the files of each. */
const RIMS = ['action', 'plugin', path.join('src', IN_BROWSER), 'python'];

function filesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|py)$/.test(file) && !/node_modules|(?:^|\/)tests?\//.test(file))
    .map((file) => path.join(folder, file));
}

/** Paths of what a file imports, relative to the root; Python's `from ._servers import x` included. */
function targetsOf(file: string): string[] {
  const folder = path.dirname(file);
  if (!file.endsWith('.py')) return importsOf(path.join(ROOT, file)).map((each) => path.join(folder, each));
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/^\s*from \.(\w*) import \(?([\w, \n]*)/gm)].flatMap(([, module = '', names = '']) =>
    (module === '' ? names.split(',').map((name) => name.trim()) : [module]).map((name) =>
      path.join(folder, `${name}.py`),
    ),
  );
}

test.each(RIMS)('no file of %s imports itself in a circle, types included', (rim) => {
  expect(circlesAmong(new Map(filesOf(rim).map((file) => [file, targetsOf(file)])))).toEqual([]);
});

/** The sub-folder of a room; `.` for files beside its door. The door itself belongs to none. */
function partOf(file: string): { readonly room: string; readonly part: string } | undefined {
  const browser = path.join('src', IN_BROWSER) + path.sep;
  const [top = '', ...rest] = file.replace(browser, `${IN_BROWSER.replace(path.sep, '-')}${path.sep}`).split(path.sep);
  const [room, inside] = top === 'src' ? [rest[0] ?? '', rest.slice(1)] : [top, rest];
  if (inside.length === 0 || (inside.length === 1 && /^(?:index|main)\.ts$/.test(inside[0] ?? ''))) return undefined;
  return { room, part: inside.length === 1 ? '.' : (inside[0] ?? '') };
}

/** Which parts of a room each of its parts imports, by `room/part`. */
function partsImported(): Map<string, string[]> {
  const arrows = new Map<string, Set<string>>();
  for (const file of ['src', 'action', 'plugin', 'python'].flatMap(filesOf)) {
    const from = partOf(file);
    if (from === undefined) continue;
    const name = `${from.room}/${from.part}`;
    const imported = arrows.get(name) ?? new Set();
    arrows.set(name, imported);
    for (const target of targetsOf(file)) {
      const to = partOf(target);
      if (to?.room === from.room && to.part !== from.part) imported.add(`${to.room}/${to.part}`);
    }
  }
  return new Map([...arrows].map(([name, imported]) => [name, [...imported].sort()]));
}

test('no parts of a room import each other in a circle: they would be one room with labels', () => {
  expect(circlesAmong(partsImported())).toEqual([]);
});

/** The rooms in which a reader needs to know what a part may import: those of more than three parts. */
const ROOMS = ['compare', 'job', 'report', 'tracing'];

test('a part of a room imports what the table of test/architecture.md says, and has a row of its own', () => {
  const found = [...partsImported()].filter(([name]) => ROOMS.includes(name.split('/')[0] as string));
  const rows = found.map(([name, imported]) => {
    const parts = imported.map((each) => each.split('/')[1]);
    return `| ${name} |${parts.map((part) => ` ${part}`).join(',')} |`;
  });
  const text = readFileSync(path.join(ROOT, 'test', 'architecture.md'), 'utf8');
  expect(text.match(/^\| \w+\/[\w.-]+ \|.*\|$/gm)?.toSorted()).toEqual(rows.toSorted());
});

/**
 * Imports of tests past the doors of modules. Each keeps what is behind a door as it is, so these numbers only become
 * smaller: a test goes through the door, or through a helper that does (`test/compare/compare-turn.ts`).
 */
const PAST_DOORS: Readonly<Record<string, number>> = {
  agent: 1,
  chat: 1,
  cli: 4,
  compare: 67,
  config: 4,
  doctor: 11,
  endpoint: 1,
  init: 6,
  job: 44,
  redaction: 3,
  replay: 7,
  report: 27,
  session: 1,
  shift: 51,
  tracing: 25,
  ui: 2,
};

test('no further test imports past the door of a module', () => {
  const targets = filesOf('test')
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => targetsOf(file))
    .map((target) => target.split(path.sep))
    .filter(([top, , ...rest]) => top === 'src' && rest.length > 0 && rest.join() !== 'index.ts')
    .filter(([, room, part]) => path.join(room as string, part as string) !== IN_BROWSER);
  const counts = Map.groupBy(targets, ([, room]) => room as string);
  const more = [...counts].filter(([room, { length }]) => length > (PAST_DOORS[room] ?? 0));
  expect(more.map(([room, { length }]) => `${room}: ${length}`)).toEqual([]);
});

test('the plugin for Vitest knows the core by the door for rims, and by that of texts, which costs no time to load', () => {
  const folder = path.join(ROOT, 'plugin');
  const targets = readdirSync(folder).flatMap((file) =>
    importsOf(path.join(folder, file)).filter((target) => target.startsWith('..')),
  );
  expect(new Set(targets)).toEqual(new Set(['../src/rims.ts', '../src/text/index.ts']));
});

/** Words that stood for several things once: each names one type, and no function. */
const ONE_TYPE_EACH =
  /^(?:export )?(?:interface|type|class) (Behaviour|Finding|Verdict|Outcome|Standing|TurnOutcome)\b/gm;
const SAYS_NOTHING = /^(?:export )?(?:async )?function\*? (?:told|shown|named|said|seen|print|say|show)\b/gm;

test('a name means one thing, and a function is called what it does', () => {
  const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(SRC, file), 'utf8'));
  const types = texts.flatMap((text) => [...text.matchAll(ONE_TYPE_EACH)].map(([, name]) => name));
  expect(types.toSorted()).toEqual([...new Set(types)].toSorted());
  expect(texts.flatMap((text) => text.match(SAYS_NOTHING) ?? [])).toEqual([]);
});

test('the core knows nothing of its rims', () => {
  expect(imports.filter(({ target }) => target.startsWith('..'))).toEqual([]);
});

/** How providers, SDKs and frameworks spell calls, results and parts. Names of span attributes have dots. */
const SHAPES =
  /(?<![\w.'-])'?(tool_calls|toolCalls|tool_use|toolUse|tool_result|toolResult|tool_call_response|tool_call_id|toolCallId|tool_use_id|function_call\w*|functionCall|functionResponse|toolRequest|toolResponse|tool-call|tool-result|part_kind|additional_kwargs|input_text|output_text|systemInstruction)\b/;

test('the shapes in which messages are recorded are known in one folder', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith(IN_BROWSER),
  );
  const knowing = files.filter((file) => SHAPES.test(readFileSync(path.join(SRC, file), 'utf8')));
  expect(new Set(knowing.map(moduleOf))).toEqual(new Set(['chat']));
});

/** What reads a body to its end, or waits, and who may: the reason stands beside each. */
const BARE = [
  [
    /node:stream\/consumers|\.arrayBuffer\(\)|await \w+\.(?:text|json|bytes|blob)\(\)|\.on\('data'|for await \(const chunk/,
    {
      'src/bounded/body.ts': 'it is the reader',
      'src/proxy/lines.ts': 'parts of a stream, each with a limit',
      'src/job/records/line-file.ts': 'our own file, line by line',
      'src/agent/output.ts': 'the end of a log is kept',
      'src/endpoint/node.ts': "the answer of the user's own handler",
      'plugin/ask.ts': 'the answer of our own process',
    },
  ],
  [/node:timers\/promises'|AbortSignal\.timeout|Promise\.race/, { 'src/bounded/wait.ts': 'it is the wait' }],
] as const;

test.each(BARE)('bodies are read and times are waited for in one place: %s', (bare, allowed) => {
  const found = ['src', 'action', 'plugin'].flatMap(filesOf).filter((file) => {
    if (file.startsWith(path.join('src', IN_BROWSER))) return false;
    // Turns of the event loop are no wait.
    const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/import \{ setImmediate \} from .*/g, '');
    return bare.test(text);
  });
  expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted());
});

/** What may write to a file, and why it need not look for secrets once more: the others pass all through `sealed`. */
const WRITERS = {
  'src/job/records/files.ts': 'sealed',
  'src/job/records/line-file.ts': 'sealed',
  'src/job/journal/history-file.ts': 'sealed',
  'src/session/save.ts': 'sealed',
  'action/origin.ts': 'a hash',
  'action/accept-artifact.ts': 'files of a finished run, as they were sealed',
  'action/index.ts': 'a fixed line',
  'action/runner-files.ts': 'a status, counts and paths, as outputs of the step',
  'action/remember.ts': 'state for the post step',
  'src/checkout/checkout.ts': 'files of the working tree, beside it',
  'src/checkout/folder.ts': 'where it started',
  'src/cli/demo.ts': 'the example of the package',
  'src/cli/planned.ts': 'as told: what init and doctor --fix have shown',
  'src/cli/ui.ts': 'a page that leads to the server',
  'src/config/ignore-file.ts': 'paths of values',
  'src/config/saved-targets.ts': 'addresses and headers that the user entered, for him alone',
  'src/files/replace.ts': 'what those pass that are named here',
  'src/job/judging/judge.ts': 'one word',
  'src/job/records/output-folder.ts': 'the number of our process',
};
const WRITES =
  /\b(?:writeFile|appendFile|copyFile|cp|symlink|replaceFile)(?:Sync)?\(|\b(?:writeSync|writev|createWriteStream)\(|handle\.write\(/;
/** Ways around names: a module as a whole, a name under another one, a module that is loaded without an import. */
const HIDES =
  /import (?:\* as )?\w+[^;{]* from 'node:fs|import [^;]*\b(?:\w+ as \w+)[^;]*from '(?:node:fs|undici)|(?:getBuiltinModule|\bimport|require)\(\s*['"`](?:node:)?(?:fs|https?|http2|net|tls|dgram|undici)\b|from 'node:http2'/;

test('no file writes or sends under another name than those that are searched for', () => {
  const hiding = ['src', 'action', 'plugin'].flatMap(filesOf).filter((file) => {
    const code = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^ *(?:\/\/|\*|\/\*).*$/gm, '');
    return HIDES.test(code);
  });
  expect(hiding).toEqual([]);
});

test('a file is written in few places, and each passes what foreign texts can be in through the last border', () => {
  const writing = ['src', 'action', 'plugin'].flatMap(filesOf).filter((file) => {
    return WRITES.test(readFileSync(path.join(ROOT, file), 'utf8'));
  });
  expect(writing.toSorted()).toEqual(Object.keys(WRITERS).toSorted());
  const sealing = Object.entries(WRITERS).flatMap(([file, why]) => (why === 'sealed' ? [file] : []));
  for (const file of sealing) expect(readFileSync(path.join(ROOT, file), 'utf8')).toContain('sealed(');
});

/** What may begin a request, and why no foreign text with a secret leaves by it. */
const SENDERS = {
  'action/github.ts': 'sealed',
  'plugin/ask.ts': 'to our own process',
  'src/agent/readiness.ts': 'no body',
  'src/ask/ask.ts': "from the agent's process to ours",
  'src/files/file.ts': 'reads a pipe',
  'src/proxy/hand-on.ts': "what the agent itself sends to its model, or to its tools' server",
  'src/replay/call.ts': 'a pinned request, to the agent',
  'src/tracing/connections.ts': 'for the three below',
  'src/tracing/forward/forwarder.ts': 'the receiver has starred it',
  'src/tracing/platform/connection.ts': 'questions of ours',
  'src/tracing/receiver/reads.ts': "the agent's own reads",
};
const SENDS =
  /import (?!type)[^;]*\b(?:fetch|request|Pool|Agent|EnvHttpProxyAgent|connect|Socket|https?)\b[^;]*from '(?:undici|node:https?|node:net|node:tls|node:dgram)'|(?<![.\w])fetch\(|new WebSocket\(/;

test('a request begins in few places, and none of them lets a secret out', () => {
  const sending = ['src', 'action', 'plugin'].flatMap(filesOf).filter((file) => {
    const code = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^ *(?:\/\/|\*|\/\*).*$/gm, '');
    return !file.startsWith(path.join('src', IN_BROWSER)) && SENDS.test(code);
  });
  expect(sending.toSorted()).toEqual(Object.keys(SENDERS).toSorted());
  expect(readFileSync(path.join(ROOT, 'action/github.ts'), 'utf8')).toContain('sealed(');
  expect(readFileSync(path.join(ROOT, 'src/tracing/receiver/receiver.ts'), 'utf8')).toContain('star(');
});

/** A limit in seconds that a machine must keep to: of a signal, of a test, of waiting in a test, asserted of a clock. */
const LIMITS = [
  /AbortSignal\.timeout\(\d[\d_]{3,}\)/,
  /\},\s+\d[\d_]{5,},?\s*\);/,
  /\b(?:poll|waitFor|waitUntil|test|describe)\b[^;\n]*\{[^}\n]*\btimeout: \d/,
  /expect\([^\n]*(?:performance|Date)\.now\(\)[^\n]*\)\.toBe(?:Less|Greater)/,
];

test('no test has a limit in seconds: what hangs is ended by the one patience that all have', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/node_modules|fixtures/.test(file),
  );
  expect(files).toContain('patience.ts');
  const limited = files.flatMap((file) => {
    const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
    return LIMITS.flatMap(
      (limit) =>
        limit
          .exec(text)
          ?.slice(0, 1)
          .map((found) => `${file}: ${found}`) ?? [],
    );
  });
  expect(limited).toEqual([]);
});

test('every property draws its cases by the seed of its suite', () => {
  const drawing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/node_modules|fixtures/.test(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
      const [, from] = /^import fc from '(.*)';$/m.exec(text) ?? [];
      return from === undefined ? [] : [{ file, from }];
    });
  expect(drawing.length).toBeGreaterThan(50);
  expect(drawing.filter(({ from }) => !from.endsWith('/fast-check.ts')).map(({ file }) => file)).toEqual([
    'fast-check.ts',
  ]);
});
