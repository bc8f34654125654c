/** What the runner reads out of the log of a step: modelled on ActionCommand.cs and ActionCommandManager.cs of actions/runner. */

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

interface Command {
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly data: string;
}

const REGISTERED = new Set([
  'add-mask',
  'add-matcher',
  'remove-matcher',
  'debug',
  'warning',
  'error',
  'notice',
  'group',
  'endgroup',
  'echo',
  'set-output',
  'save-state',
  'set-env',
  'add-path',
  'stop-commands',
]);
/** These fail the step, unless they are allowed by a variable that nobody should set. */
const UNSECURE = new Set(['set-env', 'add-path']);
const MAX_PER_LEVEL = 10;
const MAX_MESSAGE_CHARS = 4_096;

/** Reads the lines of both streams of a step, in the order in which they come. */
export class LogReader {
  readonly annotations: Annotation[] = [];
  readonly masks: Set<string>;
  /** As the log shows them. */
  readonly lines: string[] = [];
  /** Names of all commands that had an effect. */
  readonly commands: string[] = [];
  failed = false;
  #stopToken: string | undefined;

  /** @param masks of the job, which grow */
  constructor(masks: Set<string>) {
    this.masks = masks;
  }

  /** A line of .NET's reader: it ends at LF, CRLF or a lone CR. */
  static linesOf(text: string): string[] {
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.at(-1) === '') lines.pop();
    return lines;
  }

  read(line: string): void {
    const command = parse(line);
    if (this.#stopToken !== undefined) {
      if (command?.name.toLowerCase() === this.#stopToken) this.#stopToken = undefined;
      else this.#print(line);
      return;
    }
    if (command === undefined || !REGISTERED.has(command.name)) {
      this.#print(line);
      return;
    }
    this.commands.push(command.name);
    this.#obey(command, line);
  }

  masked(text: string): string {
    const longestFirst = [...this.masks].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((masked, mask) => masked.replaceAll(mask, '***'), text);
  }

  #obey({ name, properties, data }: Command, line: string): void {
    if (name === 'add-mask') {
      if (data.trim() === '') return;
      for (const part of [data, ...data.split(/[\r\n]/)]) if (part.trim() !== '') this.masks.add(part.trim());
    } else if (name === 'stop-commands') {
      if (data === '' || REGISTERED.has(data.toLowerCase()) || data === 'pause-logging') this.failed = true;
      else this.#stopToken = data.toLowerCase();
      if (data.length > 6) this.masks.add(data);
    } else if (name === 'error' || name === 'warning' || name === 'notice') {
      if (this.annotations.filter(({ level }) => level === name).length < MAX_PER_LEVEL) {
        const row = properties.get('line');
        this.annotations.push({
          level: name,
          message: this.masked(data).slice(0, MAX_MESSAGE_CHARS),
          title: properties.get('title'),
          file: properties.get('file'),
          line: row === undefined ? undefined : Number(row),
        });
      }
      this.#print(`##[${name}]${data}`);
    } else if (UNSECURE.has(name)) {
      this.failed = true;
    } else {
      this.#print(line);
    }
  }

  #print(line: string): void {
    this.lines.push(this.masked(line));
  }
}

function parse(line: string): Command | undefined {
  return parseColons(line) ?? parseBrackets(line);
}

/** `::name key=value,key=value::data`, after white space only. */
function parseColons(line: string): Command | undefined {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end < 0) return undefined;
  const unescapeData = (value: string) => value.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  const unescapeProperty = (value: string) => unescapeData(value.replaceAll('%3A', ':').replaceAll('%2C', ','));
  return commandOf(text.slice(2, end), ',', unescapeProperty, unescapeData(text.slice(end + 2)));
}

/** `##[name key=value;key=value]data`, from its first place anywhere in the line. */
function parseBrackets(line: string): Command | undefined {
  const start = line.indexOf('##[');
  const end = line.indexOf(']', start);
  if (start < 0 || end < 0) return undefined;
  const unescapeText = (value: string) =>
    value
      .replaceAll('%3B', ';')
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%5D', ']')
      .replaceAll('%25', '%');
  return commandOf(line.slice(start + 3, end), ';', unescapeText, unescapeText(line.slice(end + 1)));
}

function commandOf(
  info: string,
  separator: string,
  unescapeProperty: (value: string) => string,
  data: string,
): Command | undefined {
  const blank = info.indexOf(' ');
  const name = (blank < 0 ? info : info.slice(0, blank)).trim().toLowerCase();
  if (name === '') return undefined;
  const properties = new Map<string, string>();
  for (const pair of blank < 0 ? [] : info.slice(blank + 1).split(separator)) {
    const at = pair.indexOf('=');
    if (at > 0) properties.set(pair.slice(0, at).trim(), unescapeProperty(pair.slice(at + 1)));
  }
  return { name, properties, data };
}
