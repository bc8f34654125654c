import path from 'node:path';
import { shippedFiles, shippedText } from '../files/index.ts';
import { copiedFolder, type PlannedFile } from './planned-file.ts';
import { PYTHON_PACKAGE } from './published.ts';
import type { PythonApp, PythonFramework, PythonProject } from './python.ts';

const MODULES = 'src/agent_replay';

/** A copy of the Python package, so that only the command is needed to get it. */
export function pythonPackageFiles(root: string): PlannedFile[] {
  const modules = shippedFiles(`python/${MODULES}`).filter((name) => /\.(?:py|typed)$/.test(name));
  const files = ['pyproject.toml', 'README.md', ...modules.map((name) => path.posix.join(MODULES, name))];
  const contents = Object.fromEntries(files.map((file) => [file, shippedText(`python/${file}`)]));
  const purpose = 'the Python half of agent-replay, for pip, uv or poetry to install';
  return copiedFolder(PYTHON_PACKAGE, { ...contents, '.gitignore': LEFT_BY_PIP }, { root, purpose });
}

const LEFT_BY_PIP = 'build/\n*.egg-info/\n__pycache__/\n';

/** How the package is added to the project. */
export function pythonInstall({ manager, hasRequirements }: PythonProject): string {
  if (manager !== 'pip') return `${manager} add ${PYTHON_PACKAGE}`;
  const kept = hasRequirements ? `, and add the line ${PYTHON_PACKAGE} to requirements.txt` : '';
  return `pip install ${PYTHON_PACKAGE}${kept}`;
}

/** How a workflow installs it. */
export function pythonInstallSteps({ manager, hasRequirements }: PythonProject): readonly string[] {
  switch (manager) {
    case 'uv':
      return ['pipx install uv', 'uv sync --frozen'];
    case 'poetry':
      return ['pipx install poetry', 'poetry install'];
    case 'pip':
      return [hasRequirements ? 'pip install -r requirements.txt' : `pip install . ${PYTHON_PACKAGE}`];
  }
}

/** What each framework gets, and the line of the user's server that mounts it. */
const MOUNTS: Readonly<Record<PythonFramework, { adapter: string; made: string; line: string }>> = {
  fastapi: {
    adapter: 'asgi_app',
    made: 'replay = asgi_app(endpoint)',
    line: 'app.add_route("/replay", replay)',
  },
  flask: {
    adapter: 'wsgi_app',
    made: 'def replay():\n    return wsgi_app(endpoint)',
    line: 'app.add_url_rule("/replay", view_func=replay, methods=["POST"])',
  },
  'http.server': {
    adapter: 'answer_http',
    made: 'def replay(handler):\n    answer_http(endpoint, handler)',
    line: 'if self.path == "/replay": return replay(self)  # first in do_POST',
  },
};

/** The replay endpoint, beside what serves the agent. */
export function pythonEndpointFile(
  { app }: PythonProject,
  framework: PythonFramework,
  agent: { readonly name: string; readonly converter: string | undefined } | undefined,
): PlannedFile {
  const { adapter, made, line } = MOUNTS[framework];
  const converter = agent?.converter;
  const taken = converter === undefined ? 'turn.messages' : `${converter}(turn.messages)`;
  const converting = converter === undefined ? '' : `from agent_replay.messages import ${converter}\n`;
  const within = packageOf(app);
  const gap = made.startsWith('def') ? '\n\n' : '\n';
  return {
    path: path.posix.join(app === undefined ? '.' : path.posix.dirname(app.file), 'replay_endpoint.py'),
    purpose: `POST /replay: takes a recorded turn again${converter === undefined ? '' : `, in messages of ${agent?.name}`}`,
    content: `import os

from agent_replay.endpoint import ${[adapter, 'replay_endpoint'].sort().join(', ')}
${converting}
# Change this line: the function with which your agent takes a normal turn, async or not. There is no replay mode.
from ${within}agent import take_turn

endpoint = replay_endpoint(
    lambda turn: take_turn(${taken}),
    token=os.environ.get("REPLAY_TOKEN"),
    # flush=provider.force_flush,  # sends what tracing still holds, before the answer
)
${gap}# In your server: ${line}
${made}
`,
  };
}

/** What users must still do once the files exist, in order. */
export function pythonSteps(project: PythonProject, framework: PythonFramework): string[] {
  const { app, tracingPlace, isTraced } = project;
  const place = `from ${packageOf(app)}replay_endpoint import replay`;
  const processor = 'provider.add_span_processor(ReplaySpanProcessor()), from agent_replay.tracing';
  const traced =
    tracingPlace === undefined
      ? 'Trace your agent, with OpenTelemetry or Langfuse, and add the span processor: docs/python.md has the lines.'
      : `In ${tracingPlace.file}, beside line ${tracingPlace.line}: ${processor}.`;
  return [
    'In replay_endpoint.py, check that take_turn is the function with which your agent takes a turn.',
    `Mount it in ${app?.file ?? 'your server'}: ${place}, then ${MOUNTS[framework].line}`,
    ...(isTraced ? [] : [traced]),
  ];
}

/** `app.` for a file in the package `app`. */
function packageOf(app: PythonApp | undefined): string {
  const parts = app?.module.split('.').slice(0, -1) ?? [];
  return parts.length === 0 ? '' : `${parts.join('.')}.`;
}
