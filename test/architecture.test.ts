import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');

/** The table of docs/architecture.md: how many names each module exports, and what it may import. */
const ROWS = [
  ...readFileSync(path.join(ROOT, 'docs', 'architecture.md'), 'utf8').matchAll(
    /^\| (?!module)([a-z]+) \| (\d+) \|([a-z, ]*)\|$/gm,
  ),
];
const table = new Map(
  ROWS.map(([, name = '', , list = '']) => [name, new Set(list.split(',').map((word) => word.trim()))]),
);

interface Import {
  readonly file: string;
  readonly from: string;
  /** The imported file, relative to src/. */
  readonly target: string;
}

function importsInside(): Import[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
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

test('every module is in the table of docs/architecture.md, and has a row of its own', () => {
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

/** How many names the door of a module exports. */
function widthOf(name: string): number {
  const door = [`${name}/index.ts`, `${name}/main.ts`, `${name}.ts`].find((file) => existsSync(path.join(SRC, file)));
  const text = readFileSync(path.join(SRC, door ?? name), 'utf8');
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  const declared = text.match(/^export (?:async )?(?:function\*?|const|class|interface|type) \w/gm) ?? [];
  return lists.filter((each) => each.trim() !== '').length + declared.length;
}

test('the door of each module is as wide as the table says', () => {
  const wide = ROWS.map(([, name = '', width]) => ({ name, width: Number(width) }));
  expect(wide).toEqual(wide.map(({ name }) => ({ name, width: widthOf(name) })));
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

test('the plugin for Vitest knows the core by the door for rims, and by two small ones that cost no time to load', () => {
  const folder = path.join(ROOT, 'plugin');
  const targets = readdirSync(folder).flatMap((file) =>
    importsOf(path.join(folder, file)).filter((target) => target.startsWith('..')),
  );
  expect(new Set(targets)).toEqual(new Set(['../src/rims.ts', '../src/untrusted.ts', '../src/counted.ts']));
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
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const knowing = files.filter((file) => SHAPES.test(readFileSync(path.join(SRC, file), 'utf8')));
  expect(new Set(knowing.map(moduleOf))).toEqual(new Set(['chat']));
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
