import { parseAst } from 'rolldown/parseAst';

/** One change in a declaration. Expressions are source text that stands where the old expression stood. */
export type Change =
  /** The whole function is this expression. */
  | { readonly returns: string }
  /** The constant has this value. */
  | { readonly is: string }
  /** The property of an object that is written here has this value. */
  | { readonly property: string; readonly is: string }
  /** Calls of a function or method, by its last name, give this. */
  | { readonly calls: string; readonly give: string }
  /** An argument of such calls. With `first` only of those whose first argument is this text. */
  | { readonly calls: string; readonly first?: string; readonly argument: number; readonly is: string }
  /** Whoever reads this variable or property reads this instead. */
  | { readonly reads: string; readonly give: string };

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A piece of the source, and what stands there instead. */
type Edit = readonly [start: number, end: number, text: string];

/**
 * The source with one declaration changed.
 * @param of a function, a constant, or `Class.method`
 * @throws Error when the source has no such declaration, or it holds nothing that the change is about
 */
export function mutate(source: string, of: string, change: Change): string {
  const declaration = declarationsIn(parseAst(source, { lang: 'ts' }) as unknown as Node).get(of);
  if (declaration === undefined) throw new Error(`there is no ${of}`);
  const edits = editsIn(declaration, change);
  if (edits.length === 0) throw new Error(`${of} has nothing for ${JSON.stringify(change)}`);
  let text = source;
  for (const [start, end, by] of edits.toSorted(([a], [b]) => b - a))
    text = text.slice(0, start) + by + text.slice(end);
  return text;
}

/** What a file declares at its top, and the methods of its classes. */
function declarationsIn(program: Node): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const statement of nodesOf(program.body)) {
    const each = (statement.declaration as Node | null) ?? statement;
    if (each.type === 'FunctionDeclaration') found.set(nameOf(each.id), each);
    for (const one of nodesOf(each.declarations)) found.set(nameOf(one.id), one);
    if (each.type === 'ClassDeclaration') {
      for (const member of nodesOf((each.body as Node).body))
        found.set(`${nameOf(each.id)}.${nameOf(member.key)}`, member);
    }
  }
  return found;
}

function editsIn(declaration: Node, change: Change): Edit[] {
  if ('returns' in change) {
    const { start, end } = ((declaration.value as Node | undefined) ?? declaration).body as Node;
    return [[start, end, `{ return ${change.returns}; }`]];
  }
  if ('reads' in change)
    return readsIn(declaration, change.reads).map(({ start, end }) => [start, end, `(${change.give})`]);
  if ('calls' in change) {
    const calls = [...within(declaration)].filter(
      ({ type, callee }) => type === 'CallExpression' && calledName(callee as Node) === change.calls,
    );
    if ('give' in change) return calls.map(({ start, end }) => [start, end, `(${change.give})`]);
    const chosen = calls.filter(
      (call) => change.first === undefined || nodesOf(call.arguments)[0]?.value === change.first,
    );
    return chosen
      .flatMap((call) => nodesOf(call.arguments).slice(change.argument, change.argument + 1))
      .map(by(change.is));
  }
  if ('property' in change) {
    return [...within(declaration)]
      .filter(({ type, key }) => type === 'Property' && nameOf(key) === change.property)
      .map(({ value }) => value as Node)
      .filter(({ type }) => !type.endsWith('Pattern') && type !== 'Identifier')
      .map(by(change.is));
  }
  return [declaration.init as Node].map(by(change.is));
}

function by(text: string): (node: Node) => Edit {
  return ({ start, end }) => [start, end, `(${text})`];
}

/** Where a variable is read, or a property of that name. */
function readsIn(node: Node, name: string): Node[] {
  if (node.type === 'MemberExpression' && nameOf(node.property) === name) return [node];
  if (node.type === 'Identifier') return node.name === name ? [node] : [];
  const names = NAMES_IN[node.type] ?? [];
  if (node.type.endsWith('Pattern') || node.type.startsWith('TS') || node.shorthand === true) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    names.includes(key) ? [] : nodesOf(value).flatMap((child) => readsIn(child, name)),
  );
}

/** Parts of a node that name something and read nothing. */
const NAMES_IN: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ['params'],
  AssignmentExpression: ['left'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  MemberExpression: ['property'],
  MethodDefinition: ['key'],
  Property: ['key'],
  VariableDeclarator: ['id'],
};

function* within(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) for (const child of nodesOf(value)) yield* within(child);
}

function nodesOf(value: unknown): Node[] {
  return [value].flat().filter((each): each is Node => typeof each === 'object' && each !== null && 'type' in each);
}

/** As it is written: `name`, `#name`. */
function nameOf(node: unknown): string {
  const { type, name = '' } = (node ?? {}) as { type?: string; name?: string };
  return type === 'PrivateIdentifier' ? `#${name}` : name;
}

function calledName(callee: Node): string {
  return nameOf(callee.type === 'MemberExpression' ? callee.property : callee);
}
