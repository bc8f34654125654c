import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../files/index.ts';
import { PYTHON_PACKAGE } from './published.ts';
import { lineIn, type Source, type SourceLine, sourcesIn } from './sources.ts';

type PythonManager = 'uv' | 'poetry' | 'pip';

/** What a folder shows about the Python agent in it. */
export interface PythonProject {
  readonly manager: PythonManager;
  /** What is served, if a file of the project shows it. */
  readonly app: PythonApp | undefined;
  /** Where the span processor belongs; undefined if nothing sets tracing up. */
  readonly tracingPlace: SourceLine | undefined;
  /** Its sources already name the package's span processor. */
  readonly isTraced: boolean;
  readonly hasRequirements: boolean;
}

export interface PythonApp {
  /** From the project's root, with forward slashes. */
  readonly file: string;
  /** `app.main`. */
  readonly module: string;
  /** Where modules are found, `.` or `src`. */
  readonly folder: string;
  /** Of the variable; empty for a program. */
  readonly name: string;
}

const SERVED = {
  fastapi: {
    port: 8000,
    app: /^(\w+)[^=\n]{0,80}=\s*(?:fastapi\.|starlette\.applications\.)?(?:FastAPI|Starlette)\(/m,
  },
  flask: { port: 5000, app: /^(\w+)[^=\n]{0,80}=\s*(?:flask\.)?Flask\(/m },
  'http.server': { port: 8000, app: /\b()(?:Threading)?HTTPServer\(/ },
};
export type PythonFramework = keyof typeof SERVED;

export function isPythonFramework(framework: string): framework is PythonFramework {
  return framework in SERVED;
}

const TRACING = [/\badd_span_processor\(/, /\bTracerProvider\(/, /\bLangfuse\(/, /\blogfire\.configure\(/];

/** The framework that serves the agent, judged by the dependencies. */
export function pythonFrameworkAmong(dependencies: ReadonlySet<string>): PythonFramework {
  if (dependencies.has('fastapi') || dependencies.has('starlette')) return 'fastapi';
  return dependencies.has('flask') ? 'flask' : 'http.server';
}

/** Runs nothing in the folder. */
export async function inspectPython(root: string, framework: PythonFramework): Promise<PythonProject> {
  const files = (await readdir(root)).sort();
  const manifest = await readTextFile(path.join(root, 'pyproject.toml')).catch(() => '');
  const sources = await ownSources(root);
  return {
    manager: managerOf(files, manifest),
    app: appIn(sources, framework),
    tracingPlace: lineIn(sources, TRACING),
    isTraced: sources.some(({ text }) => text.includes('ReplaySpanProcessor(')),
    hasRequirements: files.includes('requirements.txt'),
  };
}

function managerOf(files: readonly string[], manifest: string): PythonManager {
  if (files.includes('uv.lock') || manifest.includes('[tool.uv')) return 'uv';
  return files.includes('poetry.lock') || manifest.includes('[tool.poetry') ? 'poetry' : 'pip';
}

/** Undefined if no file shows what is served. */
export function pythonCommand({ manager, app }: PythonProject, framework: string): string | undefined {
  if (app === undefined) return undefined;
  const { module, name, file, folder } = app;
  // The environment's interpreter, whatever else is on the PATH.
  const python = manager === 'pip' ? 'python3' : `${manager} run python`;
  switch (framework) {
    case 'fastapi': {
      const from = folder === '.' ? '' : `--app-dir ${folder} `;
      return `${python} -m uvicorn ${from}${module}:${name} --port ${SERVED.fastapi.port}`;
    }
    case 'flask':
      return `${python} -m flask --app ${folder === '.' ? `${module}:${name}` : file} run --port ${SERVED.flask.port}`;
    default:
      return `${python} ${file}`;
  }
}

/** The port that it listens on unless its command says otherwise; undefined if the agent is not in Python. */
export function pythonPort(framework: string): number | undefined {
  return isPythonFramework(framework) ? SERVED[framework].port : undefined;
}

function appIn(sources: readonly Source[], framework: PythonFramework): PythonApp | undefined {
  for (const { file, text } of sources) {
    const name = SERVED[framework].app.exec(text)?.[1];
    if (name === undefined) continue;
    const folder = file.startsWith('src/') ? 'src' : '.';
    const module = path.posix
      .relative(folder, file)
      .replace(/\.py$/, '')
      .replace(/\/__init__$/, '')
      .replaceAll('/', '.');
    return { file, module, folder, name };
  }
  return undefined;
}

const SKIPPED = new Set([
  'venv',
  'env',
  'node_modules',
  'build',
  'dist',
  'test',
  'tests',
  '__pycache__',
  'site-packages',
  path.basename(PYTHON_PACKAGE),
]);

/** Nearest to its root first, without a copy of our package. */
async function ownSources(root: string): Promise<Source[]> {
  const depth = ({ file }: Source) => file.split('/').length;
  return (await sourcesIn(root, /\.py$/, SKIPPED)).sort((a, b) => depth(a) - depth(b));
}
