export const id = 888;
export const ids = [888];
export const modules = {

/***/ 1888:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Sy: () => (/* binding */ writeSummary),
/* harmony export */   eB: () => (/* binding */ publishOutputs),
/* harmony export */   fz: () => (/* binding */ annotate),
/* harmony export */   lm: () => (/* binding */ notice),
/* harmony export */   reportError: () => (/* binding */ reportError)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6421);
/* harmony import */ var _src_index_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7996);
/* harmony import */ var _inputs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(896);
/* harmony import */ var _masks_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2130);





/** The runner takes 10 of each level from a step; the first is the result of the whole. */
const MAX_PLACED_PER_LEVEL = 9;
/** The runner drops a summary of more than 1 MiB as a whole. */
const MAX_SUMMARY_BYTES = 900 * 1024;
/** Tells of a failure that left no report: an annotation with what to do next, and the output `status`. */
function reportError(thrown) {
    const { message, hint, code, evidence, location } = described(thrown);
    const text = [`${message} (${code})`, ...evidence, hint].filter((part) => part !== '').join('\n');
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3(plain((0,_masks_js__WEBPACK_IMPORTED_MODULE_4__/* .redact */ .E)(text)), {
        title: 'agent-replay: could not tell',
        ...(location?.file === undefined ? {} : { file: location.file, startLine: location.line ?? 1 }),
    });
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .setOutput */ .uH('status', 'error');
}
function described(thrown) {
    if (thrown instanceof _inputs_js__WEBPACK_IMPORTED_MODULE_3__/* .InputError */ .dz) {
        return { message: thrown.message, hint: thrown.hint, code: 'INPUT_INVALID', evidence: [], location: undefined };
    }
    const { message, hint = '', code, evidence, location } = (0,_src_index_js__WEBPACK_IMPORTED_MODULE_2__/* .asAgentReplayError */ .HX)(thrown);
    return { message, hint, code, evidence, location };
}
/** One quiet sentence beside the result. Never changes it. */
function notice(message) {
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .notice */ .lm(plain(message), { title: 'agent-replay' });
}
/** The result as an annotation, and what diverged or could not be told at its place in the pins. */
function annotate({ results }, plan, root) {
    const pins = new Map(plan === undefined ? [] : (0,_src_index_js__WEBPACK_IMPORTED_MODULE_2__/* .plannedSessions */ .q2)(plan).map(({ pin }) => [pin.path, pin]));
    const lineOf = (pin, turn) => pins.get(pin)?.locate(`/turns/${turn - 1}`)?.line;
    const placed = [
        ...results.problems.map((problem) => placedProblem(problem, 'error')),
        ...results.sessions.flatMap((session) => placedIn(session, lineOf)),
    ];
    if (results.status !== 'passed') {
        const left = placed.filter(({ level }) => level === 'error').length - MAX_PLACED_PER_LEVEL;
        const more = left > 0 ? ` ${left} more are told in the job summary.` : '';
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3(plain(`${results.title}. ${results.message}${more}`), { title: 'agent-replay' });
    }
    for (const [level, write] of [
        ['error', _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3],
        ['warning', _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e],
    ]) {
        const meant = placed.filter((each) => each.level === level);
        for (const { message, file, line } of meant.slice(0, MAX_PLACED_PER_LEVEL)) {
            const place = file === undefined ? {} : { file: fromWorkspace(file, root), startLine: line ?? 1 };
            write(plain(message), { title: 'agent-replay', ...place });
        }
    }
}
function placedIn({ pin, level, turns, problems }, lineOf) {
    const levelOf = (each) => (each === 'error' ? 'error' : 'warning');
    return [
        ...problems.map((problem) => ({ ...placedProblem(problem, levelOf(level)), file: problem.location?.file ?? pin })),
        ...turns
            .filter(({ comparison, level }) => comparison.verdict !== 'reproduced' && level !== 'off')
            .map(({ turn, level, comparison, problems: [problem] }) => ({
            level: levelOf(level),
            message: `${comparison.verdict}: ${comparison.divergence?.sentence ?? problem?.message ?? comparison.note ?? ''}`,
            file: pin,
            line: lineOf(pin, turn),
        })),
    ];
}
function placedProblem({ code, message, hint, location }, level) {
    const text = [`${message} (${code})`, hint].filter((part) => part !== undefined).join('\n');
    return { level, message: text, file: location?.file, line: location?.line };
}
/** An annotation stands on a file of the checked-out repository. */
function fromWorkspace(file, root) {
    const { GITHUB_WORKSPACE = process.cwd() } = process.env;
    return node_path__WEBPACK_IMPORTED_MODULE_0__.relative(GITHUB_WORKSPACE, node_path__WEBPACK_IMPORTED_MODULE_0__.resolve(root, file)).replaceAll(node_path__WEBPACK_IMPORTED_MODULE_0__.sep, '/');
}
/** Writes the report into the summary of the job. */
async function writeSummary(report) {
    const markdown = (0,_src_index_js__WEBPACK_IMPORTED_MODULE_2__/* .renderMarkdown */ .Gc)(report, { maxChars: MAX_SUMMARY_BYTES, maxBytes: MAX_SUMMARY_BYTES });
    try {
        await _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .summary */ .z.addRaw(markdown, true).write();
    }
    catch {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e('The job summary could not be written; the report is in the output folder.', {
            title: 'agent-replay',
        });
    }
}
/** Sets the outputs. Scripts read them: they are words of ours, numbers, and a path of our making. */
function publishOutputs({ results }, reportFile) {
    const verdicts = { reproduced: 0, changed: 0, flaky: 0, unsettled: 0, inconclusive: 0 };
    for (const { verdict } of results.sessions)
        verdicts[verdict]++;
    const agreements = results.sessions
        .flatMap(({ turns }) => turns)
        .flatMap(({ comparison: { figures, stoppedAfter } }) => (stoppedAfter === null ? (figures.agreement ?? []) : []));
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .setOutput */ .uH('status', results.status);
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .setOutput */ .uH('verdicts', JSON.stringify(verdicts));
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .setOutput */ .uH('agreement', agreements.length === 0 ? '' : String(Math.min(...agreements)));
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .setOutput */ .uH('report', reportFile);
}
/** Invisible characters written out; the toolkit escapes what is left. */
function plain(text) {
    return (0,_src_index_js__WEBPACK_IMPORTED_MODULE_2__/* .linesForTerminal */ .Zx)(text).join('\n');
}


/***/ }),

/***/ 2130:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ redact),
/* harmony export */   Q: () => (/* binding */ maskSecrets)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6421);
/* harmony import */ var _src_index_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7996);


/** The runner masks each line of a secret: a line as short as a brace would garble the whole log. */
const MIN_MASKED_CHARS = 6;
const known = new Set();
/** Has the runner mask these values in log, annotations and summary, from here to the end of the job. */
function maskSecrets(secrets) {
    for (const secret of secrets) {
        if (known.has(secret))
            continue;
        known.add(secret);
        const lines = secret.split(/\r\n?|\n/).map((line) => line.trim());
        for (const line of lines)
            if (line.length >= MIN_MASKED_CHARS)
                (0,_actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setSecret */ .Pq)(line);
    }
}
/** Takes the same values out of a text in every form; the masks of the runner know some forms only, and no file. */
function redact(text) {
    return (0,_src_index_js__WEBPACK_IMPORTED_MODULE_1__/* .secretsRedactor */ .q5)([...known])(text);
}


/***/ }),

/***/ 7996:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  V4: () => (/* reexport */ errors_AgentReplayError),
  HX: () => (/* reexport */ asAgentReplayError),
  FO: () => (/* reexport */ exitCodeOf),
  Zx: () => (/* reexport */ linesForTerminal),
  Z9: () => (/* reexport */ loadConfig),
  o4: () => (/* reexport */ parseConfig),
  q2: () => (/* reexport */ plan_plannedSessions),
  Gc: () => (/* reexport */ renderMarkdown),
  bF: () => (/* reexport */ renderTerminal),
  b5: () => (/* reexport */ runJob),
  Fj: () => (/* reexport */ secrets_secretsOf),
  q5: () => (/* reexport */ secrets_secretsRedactor),
  o9: () => (/* reexport */ startLifetime),
  u5: () => (/* reexport */ writeReport)
});

// UNUSED EXPORTS: Interruption, compareRules, defineConfig, gate, loadPins, openPlatform, parseReport, planJob, platformCredentials, redactSession, renderJson, renderJunit, replaySessions, savePin, sessionsFromTraces, startAgent, startReceiver, startReplayer, startTurnComparison, tracesFromOtlp

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
;// CONCATENATED MODULE: ./build/src/errors.js
/** A failure with a stable code, the evidence and the user's next move. The message is one plain sentence. */
class errors_AgentReplayError extends Error {
    name = 'AgentReplayError';
    code;
    evidence;
    hint;
    location;
    constructor(code, message, details = {}) {
        super(message, details.cause === undefined ? undefined : { cause: details.cause });
        this.code = code;
        this.evidence = details.evidence ?? [];
        this.hint = details.hint;
        this.location = details.location;
    }
}
/** Wraps whatever was thrown, so that a report never holds a bare exception. */
function asAgentReplayError(error) {
    if (error instanceof errors_AgentReplayError)
        return error;
    const message = error instanceof Error ? error.message : String(error);
    return new errors_AgentReplayError('INTERNAL', message, {
        cause: error,
        hint: 'This is a defect in agent-replay. Run again with DEBUG=agent-replay and report the stack.',
    });
}

// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
;// CONCATENATED MODULE: ./build/src/agent/output.js

const LINE_BREAK = /\r\n|\n|\r/;
const MAX_LINE_BYTES = 4 * 1024;
/** Kept of each stream, so that a flood on one does not push the reason out of the other. */
const KEPT_LINES = 500;
const KEPT_BYTES = 256 * 1024;
/** A CI log with more lines than this from one stream helps nobody, and costs the runner dearly. */
const MAX_LOGGED_LINES = 10_000;
/** How far back a pattern can match: output that came in pieces is joined up to this many characters. */
const PATTERN_WINDOW = 64 * 1024;
const PREFIX = 'agent| ';
/**
 * Makes the agent's text safe to print where lines can be commands (GitHub Actions): one prefixed line for each
 * of its lines, without control characters, at most 4 KiB long, and `##[` disarmed anywhere.
 */
function echoLine(text) {
    return text
        .split(LINE_BREAK)
        .map((line) => PREFIX + plainLine(line).replaceAll('##[', '##\\['))
        .join('\n');
}
/** What the agent has printed: read to the end whatever comes, kept in bounded memory. */
class AgentOutput {
    #kept = { stdout: new LastLines(), stderr: new LastLines() };
    #readables;
    #watchers = new Set();
    #count = 0;
    /** Resolves when every stream has ended; a child that left may hold one open for ever. */
    ended;
    /** @param log takes the lines of its stream, ready to print */
    constructor(sources = {}) {
        const entries = Object.entries(sources);
        this.#readables = entries.map(([, { readable }]) => readable);
        this.ended = Promise.all(entries.map(([stream, source]) => this.#read(stream, source))).then(() => { });
    }
    /** The last `count` lines, of both streams in the order in which they came, or of one. Plain text, not yet safe to echo. */
    tail(count, stream) {
        const kept = stream === undefined ? [...this.#kept.stdout, ...this.#kept.stderr] : [...this.#kept[stream]];
        const lines = kept.sort((a, b) => a.order - b.order).map(({ line }) => line);
        return count > 0 ? lines.slice(-count) : [];
    }
    /** Resolves when `pattern` matches what a stream prints from now on, across chunks and lines; rejects when aborted. */
    printed(stream, pattern, signal) {
        // Without `g` and `y`, that would make each test start where the last one ended.
        const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
        const { promise, resolve, reject } = Promise.withResolvers();
        let seen = '';
        const watch = (text, from) => {
            if (from !== stream)
                return;
            seen = (seen + text).slice(-PATTERN_WINDOW);
            if (stateless.test((0,external_node_util_.stripVTControlCharacters)(seen)))
                resolve();
        };
        const abort = () => reject(signal.reason);
        this.#watchers.add(watch);
        signal.addEventListener('abort', abort);
        if (signal.aborted)
            abort();
        return promise.finally(() => {
            this.#watchers.delete(watch);
            signal.removeEventListener('abort', abort);
        });
    }
    /** Lets go of the streams, even when somebody still holds their other end. */
    close() {
        for (const readable of this.#readables)
            readable.destroy();
    }
    #read(stream, { readable, log }) {
        const { promise, resolve } = Promise.withResolvers();
        let unfinished = '';
        let logged = 0;
        const take = (line) => {
            this.#kept[stream].push(plainLine(line), this.#count++);
            logged++;
            if (logged <= MAX_LOGGED_LINES)
                log?.(echoLine(line), stream);
            if (logged === MAX_LOGGED_LINES + 1)
                log?.(echoLine(`(no more than ${MAX_LOGGED_LINES} lines are shown)`), stream);
        };
        readable.setEncoding('utf8');
        readable.on('data', (text) => {
            for (const watch of this.#watchers)
                watch(text, stream);
            // A carriage return at the very end may be half of a CRLF: it waits for what follows.
            const lines = `${unfinished}${text}`.split(/\r\n|\n|\r(?!$)/);
            unfinished = shortened(lines.pop() ?? '');
            for (const line of lines)
                take(line);
        });
        // A broken pipe only means that there is nothing more to read.
        readable.on('error', () => { });
        readable.on('close', () => {
            if (unfinished !== '')
                take(unfinished.replace(/\r$/, ''));
            resolve();
        });
        return promise;
    }
}
/** The end of a stream, in bounded memory. */
class LastLines {
    #lines = [];
    #bytes = 0;
    push(line, order) {
        this.#lines.push({ line, order });
        this.#bytes += Buffer.byteLength(line);
        while (this.#lines.length > KEPT_LINES || this.#bytes > KEPT_BYTES) {
            this.#bytes -= Buffer.byteLength(this.#lines.shift().line);
        }
    }
    [Symbol.iterator]() {
        return this.#lines.values();
    }
}
/** One line of text as text: no escape sequences, no control characters but tab, cut at its limit. */
function plainLine(line) {
    const plain = (0,external_node_util_.stripVTControlCharacters)(line).replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, '');
    if (Buffer.byteLength(plain) <= MAX_LINE_BYTES)
        return plain;
    return `${Buffer.from(plain)
        .subarray(0, MAX_LINE_BYTES)
        .toString()
        .replace(/\ufffd+$/, '')}…`;
}
/** A line without an end must not grow without an end: what {@link plainLine} would cut is dropped as it comes. */
function shortened(line) {
    return line.length > MAX_LINE_BYTES + 1 ? line.slice(0, MAX_LINE_BYTES) + line.at(-1) : line;
}

// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
// EXTERNAL MODULE: external "node:https"
var external_node_https_ = __webpack_require__(4708);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./build/src/agent/readiness.js





/** How often the agent is asked: every 10 ms for 2 s, later so that it is noticed at most half a percent late. */
const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 250;
const DELAY_SHARE = 0.005;
/** A probe may take as long as all before it together: one lost in start-up costs little, a slow page still gets there. */
const MIN_PROBE_MS = 1_000;
/** Loopback accepts or refuses at once; if it does neither, a listener is there whose queue is full. */
const CONNECT_MS = 1_000;
const UNTRUSTED_CERTIFICATE = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID)/;
/**
 * Resolves when `url` answers with a status that `accepts` takes; redirects are answers, and not followed.
 * @param options.seen is told what each attempt met, for the message if it never answers
 * @throws the signal's reason when aborted; AgentReplayError `AGENT_NOT_READY` when waiting cannot help
 */
async function answers(url, options) {
    const { accepts, seen, signal } = options;
    const started = performance.now();
    for (;;) {
        signal.throwIfAborted();
        const elapsed = performance.now() - started;
        try {
            const status = await probe(url, { timeoutMs: Math.max(MIN_PROBE_MS, elapsed), signal });
            seen(`status ${status}`);
            if (accepts(status))
                return;
        }
        catch (error) {
            signal.throwIfAborted();
            const { code = '', message } = error;
            if (UNTRUSTED_CERTIFICATE.test(code))
                throw untrusted(url, code);
            seen(code === 'ECONNREFUSED' ? 'connection refused' : message || code);
        }
        await (0,promises_.setTimeout)(Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, elapsed * DELAY_SHARE)), undefined, { signal });
    }
}
/** The address on which somebody already listens for `url`, or undefined when its port is free. */
async function addressInUse(url) {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const local = /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|::1?)$/.test(host);
    // A listener on 0.0.0.0 or :: takes the loopback addresses too.
    const hosts = local ? new Set(['127.0.0.1', '::1', host]) : new Set([host]);
    const taken = await Promise.all([...hosts].map(async (host) => ((await listens(host, port, local)) ? host : undefined)));
    const address = taken.find((host) => host !== undefined);
    return address && `${external_node_net_.isIPv6(address) ? `[${address}]` : address}:${port}`;
}
/** A URL as it may be shown: without credentials, and without the query, that can hold a key. */
function shownUrl(url) {
    return `${url.origin}${url.pathname}`;
}
function probe(url, { timeoutMs, signal }) {
    const { promise, resolve, reject } = Promise.withResolvers();
    // An agent of its own: no connection outlives the probe, and no proxy from the environment stands between.
    const request = (url.protocol === 'https:' ? external_node_https_ : external_node_http_).get(url, { agent: false, signal }, (response) => {
        resolve(response.statusCode);
        response.destroy();
    });
    request.on('error', reject);
    const timer = setTimeout(() => request.destroy(new Error(`no answer in ${Math.round(timeoutMs)} ms`)), timeoutMs);
    return promise.finally(() => clearTimeout(timer));
}
function listens(host, port, local) {
    const { promise, resolve } = Promise.withResolvers();
    const socket = external_node_net_.connect({ host, port });
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    const timer = setTimeout(() => resolve(local), CONNECT_MS);
    return promise.finally(() => {
        clearTimeout(timer);
        socket.destroy();
    });
}
function untrusted(url, code) {
    return new errors_AgentReplayError('AGENT_NOT_READY', `The TLS certificate of ${url.origin} is not trusted.`, {
        evidence: [`certificate: ${code}`],
        hint: 'Use an http URL, or make the certificate known with NODE_EXTRA_CA_CERTS=<file.pem> in the environment of agent-replay.',
    });
}

;// CONCATENATED MODULE: ./build/src/agent/failures.js




const MAX_SHOWN_COMMAND = 200;
const SHOWN_LINES = 20;
/** What to report when a running agent ends although nobody stopped it. */
function agentCrashed(exit, output) {
    return new errors_AgentReplayError('AGENT_CRASHED', `The agent ${describeExit(exit)} while it was in use.`, {
        evidence: lastLines(output),
        hint: exitHint(exit, output) ?? 'Its last lines are above; run the start command by hand to see the rest.',
    });
}
/** Somebody else has the agent's address. */
function portInUse(target, address) {
    return new errors_AgentReplayError('AGENT_PORT_IN_USE', `The agent's address ${address} is already in use.`, {
        evidence: [`target: ${shownUrl(target)}`],
        hint: 'End the process that listens there, or set agent.reuseExistingServer to replay against it.',
    });
}
/** Not even the shell could start it, or the shell could not. */
function commandNotFound(command, evidence, cause) {
    return new errors_AgentReplayError('AGENT_COMMAND_NOT_FOUND', 'The start command was not found or could not be run.', {
        evidence: [shownCommand(command), ...evidence],
        hint: 'Check agent.command and agent.cwd, and that what it runs is installed, executable and on the PATH.',
        cause,
    });
}
/** What a POSIX shell exits with when a command is there but cannot be run, and when there is none. */
const NOT_RUN = [126, 127];
/** The command ended before the agent was ready: whatever its code, it serves nobody. */
function exitedEarly(settings, exit, output, left) {
    if (NOT_RUN.includes(exit.code ?? 0)) {
        return commandNotFound(settings.command, [`exit code: ${exit.code}`, ...lastLines(output, 'stderr')]);
    }
    const daemon = left.length > 0 || exit.code === 0;
    return new errors_AgentReplayError('AGENT_EXITED', `The agent ${describeExit(exit)} before it was ready.`, {
        evidence: [
            shownCommand(settings.command),
            ...(left.length > 0 ? [`left running, and ended now: process ${left.join(', ')}`] : []),
            ...lastLines(output),
        ],
        hint: exitHint(exit, output) ??
            (daemon
                ? 'The command must stay in the foreground for as long as the agent serves: start it without "&" and not as a daemon.'
                : 'Run the start command by hand in the same directory; its last lines are above.'),
    });
}
/** The time for becoming ready is over. */
function notReady(settings, missing, output) {
    const answered = [...missing.values()].some((what) => what.startsWith('status'));
    return new errors_AgentReplayError('AGENT_NOT_READY', `The agent was not ready after ${settings.timeout / 1_000} s.`, {
        evidence: [
            ...(settings.command === undefined ? [] : [shownCommand(settings.command)]),
            ...[...missing].map(([name, what]) => `${name}: ${what}`),
            ...(output === undefined ? [] : lastLines(output)),
        ],
        hint: answered
            ? 'It answers, but not with a status that means ready: set agent.wait.url to a page that does, or list the status in agent.wait.status.'
            : settings.command === undefined
                ? 'No start command is given, so the agent must already run there: set agent.command, or correct agent.url.'
                : 'Check that the agent listens where agent.url says; if it only needs longer, raise agent.timeout.',
    });
}
function describeExit({ code, signal }) {
    if (signal !== null)
        return `was ended by ${signal}`;
    const name = signalOfCode(code);
    return `exited with code ${code}${name === undefined ? '' : ` (${name})`}`;
}
function exitHint(exit, output) {
    if ((exit.signal ?? signalOfCode(exit.code)) === 'SIGKILL') {
        return 'SIGKILL that nobody sent usually means out of memory: give the machine more of it, or the agent less to hold.';
    }
    if (output.tail(SHOWN_LINES).some((line) => /EADDRINUSE|address already in use/i.test(line))) {
        return 'A port that the agent wants is already in use: end the process that listens there.';
    }
    return undefined;
}
/** A shell says by 128 + n that signal n ended the command. */
function signalOfCode(code) {
    return Object.entries(external_node_os_.constants.signals).find(([, number]) => number + 128 === code)?.[0];
}
function lastLines(output, stream) {
    const lines = output.tail(SHOWN_LINES, stream).map(echoLine);
    return lines.length > 0 ? lines : [`the agent printed nothing${stream === undefined ? '' : ` to ${stream}`}`];
}
function shownCommand(command) {
    const line = plainLine(command);
    return `command: ${line.length > MAX_SHOWN_COMMAND ? `${line.slice(0, MAX_SHOWN_COMMAND)}…` : line}`;
}

// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
;// CONCATENATED MODULE: ./build/src/agent/options.js

const DEFAULT_TIMEOUT_MS = 60_000;
/** Long enough for a server to finish what it is answering, short enough for the grace that CI gives a cancelled job. */
const DEFAULT_GRACE_MS = 5_000;
const milliseconds = schemas/* int */.Whr('a whole number of milliseconds').positive('more than 0 milliseconds');
const httpUrl = schemas/* url */.OZ5({ protocol: /^https?$/, error: 'an http or https URL' });
const pattern = schemas/* union */.KCZ([schemas/* instanceof */.Nlp(RegExp), schemas/* string */.YjP().refine(compiles, 'a regular expression')], {
    error: 'a regular expression',
});
const described = (schema, description) => schema.meta({ description });
/** How the customer's agent is started, awaited and ended. Options that Playwright's `webServer` has too are named as there. */
const agentOptions = schemas/* strictObject */.rej({
    id: described(schemas/* string */.YjP().min(1).optional(), "Becomes SVC_AGENT_ID in the agent's environment."),
    command: described(schemas/* string */.YjP().optional(), 'Shell command that starts the agent. Without it the agent already runs elsewhere, and is neither started nor ended.'),
    url: described(httpUrl.optional(), 'The target URL: the replay endpoint. Credentials in it are sent, and never shown.'),
    cwd: described(schemas/* string */.YjP().min(1).optional(), 'Folder that the command runs in; the root by default.'),
    env: described(schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* string */.YjP()).optional(), "Variables of the agent's environment; they win over every other source."),
    timeout: described(milliseconds.default(DEFAULT_TIMEOUT_MS), 'How long the agent may take to become ready, in milliseconds.'),
    reuseExistingServer: described(schemas/* boolean */.zMY().default(false), 'Use the server that already answers on the port, instead of refusing to start.'),
    gracefulShutdown: schemas/* strictObject */.rej({
        signal: described(schemas/* enum */.k5n(['SIGTERM', 'SIGINT']).default('SIGTERM'), 'The signal that asks the agent to end.'),
        timeout: described(milliseconds.default(DEFAULT_GRACE_MS), 'Milliseconds from that signal until SIGKILL follows it.'),
    })
        .prefault({}),
    stdout: described(schemas/* enum */.k5n(['pipe', 'ignore']).default('ignore'), "What is shown of the agent's standard output; its last lines are kept for messages all the same."),
    stderr: described(schemas/* enum */.k5n(['pipe', 'ignore']).default('pipe'), 'The same for its standard error.'),
    /** What makes the agent ready; all that is given must hold. By default its origin answers with any status but 5xx. */
    wait: schemas/* strictObject */.rej({
        url: described(httpUrl.optional(), 'Page that answers once the agent is ready; the origin of the target by default.'),
        status: described(schemas/* array */.YOg(schemas/* int */.Whr().min(100).max(599)).nonempty().optional(), 'Statuses that mean ready; any but 5xx by default.'),
        stdout: described(pattern.optional(), 'Regular expression on standard output that means ready.'),
        stderr: described(pattern.optional(), 'Regular expression on standard error that means ready.'),
    })
        .optional(),
    watch: described(schemas/* array */.YOg(schemas/* string */.YjP().min(1)).optional(), "Globs of the agent's own files, for watch mode."),
});
function compiles(source) {
    try {
        new RegExp(source);
        return true;
    }
    catch {
        return false;
    }
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
;// CONCATENATED MODULE: ./build/src/agent/environment.js
/**
 * What a CI runner hands to this process and the agent must not have: inputs and step state (they hold
 * tokens), the runner's own service tokens, and the files with which a process forges outputs or poisons
 * the environment of later steps. Registry tokens are there for installing, not for the agent.
 */
const WITHHELD = [
    /^(INPUT|ACTIONS|STATE)_/,
    /^(GITHUB|GH)_(ENTERPRISE_)?TOKEN$/,
    /^GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY|ARTIFACTS)$/,
    /^(NPM_TOKEN|NODE_AUTH_TOKEN)$/,
    /^NPM_CONFIG_.*_AUTH(TOKEN)?$/,
];
/**
 * The agent's environment: `base` without the runner's secrets, then `layers`, of which later ones win.
 * Layers are passed on as they are: what the user sets on purpose is never withheld.
 */
function agentEnvironment(base, ...layers) {
    const variables = new Map();
    for (const [name, value] of Object.entries(base)) {
        // Upper case because names on Windows, and npm's settings everywhere, come in any case.
        const compared = name.toUpperCase();
        if (!WITHHELD.some((pattern) => pattern.test(compared)))
            variables.set(name, value);
    }
    for (const layer of layers) {
        for (const [name, value] of Object.entries(layer ?? {}))
            variables.set(name, value);
    }
    return Object.fromEntries([...variables].filter(([, value]) => value !== undefined));
}

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:events"
var external_node_events_ = __webpack_require__(8474);
;// CONCATENATED MODULE: ./build/src/agent/process-tree.js





/** Every process of the tree has this variable: a daemon that left the process group is found by it (Linux). */
const TRACKING_VARIABLE = 'AGENT_REPLAY_TRACKING_ID';
const POSIX = process.platform !== 'win32';
const SHELL = '/bin/sh';
/**
 * Starts the command only once the watchdog is there: should this process die in between, the gate reads end of
 * file and gives up. The agent itself has nothing to read.
 */
const GATE = `read -r _ && exec ${SHELL} -c "$1" </dev/null`;
/**
 * Ends the tree when this process is gone, however it went: only we hold the other end of its standard input.
 * A shell, because a second Node would take 40 MB and 40 ms for this.
 * Arguments: process group, signal, grace in tenths of a second, tracking id.
 */
const WATCHDOG = `
group=$1 signal=$2 tenths=$3 id=$4
daemons() { grep -l "$id" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }
end() { kill -s "$1" -- "-$group" $(daemons) 2>/dev/null; }
alive() { kill -s 0 -- "-$group" 2>/dev/null || [ -n "$(daemons)" ]; }
read -r _
end "$signal"
while alive && [ "$tenths" -gt 0 ]; do sleep 0.1; tenths=$((tenths - 1)); done
while alive && [ "$tenths" -gt -20 ]; do end KILL; sleep 0.1; tenths=$((tenths - 1)); done
`;
/** How often the tree is looked at while it ends; a second call of `end` is heeded at the next look. */
const MIN_POLL_MS = 5;
const MAX_POLL_MS = 50;
/** What is still there so long after SIGKILL cannot be ended by us (another user's, or stuck in the kernel). */
const KILL_WAIT_MS = 2_000;
const living = new Set();
/** A shell command and every process that comes from it, in a process group of its own. */
class ProcessTree {
    pid;
    exited;
    stdout;
    stderr;
    #watchdog;
    #trackingId;
    #signal;
    #leaderGone = false;
    #gone = false;
    #ending;
    #deadline = Number.POSITIVE_INFINITY;
    constructor(child, trackingId, options) {
        this.pid = child.pid;
        this.stdout = child.stdout;
        this.stderr = child.stderr;
        this.#trackingId = trackingId;
        this.#signal = options.signal;
        this.#watchdog = POSIX ? startWatchdog(this.pid, trackingId, options) : undefined;
        this.exited = (0,external_node_events_.once)(child, 'exit').then(([code, signal]) => {
            this.#leaderGone = true;
            // From here on the group's number can come to belong to others, unless somebody is left in it.
            if (!groupExists(this.pid) && this.survivors().length === 0)
                this.#release();
            return { code, signal };
        });
        if (living.size === 0)
            process.on('exit', killLiving);
        living.add(this);
    }
    /** @throws what `spawn` throws when not even the shell can be started */
    static async launch(command, options) {
        const trackingId = (0,external_node_crypto_.randomUUID)();
        const env = { ...options.env, [TRACKING_VARIABLE]: trackingId };
        const child = POSIX
            ? (0,external_node_child_process_.spawn)(SHELL, ['-c', GATE, SHELL, command], { cwd: options.cwd, env, detached: true, stdio: 'pipe' })
            : (0,external_node_child_process_.spawn)(command, { cwd: options.cwd, env, shell: true, stdio: 'pipe' });
        const spawned = (0,external_node_events_.once)(child, 'spawn');
        if (child.pid === undefined) {
            await spawned;
            throw new Error('spawn gave no process id');
        }
        const tree = new ProcessTree(child, trackingId, options);
        // The agent may be gone before it is let through the gate.
        child.stdin.on('error', () => { });
        child.stdin.end('\n');
        await spawned;
        return tree;
    }
    /** Ids of the processes of the tree that live now. Off Linux only those are known that stayed in the group. */
    survivors() {
        if (this.#gone)
            return [];
        if (process.platform !== 'linux')
            return groupExists(this.pid) ? [this.pid] : [];
        return [...linuxProcesses()].filter((id) => belongs(id, this.pid, this.#trackingId));
    }
    /**
     * Ends every process of the tree: the signal first, SIGKILL once `graceMs` have passed. Called again it may only
     * hasten what is under way. Resolves with the ids of processes that even SIGKILL did not end: usually none.
     */
    end(graceMs) {
        this.#deadline = Math.min(this.#deadline, performance.now() + graceMs);
        this.#ending ??= this.#end();
        return this.#ending;
    }
    /** The synchronous last resort, for when this process exits now. The watchdog then sees to what left the group. */
    kill() {
        if (!this.#gone)
            signalGroup(this.pid, 'SIGKILL');
    }
    async #end() {
        const asked = new Set();
        let poll = MIN_POLL_MS;
        let left = this.survivors();
        if (left.length > 0 && performance.now() < this.#deadline)
            signalGroup(this.pid, this.#signal);
        for (; left.length > 0; left = this.#lookAgain()) {
            const overdue = performance.now() - this.#deadline;
            if (overdue > KILL_WAIT_MS)
                break;
            if (overdue >= 0) {
                signalGroup(this.pid, 'SIGKILL');
                for (const id of left)
                    signalProcess(id, 'SIGKILL');
            }
            else {
                for (const id of left) {
                    if (!asked.has(id) && !inGroup(id, this.pid))
                        signalProcess(id, this.#signal);
                    asked.add(id);
                }
            }
            await (0,promises_.setTimeout)(overdue < 0 ? Math.min(poll, -overdue) : poll);
            poll = Math.min(poll * 1.5, MAX_POLL_MS);
        }
        this.#release();
        return left;
    }
    #release() {
        this.#gone = true;
        living.delete(this);
        if (living.size === 0)
            process.off('exit', killLiving);
        this.#watchdog?.kill('SIGKILL');
    }
    /** While the shell itself lives there is no need to read all of /proc. */
    #lookAgain() {
        return this.#leaderGone || !POSIX ? this.survivors() : [this.pid];
    }
}
function startWatchdog(group, trackingId, options) {
    const graceTenths = Math.ceil(options.graceMs / 100);
    const args = [`${group}`, options.signal.slice('SIG'.length), `${graceTenths}`, trackingId];
    // In a session of its own, so that a Ctrl-C or a kill of our whole group does not reach it.
    const watchdog = (0,external_node_child_process_.spawn)(SHELL, ['-c', WATCHDOG, 'agent-replay-watchdog', ...args], {
        detached: true,
        cwd: '/',
        env: { PATH: process.env.PATH },
        stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it the agent still ends with us in every case but our own SIGKILL.
    watchdog.on('error', () => { });
    watchdog.stdin?.on('error', () => { });
    watchdog.unref();
    return watchdog;
}
function killLiving() {
    for (const tree of living)
        tree.kill();
}
function signalGroup(group, signal) {
    if (POSIX)
        signalProcess(-group, signal);
    // Windows has no process groups to signal, and ends nothing gently.
    else
        (0,external_node_child_process_.spawnSync)('taskkill', ['/pid', `${group}`, '/T', '/F'], { stdio: 'ignore' });
}
function signalProcess(id, signal) {
    try {
        process.kill(id, signal);
    }
    catch {
        // Gone in the meantime, or not ours to signal: the next look tells.
    }
}
function groupExists(group) {
    try {
        process.kill(POSIX ? -group : group, 0);
        return true;
    }
    catch (error) {
        return error.code === 'EPERM';
    }
}
function* linuxProcesses() {
    for (const name of (0,external_node_fs_.readdirSync)('/proc'))
        if (/^\d+$/.test(name))
            yield Number(name);
}
function belongs(id, group, trackingId) {
    try {
        const stat = processStat(id);
        // A zombie is only waiting for its parent: in a container without an init, for ever.
        if (stat === undefined || stat.state === 'Z' || stat.state === 'X')
            return false;
        return stat.group === group || (0,external_node_fs_.readFileSync)(`/proc/${id}/environ`, 'latin1').includes(trackingId);
    }
    catch {
        return false;
    }
}
function inGroup(id, group) {
    return process.platform !== 'linux' || processStat(id)?.group === group;
}
function processStat(id) {
    try {
        // `pid (name) state parent group ...`, where the name may hold anything, brackets and spaces too.
        const stat = (0,external_node_fs_.readFileSync)(`/proc/${id}/stat`, 'latin1');
        const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return { state, group: Number(group) };
    }
    catch {
        return undefined;
    }
}

;// CONCATENATED MODULE: ./build/src/agent/start.js









/** The grace of a cancelled start: CI gives a cancelled job 7.5 s for everything. */
const CANCELLED_GRACE_MS = 2_000;
/** The kernel takes no single argument longer than this (Linux: 128 KiB with its end mark). */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
/** How long the last words of a command that has ended may take to arrive, while a child of it holds the pipe open. */
const LAST_WORDS_MS = 200;
/**
 * Starts the customer's agent and resolves once it is ready; without `command`, waits until it answers. When the start
 * fails nothing of it is left. The second Ctrl-C during a start is the caller's `process.exit()`: it kills at once.
 * @throws AgentReplayError `CONFIG_INVALID`, `TARGET_INVALID`, `AGENT_COMMAND_EMPTY`, `AGENT_COMMAND_NOT_FOUND`,
 *   `AGENT_PORT_IN_USE`, `AGENT_EXITED` or `AGENT_NOT_READY`; the reason of `signal` when cancelled
 */
async function startAgent(options, context = {}) {
    const settings = checkedOptions(options);
    const target = targetUrl(settings);
    const command = checkedCommand(settings);
    const cwd = checkedDirectory(settings);
    context.signal?.throwIfAborted();
    const taken = command === undefined ? undefined : await addressInUse(target);
    if (command === undefined || (taken !== undefined && settings.reuseExistingServer)) {
        await untilReady(settings, target, undefined, context.signal);
        return agentElsewhere(target);
    }
    if (taken !== undefined)
        throw portInUse(target, taken);
    const env = agentEnvironment(process.env, context.env, settings.env);
    const { signal, timeout: graceMs } = settings.gracefulShutdown;
    const tree = await ProcessTree.launch(command, { cwd, env, signal, graceMs }).catch((error) => {
        throw commandNotFound(command, [`error: ${error.message}`], error);
    });
    const agent = startedAgent(settings, target, tree, context.log);
    const cancel = () => agent.stop({ graceMs: Math.min(graceMs, CANCELLED_GRACE_MS) });
    if (context.signal?.aborted)
        cancel();
    // Also while a start that failed is being cleared away: then it hastens that.
    context.signal?.addEventListener('abort', cancel);
    try {
        await untilReady(settings, target, { tree, output: agent.output }, context.signal);
        return agent;
    }
    catch (error) {
        await agent.stop();
        throw error;
    }
    finally {
        context.signal?.removeEventListener('abort', cancel);
    }
}
function startedAgent(settings, target, tree, log) {
    const output = new AgentOutput({
        stdout: { readable: tree.stdout, log: settings.stdout === 'pipe' ? log : undefined },
        stderr: { readable: tree.stderr, log: settings.stderr === 'pipe' ? log : undefined },
    });
    let stopped;
    const stop = ({ graceMs = settings.gracefulShutdown.timeout } = {}) => {
        const ended = tree.end(graceMs);
        stopped ??= ended.then(async (left) => {
            if (left.length > 0)
                log?.(echoLine(`(still running, and not ours to end: process ${left.join(', ')})`), 'stderr');
            else
                await settledWithin(output.ended, LAST_WORDS_MS);
            output.close();
        });
        return stopped;
    };
    return { url: target.href, pid: tree.pid, exited: tree.exited, output, stop, [Symbol.asyncDispose]: () => stop() };
}
function agentElsewhere(target) {
    const stop = async () => { };
    const output = new AgentOutput();
    return { url: target.href, pid: undefined, exited: new Promise(() => { }), output, stop, [Symbol.asyncDispose]: stop };
}
/** Resolves once everything holds that makes the agent ready; rejects when it exits, in time or when cancelled. */
async function untilReady(settings, target, started, signal) {
    const over = new AbortController();
    const deadline = AbortSignal.timeout(settings.timeout);
    let exit;
    started?.tree.exited.then((ended) => {
        exit = ended;
        over.abort();
    });
    const waiting = AbortSignal.any([over.signal, deadline, ...(signal ? [signal] : [])]);
    const missing = new Map();
    try {
        await Promise.all(readyConditions(settings, target, started?.output, { missing, signal: waiting }));
        if (exit === undefined)
            return;
    }
    catch (error) {
        signal?.throwIfAborted();
        if (exit === undefined)
            throw deadline.aborted ? notReady(settings, missing, started?.output) : error;
    }
    finally {
        over.abort();
    }
    await settledWithin(started.output.ended, LAST_WORDS_MS);
    throw exitedEarly(settings, exit, started.output, started.tree.survivors());
}
/** What must come true, all of it. `missing` says at any time what has not, and what was seen instead. */
function readyConditions({ wait = {} }, target, output, { missing, signal }) {
    const conditions = [];
    const need = (name, condition) => {
        if (!missing.has(name))
            missing.set(name, 'not seen');
        conditions.push(condition.then(() => void missing.delete(name)));
    };
    for (const stream of ['stdout', 'stderr']) {
        if (output === undefined || wait[stream] === undefined)
            continue;
        const pattern = new RegExp(wait[stream]);
        need(`${pattern} on ${stream}`, output.printed(stream, pattern, signal));
    }
    if (conditions.length === 0 || wait.url !== undefined || wait.status !== undefined) {
        const url = wait.url === undefined ? new URL('/', target) : new URL(wait.url);
        const accepts = (status) => wait.status?.includes(status) ?? status < 500;
        const name = `GET ${shownUrl(url)}`;
        need(name, answers(url, { accepts, seen: (what) => missing.set(name, what), signal }));
    }
    return conditions;
}
function checkedOptions(options) {
    const { data, error } = agentOptions.safeParse(options);
    if (data !== undefined)
        return data;
    throw new errors_AgentReplayError('CONFIG_INVALID', 'The options of the agent are not valid.', {
        evidence: error.issues.map((issue) => `${['agent', ...issue.path].join('.')}: ${issue.message}`),
        hint: 'Correct these options.',
    });
}
function targetUrl({ url }) {
    if (url !== undefined)
        return new URL(url);
    throw new errors_AgentReplayError('TARGET_INVALID', 'No target URL is given.', {
        hint: 'Set agent.url (--url) to the full URL of the replay endpoint, such as http://127.0.0.1:3000/replay.',
    });
}
function checkedCommand({ command }) {
    if (command === undefined)
        return undefined;
    const bytes = Buffer.byteLength(command);
    const mistake = command.trim() === ''
        ? 'is blank'
        : command.includes('\0')
            ? 'holds a NUL character'
            : bytes > MAX_COMMAND_BYTES
                ? `is ${bytes} bytes long, and a command can have ${MAX_COMMAND_BYTES}`
                : undefined;
    if (mistake === undefined)
        return command;
    throw new errors_AgentReplayError('AGENT_COMMAND_EMPTY', `The start command agent.command (--start) ${mistake}.`, {
        hint: 'Give the command that starts the agent, such as "node server.js", or leave it out for an agent that already runs.',
    });
}
function checkedDirectory({ cwd = '.' }) {
    const directory = (0,external_node_path_.resolve)(cwd);
    if ((0,external_node_fs_.existsSync)(directory))
        return directory;
    throw new errors_AgentReplayError('CONFIG_INVALID', 'The directory of the agent does not exist.', {
        evidence: [`agent.cwd: ${directory}`],
        hint: 'Correct agent.cwd; it is taken from the current directory.',
    });
}
async function settledWithin(promise, ms) {
    const { promise: late, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, ms);
    await Promise.race([promise, late]);
    clearTimeout(timer);
}

;// CONCATENATED MODULE: ./build/src/agent/index.js






;// CONCATENATED MODULE: ./build/src/contract/identifiers.js

/** The brand parts of every identifier on the wire. All names follow from these two words. */
const identifiers_identifiers = schemas/* strictObject */.rej({
    brand: schemas/* string */.YjP()
        .regex(/^[a-z][a-z0-9]*$/, 'lower-case letters and digits')
        .default('svc')
        .meta({ description: 'Brand part of the identifiers on the wire, in lower case.' }),
    tracing: schemas/* string */.YjP()
        .regex(/^[A-Z][A-Z0-9_]*$/, 'upper-case letters, digits and _')
        .default('TRACING')
        .meta({ description: "First part of the names of the agent's tracing variables." }),
});
function identifiers_wireNames({ brand, tracing } = identifiers_identifiers.parse({})) {
    const header = `X-${brand[0]?.toUpperCase()}${brand.slice(1)}`;
    return {
        keys: {
            isReplay: 'is_replay',
            replayRunId: `${brand}_replay_run_id`,
            originalSessionId: `${brand}_original_session_id`,
            turnTraceId: `${brand}_turn_trace_id`,
            includePriorContext: `${brand}_include_prior_context`,
        },
        headers: {
            isReplay: `${header}-Replay`,
            replayRunId: `${header}-Replay-Run-Id`,
            originalSessionId: `${header}-Original-Session-Id`,
            turnTraceId: `${header}-Turn-Trace-Id`,
            includePriorContext: `${header}-Include-Prior-Context`,
        },
        env: {
            publicKey: `${tracing}_PUBLIC_KEY`,
            secretKey: `${tracing}_SECRET_KEY`,
            host: `${tracing}_HOST`,
            agentId: `${brand.toUpperCase()}_AGENT_ID`,
        },
    };
}

;// CONCATENATED MODULE: ./build/src/contract/json.js

/** Deeper nesting than this is refused before anything recursive sees it (a stack holds about ten times as much). */
const MAX_DEPTH = 1_000;
class json_JsonError extends Error {
    name = 'JsonError';
    /** Where the mistake is, in UTF-16 units from 0; undefined when the text is empty. */
    offset;
    constructor(message, offset) {
        super(message);
        this.offset = offset;
    }
}
/** Only texts with such runs of digits can hold a number that a double cannot: all others take the fast path. */
const MAY_LOSE_DIGITS = /\d{16}|\d[eE]\+?\d{2}/;
/**
 * Parses JSON from outside. Unlike `JSON.parse` it bounds the depth and loses no number.
 * @throws JsonError with the offset of the mistake
 */
function json_parseJson(text) {
    const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    const tooDeepAt = depthExceededAt(source, MAX_DEPTH);
    if (tooDeepAt !== undefined)
        throw new json_JsonError(`nested deeper than ${MAX_DEPTH} levels`, tooDeepAt);
    try {
        return MAY_LOSE_DIGITS.test(source) ? JSON.parse(source, keepDigits) : JSON.parse(source);
    }
    catch (error) {
        if (!(error instanceof SyntaxError))
            throw error;
        throw syntaxError(source, error);
    }
}
/** True for a number that is kept as text, see {@link Json}. */
function isRawNumber(value) {
    return rawJson.isRawJSON(value);
}
function json_isJsonObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
/** Any JSON value, taken as it is: nothing is copied, so that no key is lost and depth does not matter. */
const json = schemas/* custom */.IeY((value) => value !== undefined, { error: 'a JSON value is required' });
const jsonObject = schemas/* custom */.IeY((value) => json_isJsonObject(value), {
    error: 'an object is required',
});
/** In every Node that we run on (V8 11.4), not yet in TypeScript's library. */
const rawJson = JSON;
function keepDigits(_key, value, context) {
    if (typeof value !== 'number' || context?.source === undefined)
        return value;
    if (!Number.isFinite(value))
        return rawJson.rawJSON(context.source);
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source)) {
        return rawJson.rawJSON(context.source);
    }
    return value;
}
function depthExceededAt(text, limit) {
    let depth = 0;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === 0x22) {
            i = endOfString(text, i);
        }
        else if (code === 0x5b || code === 0x7b) {
            if (++depth > limit)
                return i;
        }
        else if (code === 0x5d || code === 0x7d) {
            depth--;
        }
    }
    return undefined;
}
function endOfString(text, start) {
    for (let i = text.indexOf('"', start + 1); i !== -1; i = text.indexOf('"', i + 1)) {
        let backslashes = 0;
        while (text.charCodeAt(i - 1 - backslashes) === 0x5c)
            backslashes++;
        if (backslashes % 2 === 0)
            return i;
    }
    return text.length;
}
function syntaxError(text, error) {
    if (text.trim() === '')
        return new json_JsonError('empty');
    const offset = firstMistake(text);
    const isCut = text[offset] === '"' ? endOfString(text, offset) === text.length : text.slice(offset).trim() === '';
    if (isCut)
        return new json_JsonError('it ends before it is whole', offset);
    const isOver = error.message.includes('after JSON');
    return new json_JsonError(isOver ? 'the document is over, but more follows' : 'this cannot be here', offset);
}
const TOKEN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const BLANKS = /[ \t\n\r]*/y;
/** An escape, or (captured) what a string cannot hold. */
const IN_STRING = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|([\u0000-\u001f\\])/g;
/** The end of the token that starts here; undefined when none does. No expression repeats over a string: stacks end. */
function endOfToken(text, start) {
    if (text[start] !== '"') {
        TOKEN.lastIndex = start;
        return TOKEN.test(text) ? TOKEN.lastIndex : undefined;
    }
    const end = endOfString(text, start);
    if (end === text.length)
        return undefined;
    for (const [, wrong] of text.slice(start + 1, end).matchAll(IN_STRING))
        if (wrong !== undefined)
            return undefined;
    return end + 1;
}
/** Where a text stops being JSON. V8 says the place of some mistakes only, and not in the shape of a number. */
function firstMistake(text) {
    const open = [];
    let awaited = 'value';
    BLANKS.lastIndex = 0;
    for (;;) {
        BLANKS.exec(text);
        const here = BLANKS.lastIndex;
        const end = endOfToken(text, here);
        if (end === undefined)
            return here;
        BLANKS.lastIndex = end;
        const token = text.slice(here, end);
        const isEnd = token === '}' || token === ']';
        if (awaited === 'colon') {
            if (token !== ':')
                return here;
            awaited = 'value';
        }
        else if (isEnd && (awaited === 'more' || awaited.endsWith('or end'))) {
            if (open.pop() !== (token === '}' ? '{' : '['))
                return here;
            awaited = 'more';
        }
        else if (awaited === 'more') {
            if (token !== ',' || open.length === 0)
                return here;
            awaited = open.at(-1) === '{' ? 'key' : 'value';
        }
        else if (awaited.startsWith('key')) {
            if (!token.startsWith('"'))
                return here;
            awaited = 'colon';
        }
        else if (token === '{' || token === '[') {
            open.push(token);
            awaited = token === '{' ? 'key or end' : 'value or end';
        }
        else {
            if (isEnd || token === ',' || token === ':')
                return here;
            awaited = 'more';
        }
    }
}

;// CONCATENATED MODULE: ./build/src/contract/metadata.js

/** Reads trace metadata leniently: a value that cannot be what it should be counts as absent. */
function metadata_readTraceMetadata(metadata, options = {}) {
    const { keys } = wireNames(options.identifiers);
    return {
        isReplay: flag(metadata[keys.isReplay]),
        replayRunId: metadata_text(metadata[keys.replayRunId]),
        originalSessionId: metadata_text(metadata[keys.originalSessionId]),
        turnTraceId: metadata_text(metadata[keys.turnTraceId]),
        includePriorContext: flag(metadata[keys.includePriorContext]),
        agentId: metadata_text(metadata.agent_id),
        sessionId: metadata_text(metadata.session_id),
        runId: metadata_text(metadata.run_id),
    };
}
function metadata_text(value) {
    return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}
function flag(value) {
    const word = String(value).toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
}

;// CONCATENATED MODULE: ./build/src/contract/request.js



/** A chat message: any JSON object with a `role`. What is not known is passed through unchanged. */
const message = jsonObject.refine((value) => typeof value.role === 'string', {
    error: 'a message needs a role',
});
/** What is replayed of one turn: the part of the payload that comes from the recording. */
const turnRequest = schemas/* strictObject */.rej({
    /** The original chat messages (the LLM path). Preferred when both are present. */
    messages: schemas/* array */.YOg(message).min(1).optional(),
    /** The original user message (the user path). */
    input: schemas/* string */.YjP().optional(),
    model: schemas/* string */.YjP().optional(),
    /** Whether `messages` carry the earlier turns of the session. */
    includesPriorContext: schemas/* boolean */.zMY().optional(),
})
    .refine((request) => request.messages !== undefined || request.input !== undefined, {
    error: 'messages or input is required',
});
/** Where the metadata travels: in the body, in headers, or in both. */
const carrier = schemas/* enum */.k5n(['both', 'body', 'headers']);
/** Writes a replay request to the wire. `parseReplayRequest` is its inverse for every carrier. */
function renderReplayRequest(request, options = {}) {
    const { keys, headers: names } = identifiers_wireNames(options.identifiers);
    const where = options.carrier ?? 'both';
    const body = {};
    const headers = {};
    if (request.messages !== undefined)
        body.messages = [...request.messages];
    if (request.input !== undefined)
        body.input = request.input;
    if (request.model !== undefined)
        body.model = request.model;
    body[keys.isReplay] = true;
    if (where !== 'headers') {
        for (const key of METADATA)
            if (request[key] !== undefined)
                body[keys[key]] = request[key];
    }
    if (where !== 'body') {
        headers[names.isReplay] = 'true';
        for (const key of METADATA)
            if (request[key] !== undefined)
                headers[names[key]] = String(request[key]);
    }
    return { body, headers };
}
const METADATA = ['replayRunId', 'originalSessionId', 'turnTraceId', 'includePriorContext'];
const booleanText = schemas/* string */.YjP()
    .trim()
    .toLowerCase()
    .pipe(schemas/* enum */.k5n(['true', 'false', '1', '0']))
    .transform((text) => text === 'true' || text === '1');
const lenientBoolean = schemas/* union */.KCZ([schemas/* boolean */.zMY(), booleanText], { error: 'true or false' });
/**
 * Reads a replay request from its body and headers (names in any case). The body wins where both carry a value.
 * @throws z.ZodError with the path of each mistake
 */
function parseReplayRequest(body, headers = {}, options = {}) {
    const wire = wireNames(options.identifiers ?? identifiers.parse({}));
    const parsed = bodySchema(wire).parse(body);
    const fromHeaders = headerSchema(wire).parse(lowerCased(headers));
    const request = {};
    for (const key of ['messages', 'input', 'model']) {
        if (parsed[key] != null)
            request[key] = parsed[key];
    }
    for (const key of METADATA) {
        const value = parsed[wire.keys[key]] ?? fromHeaders[wire.headers[key].toLowerCase()];
        if (value !== undefined)
            request[key] = value;
    }
    request.isReplay = parsed[wire.keys.isReplay] ?? fromHeaders[wire.headers.isReplay.toLowerCase()] ?? false;
    return request;
}
function bodySchema({ keys }) {
    return z
        .looseObject({
        // Many clients send what they do not have as null.
        messages: z.array(message).nullish(),
        input: z.string().nullish(),
        model: z.string().nullish(),
        [keys.isReplay]: lenientBoolean.nullish(),
        [keys.replayRunId]: z.string().nullish(),
        [keys.originalSessionId]: z.string().nullish(),
        [keys.turnTraceId]: z.string().nullish(),
        [keys.includePriorContext]: lenientBoolean.nullish(),
    })
        .refine(({ messages, input }) => (messages ?? input ?? undefined) !== undefined, {
        error: 'messages or input is required',
    });
}
function headerSchema({ headers }) {
    return z.looseObject({
        [headers.isReplay.toLowerCase()]: booleanText.optional(),
        [headers.replayRunId.toLowerCase()]: z.string().optional(),
        [headers.originalSessionId.toLowerCase()]: z.string().optional(),
        [headers.turnTraceId.toLowerCase()]: z.string().optional(),
        [headers.includePriorContext.toLowerCase()]: booleanText.optional(),
    });
}
function lowerCased(headers) {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

;// CONCATENATED MODULE: ./build/src/contract/response.js



/** Where agents put their answer, most specific first. The first that is present wins. */
const OUTPUT_POINTERS = [
    '/output',
    '/response',
    '/answer',
    '/reply',
    '/message/content',
    '/message',
    '/content',
    '/text',
    '/result',
    '/choices/0/message/content',
];
/**
 * Reads a replay response.
 * @param options.outputPointer JSON pointer to the output, for an agent with another shape
 * @throws z.ZodError when the body is not an object or an id is not a string
 */
function parseReplayResponse(body, options = {}) {
    const { keys } = identifiers_wireNames(options.identifiers);
    const id = schemas/* union */.KCZ([schemas/* string */.YjP(), schemas/* number */.aig().transform(String)])
        .nullish()
        .transform((value) => value ?? undefined);
    const parsed = schemas/* looseObject */._H3({ session_id: id, run_id: id, [keys.replayRunId]: id, output: json.optional() })
        .parse(body);
    const pointers = options.outputPointer === undefined ? OUTPUT_POINTERS : [options.outputPointer];
    const output = pointers.map((pointer) => atPointer(body, pointer)).find((value) => value !== undefined);
    return {
        sessionId: parsed.session_id,
        runId: parsed.run_id,
        replayRunId: parsed[keys.replayRunId],
        output,
    };
}
/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
function atPointer(value, pointer) {
    if (pointer === '')
        return value;
    let current = value;
    for (const part of pointer.slice(1).split('/')) {
        const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
        if (Array.isArray(current))
            current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined;
        else if (json_isJsonObject(current))
            current = Object.hasOwn(current, key) ? current[key] : undefined;
        else
            return undefined;
    }
    return current;
}
/** One step of a JSON pointer, escaped. */
function pointerPart(key) {
    return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

// EXTERNAL MODULE: ./node_modules/zod/v4/classic/iso.js
var iso = __webpack_require__(4377);
;// CONCATENATED MODULE: ./build/src/contract/trace.js


/** The tracing platform's observation types, in the spelling of its SDKs. */
const observationType = schemas/* enum */.k5n([
    'span',
    'generation',
    'event',
    'embedding',
    'agent',
    'tool',
    'chain',
    'retriever',
    'evaluator',
    'guardrail',
]);
const observationLevel = schemas/* enum */.k5n(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']);
const isoTime = iso/* datetime */.w$({ offset: true });
/**
 * One observation of a trace, whatever it came from: SDK, OpenTelemetry, either read API.
 * Times are ISO 8601 with milliseconds, in UTC. A key that is absent was not recorded; `null` was recorded as null.
 */
const observation = schemas/* object */.Ikc({
    id: schemas/* string */.YjP().min(1),
    /** The parent's id; null for a root. It may name an observation that never arrives (a filtered HTTP span). */
    parentId: schemas/* string */.YjP().nullable(),
    type: observationType,
    name: schemas/* string */.YjP(),
    startTime: isoTime,
    /** Null while it is not ended, and for ever on a root that the platform made up. */
    endTime: isoTime.nullable(),
    /** Input and output as values: a string that holds a JSON object or array has been parsed where it entered. */
    input: json.optional(),
    output: json.optional(),
    level: observationLevel.optional(),
    statusMessage: schemas/* string */.YjP().optional(),
    /** Of a tool call: the id under which the model asked for it. */
    callId: schemas/* string */.YjP().optional(),
    model: schemas/* string */.YjP().optional(),
    modelParameters: jsonObject.optional(),
    /** Tokens by kind (`input`, `output`, `total`, ...). */
    usage: schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* number */.aig()).optional(),
    /** Cost by kind, in US dollars. */
    cost: schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* number */.aig()).optional(),
    metadata: jsonObject.optional(),
});
/** One trace: what the agent did for one turn. `observations` are in no particular order. */
const trace = schemas/* object */.Ikc({
    id: schemas/* string */.YjP().min(1),
    name: schemas/* string */.YjP().optional(),
    /** Start of the trace. */
    timestamp: isoTime,
    sessionId: schemas/* string */.YjP().optional(),
    userId: schemas/* string */.YjP().optional(),
    tags: schemas/* array */.YOg(schemas/* string */.YjP()).optional(),
    environment: schemas/* string */.YjP().optional(),
    release: schemas/* string */.YjP().optional(),
    version: schemas/* string */.YjP().optional(),
    /** Metadata at trace level: what its root carries and what every observation inherits. */
    metadata: jsonObject,
    /** The trace's own input and output, or else its root's. */
    input: json.optional(),
    output: json.optional(),
    observations: schemas/* array */.YOg(observation),
});
/** What one turn did: the part of a trace that is compared and pinned. */
const recording = schemas/* object */.Ikc({
    traceId: schemas/* string */.YjP().min(1).optional(),
    /** The turn's output: of a trace its root's output, without traces the response's. */
    output: json.optional(),
    observations: schemas/* array */.YOg(observation),
});

;// CONCATENATED MODULE: ./build/src/contract/index.js







;// CONCATENATED MODULE: ./build/src/compare/canonical.js

/**
 * The canonical text of a value: keys in the order of RFC 8785, strings in NFC with LF line ends, numbers by value
 * (0 and -0 alike), numbers beyond a double as they were written, lone surrogates escaped. Two values are equal if and
 * only if their texts are. Linear in the value; as deep as {@link parseJson} lets in.
 */
function canonical(value) {
    if (value === undefined)
        return '';
    if (typeof value === 'string')
        return JSON.stringify(plain(value));
    if (typeof value === 'number')
        return String(value === 0 ? 0 : value);
    if (value === null || typeof value === 'boolean')
        return String(value);
    if (isRawNumber(value))
        return value.rawJSON;
    if (Array.isArray(value))
        return `[${value.map(canonical).join(',')}]`;
    const entries = keysInOrder(value).map((key) => `${JSON.stringify(plain(key))}:${canonical(value[key])}`);
    return `{${entries.join(',')}}`;
}
/** Keys in the order in which they are compared. */
function keysInOrder(object) {
    return Object.keys(object).sort((a, b) => byCodeUnit(plain(a), plain(b)));
}
/** An object by the keys as they are compared, in that order. */
function entriesInOrder(object) {
    return new Map(keysInOrder(object).map((key) => [plain(key), object[key]]));
}
/** NFC and LF: what can differ without a person or a program seeing it. */
function plain(text) {
    if (isPlainAscii(text))
        return text;
    return text.replaceAll('\r\n', '\n').normalize('NFC');
}
/** A text as a reader sees it: trimmed, runs of blanks joined, code left alone. */
function readable(text) {
    return plain(text)
        .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
        .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s{2,}|[^\S ]/g, ' ')))
        .join('')
        .trim();
}
/** The same value with every string and number passed through; what the mapping leaves alone is not copied. */
function mapLeaves(value, text, number) {
    if (typeof value === 'string')
        return text(value);
    if (typeof value === 'number')
        return number(value);
    if (typeof value !== 'object' || value === null || isRawNumber(value))
        return value;
    if (Array.isArray(value)) {
        const items = value.map((item) => mapLeaves(item, text, number));
        return items.some((item, index) => item !== value[index]) ? items : value;
    }
    // In the order of the canonical text, so that the first occurrence does not depend on how keys arrived.
    const entries = keysInOrder(value).map((name) => [name, mapLeaves(value[name], text, number)]);
    // fromEntries defines own properties, so that a key like `__proto__` stays data.
    return entries.some(([name, item]) => item !== value[name]) ? Object.fromEntries(entries) : value;
}
/** The order of RFC 8785: by UTF-16 code units, the same in every locale. */
function byCodeUnit(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}
function sameValue(a, b) {
    return a === b || canonical(a) === canonical(b);
}
function isContainer(value) {
    return Array.isArray(value) || json_isJsonObject(value);
}
function isPlainAscii(text) {
    return /^[\x00-\x0c\x0e-\x7f]*$/.test(text);
}

;// CONCATENATED MODULE: ./build/src/compare/messages.js

/**
 * Reads a generation's output in any of the shapes that platforms record: OpenAI chat and responses, the `parts` of
 * OpenTelemetry GenAI and the AI SDK, Anthropic content blocks, plain text. An object of no known shape is one text.
 */
function readModelOutput(output) {
    const texts = [];
    const calls = [];
    let cutShort;
    /** A stack, as values are as deep as their sender liked; what lies first is taken first. */
    const pending = [];
    if (output !== undefined)
        pending.push({ value: output, inCallList: false, top: true });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const { value, inCallList, top } = next;
        if (typeof value === 'string') {
            if (value.trim() !== '')
                texts.push(value);
        }
        else if (Array.isArray(value)) {
            for (const item of joined(value).reverse())
                pending.push({ value: item, inCallList, top });
        }
        else if (json_isJsonObject(value)) {
            cutShort ??= stopReason(value);
            const call = asCall(value, inCallList);
            if (call !== undefined) {
                calls.push(call);
                continue;
            }
            if (RESULT_TYPES.has(String(value.type)) || value.role === 'tool')
                continue;
            const entered = TEXT_AND_LISTS.filter((key) => isWorthEntering(value, key));
            for (const key of entered.toReversed()) {
                pending.push({ value: value[key], inCallList: CALL_LISTS.has(key), top: false });
            }
            if (entered.length === 0 && top && !hasMessageShape(value))
                texts.push(value);
        }
        else if (value !== null && top) {
            texts.push(value);
        }
    }
    // A structured answer whose keys only look like those of a message.
    const isUntold = texts.length === 0 && calls.length === 0 && json_isJsonObject(output) && !hasMessageShape(output);
    return { texts: isUntold ? [output] : texts, calls, cutShort };
}
const TEXT_PARTS = new Set(['text', 'output_text', 'text-delta', 'text_delta']);
/** Text that was streamed arrives in as many parts as the network made of it. */
function joined(parts) {
    const items = [];
    let run = [];
    const flush = () => {
        if (run.length > 0)
            items.push(run.join(''));
        run = [];
    };
    for (const part of parts) {
        const isText = json_isJsonObject(part) && TEXT_PARTS.has(String(part.type));
        const text = isText ? textAt(part, ['text', 'content', 'delta']) : part;
        if (typeof text === 'string')
            run.push(text);
        else {
            flush();
            items.push(part);
        }
    }
    flush();
    return items;
}
/** The tool results that a generation was given, by call id, each id's in order. */
function readGivenResults(input) {
    const results = new Map();
    for (const message of messagesOf(input)) {
        for (const part of [message, ...partsOf(message)]) {
            const isResult = part.role === 'tool' || RESULT_TYPES.has(String(part.type));
            const id = isResult ? textAt(part, RESULT_IDS) : undefined;
            if (id === undefined)
                continue;
            const value = RESULT_VALUES.map((key) => (Object.hasOwn(part, key) ? part[key] : undefined)).find((each) => each !== undefined);
            if (value === undefined || (part === message && partsOf(message).some(isResultPart)))
                continue;
            const known = results.get(id);
            if (known === undefined)
                results.set(id, [value]);
            else
                known.push(value);
        }
    }
    return results;
}
/** The messages of a generation's input: `{messages}` or the bare array; none for anything else. */
function messagesOf(input) {
    const messages = json_isJsonObject(input) ? input.messages : input;
    return Array.isArray(messages) ? messages.filter((each) => json_isJsonObject(each)) : [];
}
/** All text of a message, whatever its shape, joined by line breaks. */
function messageText(message) {
    if (typeof message.content === 'string')
        return message.content;
    const texts = partsOf(message).map((part) => textAt(part, ['text', 'content', 'output_text']));
    return texts.filter((text) => text !== undefined).join('\n');
}
/**
 * What a turn's output says to the user. SDKs record the answer itself, the assistant's message around it, or all
 * messages: the text of the last one of the assistant is the answer, and may spell a structured one.
 */
function answerIn(output) {
    const spelled = spelledOut(output);
    const isState = json_isJsonObject(spelled) && Object.keys(spelled).length === 1 && Array.isArray(spelled.messages);
    const messages = isState ? spelled.messages : spelled;
    const last = Array.isArray(messages) && messages.every(isMessage) ? messages.findLast(isOfAssistant) : messages;
    if (!isMessage(last) || !isOfAssistant(last))
        return spelled;
    const { texts } = readModelOutput(last);
    return texts.length === 0 ? spelled : spelledOut(texts.length === 1 ? texts[0] : texts.join('\n'));
}
function isMessage(value) {
    return json_isJsonObject(value) && typeof value.role === 'string' && ('content' in value || 'parts' in value);
}
function isOfAssistant({ role }) {
    return role === 'assistant' || role === 'model' || role === 'ai';
}
/** Arguments and results that arrive as JSON text are the value that they spell. */
function spelledOut(value) {
    if (typeof value !== 'string')
        return value;
    const first = value.trimStart()[0];
    if (first !== '{' && first !== '[')
        return value;
    try {
        return json_parseJson(value);
    }
    catch (error) {
        if (error instanceof json_JsonError)
            return value;
        throw error;
    }
}
const TEXT_AND_LISTS = [
    'thinking',
    'reasoning',
    'text',
    'refusal',
    'content',
    'parts',
    'message',
    'messages',
    'choices',
    'output',
    'tool_calls',
    'toolCalls',
];
const CALL_LISTS = new Set(['tool_calls', 'toolCalls']);
const CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);
const CALL_IDS = ['call_id', 'toolCallId', 'id'];
const CALL_ARGS = ['arguments', 'args', 'input'];
const RESULT_TYPES = new Set(['tool_call_response', 'tool-result', 'tool_result', 'function_call_output', 'tool']);
const RESULT_IDS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id', 'id'];
const RESULT_VALUES = ['response', 'result', 'output', 'content'];
const UNFINISHED = new Set(['length', 'max_tokens', 'content_filter', 'content-filter']);
function asCall(object, inCallList) {
    const isCall = inCallList || CALL_TYPES.has(String(object.type)) || typeof object.toolName === 'string';
    if (!isCall || RESULT_TYPES.has(String(object.type)))
        return undefined;
    const inner = json_isJsonObject(object.function) ? object.function : object;
    const name = textAt(inner, ['name', 'toolName']);
    if (name === undefined)
        return undefined;
    const args = CALL_ARGS.map((key) => (Object.hasOwn(inner, key) ? inner[key] : undefined)).find((each) => each !== undefined);
    return { id: textAt(object, CALL_IDS), name, args: spelledOut(args) };
}
function stopReason(object) {
    const reason = textAt(object, ['finish_reason', 'finishReason', 'stop_reason']);
    return reason !== undefined && UNFINISHED.has(reason) ? reason : undefined;
}
function isWorthEntering(object, key) {
    if (!Object.hasOwn(object, key))
        return false;
    const value = object[key];
    // `text` and `content` say something only in a message or a part; elsewhere they are fields of a structured answer.
    return value !== null && value !== undefined && (typeof value === 'object' || hasMessageShape(object));
}
function hasMessageShape(object) {
    return (typeof object.role === 'string' ||
        typeof object.type === 'string' ||
        Object.hasOwn(object, 'finish_reason') ||
        Object.hasOwn(object, 'toolCalls'));
}
function partsOf(message) {
    const parts = message.parts ?? message.content;
    return Array.isArray(parts) ? parts.filter((part) => json_isJsonObject(part)) : [];
}
function isResultPart(part) {
    return RESULT_TYPES.has(String(part.type));
}
function textAt(object, keys) {
    for (const key of keys) {
        const value = Object.hasOwn(object, key) ? object[key] : undefined;
        if (typeof value === 'string' && value !== '')
            return value;
    }
    return undefined;
}

;// CONCATENATED MODULE: ./build/src/compare/input.js


/**
 * Whether a replay was given another input than the pin's: then it says nothing of behaviour. The user messages of the
 * request must stand, in order, at the head of those of the replay's first generation that carries any; a simulated
 * user may say more later.
 * @returns what differs, for people; undefined when the input is the pinned one, or the trace tells of none
 */
function input_inputDiffers(request, recording) {
    const given = recording.observations
        .filter(({ type }) => type === 'generation')
        .map(({ input }) => userTexts(messagesOf(input)))
        .find((texts) => texts.length > 0);
    if (given === undefined)
        return undefined;
    const asked = request.messages === undefined ? [readable(request.input ?? '')] : userTexts(request.messages);
    // An endpoint that replays `input` may add the context of its own; the user's message is then the last one.
    if (request.messages === undefined) {
        return given.some((text) => text.includes(asked[0])) ? undefined : difference(1, asked[0], given.at(-1));
    }
    const at = asked.findIndex((text, index) => given[index] !== text);
    return at === -1 ? undefined : difference(at + 1, asked[at], given[at]);
}
function userTexts(messages) {
    return messages
        .filter(({ role }) => role === 'user' || role === 'human')
        .map((message) => readable(messageText(message)));
}
const MAX_QUOTED = 120;
function difference(position, asked, given) {
    const cut = (text = '') => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1).toWellFormed()}…` : text);
    const received = given === undefined ? 'was given none' : `was given "${cut(given)}"`;
    return `user message ${position} is "${cut(asked)}" in the pin; the model ${received}`;
}

// EXTERNAL MODULE: ./node_modules/diff/libesm/diff/array.js + 1 modules
var array = __webpack_require__(8965);
;// CONCATENATED MODULE: ./build/src/compare/parallel.js
/**
 * Places of the replay in the order in which they are laid beside the recording. Parallel calls have no order of their
 * own, and each run has them sorted by what they say: one that says something else is somewhere else. So the calls of a
 * group go beside those of the recording's group that they equal, and else of the same tool.
 */
function besideRecorded(recorded, replayed) {
    const [ours, theirs] = [groupsIn(recorded), groupsIn(replayed)];
    const places = replayed.map((_, place) => place);
    for (const [index, group] of theirs.entries()) {
        const fromEnd = ours.length - theirs.length + index;
        const [own, shifted] = [ours[index] ?? [], ours[fromEnd] ?? []];
        // Groups that stand next to each other may share a call: the one that shares more of them is meant.
        const counterpart = common(shifted, group) > common(own, group) ? shifted : ours[index];
        const from = group[0]?.from ?? 0;
        if (counterpart === undefined || group.length < 2)
            continue;
        const laid = laidBeside(counterpart, group).flatMap((block) => places.slice(block.from, block.to));
        places.splice(from, laid.length, ...laid);
    }
    return places;
}
/** The blocks of each group, in order; a group inside a call's sub-agent stays within its block. */
function groupsIn(steps) {
    const endOf = new Map(steps.map(({ group }, place) => [group, place + 1]));
    const groups = [];
    for (let place = 0; place < steps.length; place++) {
        const { group, kind } = steps[place];
        if (group === undefined || kind !== 'call')
            continue;
        const end = endOf.get(group) ?? place + 1;
        const starts = [];
        for (let at = place; at < end; at++)
            if (steps[at]?.group === group && steps[at]?.kind === 'call')
                starts.push(at);
        groups.push(starts.map((from, i) => ({ call: steps[from], from, to: starts[i + 1] ?? end })));
        place = end - 1;
    }
    return groups;
}
/** Calls of `b` that are in `a` to the letter. */
function common(a, b) {
    const known = new Set(a.map(({ call }) => call.exact));
    return b.filter(({ call }) => known.has(call.exact)).length;
}
function laidBeside(recorded, replayed) {
    const slots = recorded.map(() => undefined);
    const free = new Set(replayed);
    const fill = (keyOf) => {
        const byKey = Map.groupBy([...free].reverse(), ({ call }) => keyOf(call));
        for (const [index, { call }] of recorded.entries()) {
            const block = slots[index] === undefined ? byKey.get(keyOf(call))?.pop() : undefined;
            if (block === undefined)
                continue;
            slots[index] = block;
            free.delete(block);
        }
    };
    fill(({ exact }) => exact);
    fill(({ name = '' }) => name);
    fill(() => '');
    return [...slots.filter((block) => block !== undefined), ...free];
}

;// CONCATENATED MODULE: ./build/src/compare/tools.js

/** Verbs of tools that change the world, whatever they answer. A tool so named has to be declared read-only. */
const CHANGES = /(?:^|[_\W])(?:add|apply|approve|book|buy|cancel|charge|close|commit|create|delete|deploy|disable|drop|edit|enable|execute|grant|insert|install|invite|issue|merge|modify|move|notify|open|order|pay|post|publish|put|refund|reject|remove|rename|reset|restart|revoke|run|save|send|set|start|stop|submit|transfer|update|upload|write)(?:$|[_\W])/i;
/** Most calls of one tool that are looked at; more tell no more. */
const MAX_SAMPLES = 500;
/**
 * Learns which tools only inform: same arguments, same result; other arguments, other results, with something in them
 * that the arguments do not hold; nothing generated. Tools that only acknowledge never qualify, as a reworded argument
 * to them is a change that the result cannot show.
 */
function learnTools(runs, { tools }) {
    const samples = new Map();
    for (const run of runs) {
        for (const { call, outcome } of callsWithOutcomes(run)) {
            if (call.name === undefined || outcome?.kind !== 'result')
                continue;
            const ofTool = samples.get(call.name) ?? new Map();
            samples.set(call.name, ofTool);
            if (ofTool.size >= MAX_SAMPLES)
                continue;
            const sample = ofTool.get(call.exact) ?? { args: call.value, results: new Map() };
            ofTool.set(call.exact, sample);
            sample.results.set(outcome.exact, outcome.value ?? null);
        }
    }
    const learned = new Map();
    const learn = (tool) => {
        const calls = [...(samples.get(tool)?.values() ?? [])];
        const results = calls.flatMap(({ results: each }) => [...each.values()]);
        return (!soundsChanging(tool) &&
            calls.length > 1 &&
            calls.every((call) => call.results.size === 1) &&
            !results.some((result) => /#\d+>/.test(JSON.stringify(result))) &&
            new Set(calls.map((call) => [...news(call)].sort().join('\0'))).size > 1);
    };
    const declaredOf = (tool) => (Object.hasOwn(tools, tool) ? tools[tool] : undefined);
    const isDelicate = (tool = '') => {
        const declared = declaredOf(tool);
        return declared?.mutating === true || declared?.critical === true;
    };
    return {
        isDelicate,
        isInformative(tool = '') {
            const { readOnly } = declaredOf(tool) ?? {};
            if (isDelicate(tool))
                return false;
            if (readOnly !== undefined)
                return readOnly;
            const known = learned.get(tool) ?? learn(tool);
            learned.set(tool, known);
            return known;
        },
        mayChange(tool = '') {
            const { readOnly } = declaredOf(tool) ?? {};
            return isDelicate(tool) || readOnly === false || (readOnly === undefined && soundsChanging(tool));
        },
    };
}
function soundsChanging(tool) {
    return CHANGES.test(tool.replace(/([a-z])([A-Z])/g, '$1_$2'));
}
/** What a result says that the arguments do not. */
function news({ args, results }) {
    const known = leavesOf(args ?? null);
    const said = new Set();
    for (const result of results.values())
        for (const leaf of leavesOf(result))
            if (!known.has(leaf))
                said.add(leaf);
    return said;
}
/** Strings and numbers anywhere in a value, as text. */
function leavesOf(value) {
    const leaves = new Set();
    mapLeaves(value, (text) => {
        leaves.add(text);
        return text;
    }, (number) => {
        leaves.add(String(number));
        return number;
    });
    return leaves;
}
/** Every call of a run with what it came to: between them may stand what a sub-agent did. */
function callsWithOutcomes(run) {
    const calls = [];
    const open = [];
    for (const step of run) {
        if (step.kind === 'call') {
            const entry = { call: step, outcome: undefined };
            calls.push(entry);
            open.push(entry);
        }
        else if (tools_isOutcome(step)) {
            const index = open.findLastIndex(({ call }) => call.name === step.name && call.callId === step.callId);
            const [entry] = index === -1 ? [] : open.splice(index, 1);
            if (entry !== undefined)
                entry.outcome = step;
        }
    }
    return calls;
}
/** The end of a call: its result or its error. */
function tools_isOutcome({ kind, name }) {
    return (kind === 'result' || kind === 'error') && name !== undefined;
}

;// CONCATENATED MODULE: ./build/src/compare/trie.js
function buildTrie(paths) {
    const root = { depth: 0, children: new Map(), paths: [] };
    for (const [number, keys] of paths.entries()) {
        let node = root;
        node.paths.push(number);
        for (const key of keys) {
            let next = node.children.get(key);
            if (next === undefined) {
                next = { depth: node.depth + 1, children: new Map(), paths: [] };
                node.children.set(key, next);
            }
            next.paths.push(number);
            node = next;
        }
    }
    return root;
}
/** Nodes at which paths part: more than one way on, or an end beside a way on. In order of depth, then of first path. */
function forksOf(root, lengths) {
    const forks = [];
    const pending = [root];
    for (const node of pending) {
        if (node.paths.length < 2)
            continue;
        const ended = node.paths.filter((path) => lengths[path] === node.depth);
        if (node.children.size + (ended.length > 0 ? 1 : 0) > 1)
            forks.push({ node, ended });
        pending.push(...node.children.values());
    }
    return forks;
}
/** Length of the longest common prefix: the place of the first difference of two runs. */
function commonPrefix(a, b) {
    const limit = Math.min(a.length, b.length);
    let length = 0;
    while (length < limit && a[length] === b[length])
        length++;
    return length;
}

;// CONCATENATED MODULE: ./build/src/compare/align.js





/** Costs in tenths. Same tool, other value. */
const COST_VALUE = 6;
const COST_GAP = 10;
/** Another tool at the same place: a little cheaper than one missing and one extra. */
const COST_NAME = 18;
/** Dearer than two gaps: never laid side by side. */
const COST_NEVER = 1_000;
/** More cells than this are not filled in (2,000 x 2,000 steps, 70 ms): beyond it names alone are aligned. */
const MAX_CELLS = 4_000_000;
/** Edits after which two sequences of names have so little in common that no alignment explains anything. */
const MAX_NAME_EDITS = 500;
/**
 * Aligns two runs to explain their differences: parallel calls beside those that they equal, then Needleman-Wunsch on
 * what is between the common prefix and suffix, with a fixed tie-break; exchanging the sides exchanges the answer.
 */
function align_align(a, b) {
    if (isSecond(a, b))
        return align_align(b, a).map((pair) => ({ a: pair.b, b: pair.a }));
    const places = besideRecorded(a, b);
    const laid = places.map((place) => b[place]);
    return alignInOrder(a, laid).map((pair) => ({ a: pair.a, b: pair.b < 0 ? -1 : places[pair.b] }));
}
function alignInOrder(a, b) {
    const [left, right] = [a.map(({ exact }) => exact), b.map(({ exact }) => exact)];
    const prefix = commonPrefix(left, right);
    const suffix = commonPrefix(left.slice(prefix).reverse(), right.slice(prefix).reverse());
    const middle = alignMiddle(a.slice(prefix, a.length - suffix), b.slice(prefix, b.length - suffix));
    return [
        ...Array.from({ length: prefix }, (_, i) => ({ a: i, b: i })),
        ...middle.map((pair) => ({ a: pair.a < 0 ? -1 : pair.a + prefix, b: pair.b < 0 ? -1 : pair.b + prefix })),
        ...Array.from({ length: suffix }, (_, i) => ({ a: a.length - suffix + i, b: b.length - suffix + i })),
    ];
}
/** A fixed order of the two sides, so that ties fall the same way whichever comes first. */
function isSecond(a, b) {
    if (a.length !== b.length)
        return a.length > b.length;
    const at = a.findIndex(({ exact }, index) => exact !== b[index]?.exact);
    return at !== -1 && byCodeUnit(a[at]?.exact ?? '', b[at]?.exact ?? '') > 0;
}
function alignMiddle(a, b) {
    return (a.length + 1) * (b.length + 1) <= MAX_CELLS ? needlemanWunsch(a, b) : byNames(a, b);
}
function labelsOf(steps, numbers) {
    const numberOf = (text) => {
        const number = numbers.get(text) ?? numbers.size;
        numbers.set(text, number);
        return number;
    };
    return steps.map((step) => ({
        exact: numberOf(step.exact),
        name: numberOf(`name ${step.name}`),
        kind: tools_isOutcome(step) ? 'outcome' : step.kind,
    }));
}
function substitution(a, b) {
    if (a.exact === b.exact)
        return 0;
    if (a.kind !== b.kind)
        return COST_NEVER;
    if (a.name !== b.name)
        return a.kind === 'call' ? COST_NAME : COST_NEVER;
    return COST_VALUE;
}
function needlemanWunsch(recorded, replayed) {
    const numbers = new Map();
    const [a, b] = [labelsOf(recorded, numbers), labelsOf(replayed, numbers)];
    const width = b.length + 1;
    const cost = new Int32Array((a.length + 1) * width);
    const at = (i, j) => cost[i * width + j];
    for (let j = 0; j <= b.length; j++)
        cost[j] = j * COST_GAP;
    for (let i = 1; i <= a.length; i++) {
        const label = a[i - 1];
        cost[i * width] = i * COST_GAP;
        for (let j = 1; j <= b.length; j++) {
            const diagonal = at(i - 1, j - 1) + substitution(label, b[j - 1]);
            const gap = Math.min(at(i - 1, j), at(i, j - 1)) + COST_GAP;
            cost[i * width + j] = Math.min(diagonal, gap);
        }
    }
    const pairs = [];
    for (let i = a.length, j = b.length; i > 0 || j > 0;) {
        const isDiagonal = i > 0 && j > 0 && at(i, j) === at(i - 1, j - 1) + substitution(a[i - 1], b[j - 1]);
        if (isDiagonal)
            pairs.push({ a: --i, b: --j });
        else if (i > 0 && at(i, j) === at(i - 1, j) + COST_GAP)
            pairs.push({ a: --i, b: -1 });
        else
            pairs.push({ a: -1, b: --j });
    }
    return pairs.reverse();
}
/** Myers on kinds and names; where even they differ too much, place by place. */
function byNames(a, b) {
    const label = ({ kind, name }) => `${kind} ${name}`;
    const parts = (0,array/* diffArrays */.E)(a.map(label), b.map(label), { maxEditLength: MAX_NAME_EDITS });
    const pairs = [];
    let [i, j] = [0, 0];
    for (const { count, added, removed } of parts ?? []) {
        for (let k = 0; k < count; k++)
            pairs.push({ a: added ? -1 : i++, b: removed ? -1 : j++ });
    }
    while (i < a.length && j < b.length && label(a[i]) === label(b[j]))
        pairs.push({ a: i++, b: j++ });
    while (i < a.length)
        pairs.push({ a: i++, b: -1 });
    while (j < b.length)
        pairs.push({ a: -1, b: j++ });
    return pairs;
}

;// CONCATENATED MODULE: ./build/src/compare/paths.js


function paths_pathRules(rules) {
    const ignored = rules.ignore.map(parsePath);
    const tolerances = Object.entries(rules.tolerance).map(([path, by]) => ({ path: parsePath(path), by }));
    return {
        strip(step) {
            let { value } = step;
            for (const path of ignored)
                if (appliesTo(path, step))
                    value = without(value, path.keys);
            return value === step.value ? step : { ...step, value };
        },
        tolerance(step, pointer) {
            const keys = keysOf(pointer);
            const matching = tolerances.filter(({ path }) => appliesTo(path, step) && matches(path.keys, keys));
            return Math.max(0, ...matching.map(({ by }) => by));
        },
    };
}
/** The path of a place in a step, as the user would write it in a rule; indexes become `*`. */
function pathOf(step, pointer) {
    const generic = keysOf(pointer).map((key) => pointerPart(/^\d+$/.test(key) ? '*' : key));
    const prefix = step.kind === 'final' ? 'output' : `tool:${step.name}/${step.kind === 'call' ? 'args' : 'result'}`;
    return prefix + generic.join('');
}
/**
 * The leaves at which two values differ, in the order of their pointers.
 * @param options.limit most of them that are looked for
 * @param options.isTolerated numbers at a pointer that are near enough
 */
function leafDifferences(recorded, replayed, { limit, isTolerated }) {
    const found = [];
    const compare = (a, b, pointer) => {
        if (found.length >= limit || a === b)
            return;
        if (a === undefined || b === undefined) {
            found.push({ pointer, change: a === undefined ? 'added' : 'removed', ...given({ recorded: a, replayed: b }) });
        }
        else if (Array.isArray(a) && Array.isArray(b)) {
            for (let i = 0; i < Math.max(a.length, b.length) && found.length < limit; i++) {
                compare(a[i], b[i], pointer + pointerPart(i));
            }
        }
        else if (json_isJsonObject(a) && json_isJsonObject(b)) {
            const [left, right] = [entriesInOrder(a), entriesInOrder(b)];
            for (const key of [...new Set([...left.keys(), ...right.keys()])].sort(byCodeUnit)) {
                if (found.length >= limit)
                    return;
                compare(left.get(key), right.get(key), pointer + pointerPart(key));
            }
        }
        else if (typeof a === 'number' && typeof b === 'number' && isTolerated?.(pointer, a, b)) {
            return;
        }
        else if (!sameValue(a, b)) {
            found.push({ pointer, change: typeOf(a) === typeOf(b) ? 'value' : 'type', recorded: a, replayed: b });
        }
    };
    compare(recorded, replayed, '');
    return found;
}
function given(values) {
    return {
        ...(values.recorded === undefined ? {} : { recorded: values.recorded }),
        ...(values.replayed === undefined ? {} : { replayed: values.replayed }),
    };
}
function typeOf(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'array';
    return json_isJsonObject(value) || typeof value !== 'object' ? typeof value : 'number';
}
/** Tool names hold no slash; see the pattern in rules.ts. */
function parsePath(path) {
    const match = /^(?:tool:(?<tool>[^/]+)\/(?<part>args|result)|output)(?<pointer>\/.*)?$/.exec(path);
    const { tool, part = 'output', pointer = '' } = match?.groups ?? {};
    return { tool, part: part, keys: keysOf(plain(pointer)) };
}
function keysOf(pointer) {
    if (pointer === '')
        return [];
    return pointer
        .slice(1)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
function appliesTo({ tool, part }, step) {
    if (part === 'output')
        return step.kind === 'final';
    if (tool !== '*' && tool !== step.name)
        return false;
    return part === 'args' ? step.kind === 'call' : step.kind === 'result';
}
function matches(pattern, keys) {
    return pattern.length <= keys.length && pattern.every((key, index) => key === '*' || key === keys[index]);
}
/** The value without what lies at the keys. Untouched where nothing lies there. */
function without(value, keys) {
    const [key, ...rest] = keys;
    if (key === undefined || value === undefined)
        return key === undefined ? undefined : value;
    if (Array.isArray(value)) {
        if (key !== '*' && atPointer(value, pointerPart(key)) === undefined)
            return value;
        const left = value.map((item, index) => (key === '*' || key === String(index) ? without(item, rest) : item));
        while (left.length > 0 && left.at(-1) === undefined)
            left.pop();
        // An ignored item before others leaves a hole, so that they keep their indexes.
        return left.map((item) => item ?? null);
    }
    if (!json_isJsonObject(value))
        return value;
    const entries = Object.entries(value).flatMap(([name, item]) => {
        if (key !== '*' && key !== plain(name))
            return [[name, item]];
        const left = without(item, rest);
        return left === undefined ? [] : [[name, left]];
    });
    return Object.fromEntries(entries);
}

;// CONCATENATED MODULE: ./build/src/compare/identities.js

/** Clocks of the agent and of what it calls may be this far from each other. */
const CLOCK_SLACK_MS = 5 * 60_000;
/**
 * Every shape that generators of ids and clocks write, longest alternatives first; what is neither uuid nor time is a
 * word with a digit near its start, which {@link shapeOfWord} looks at more closely. Looks ahead by bounded lengths only.
 */
const identities_TOKEN = /(?<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)|(?<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)|\b(?=[\w-]{10})(?=[a-z_-]{0,64}\d)[a-z0-9]+(?:[_-][a-z0-9]+)*/gi;
/** Prefixes under which model providers and SDKs hand out ids. */
const PROVIDER_ID = /^(?:call|toolu|chatcmpl|msg|run|resp|req|asst|thread|fc|rs)[_-][A-Za-z0-9_-]{6,}$/;
/** `user_` and a uuid. */
const UUID_AT_END = /[_-][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const HEX = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,}$/i;
/** An id of mixed letters and digits shorter than this could as well be a product or a version. */
const MIN_MIXED = 16;
const MIN_DIGITS = 3;
/** Longer words are content (base64), not ids. */
const MAX_ID = 200;
/**
 * Makes the values of one run comparable with another run's: ids and times that tools generated are renamed by first
 * occurrence among those of a tool (`<create_order.uuid#1>`), so that equality is a bijection and the wrong generated id
 * is still found. What the model wrote first and what the request holds stay as they are; a date without a time is never
 * a clock's.
 */
function identities_comparableSteps(trajectory, options) {
    const renamer = new Renamer(trajectory.clock, options.request);
    const steps = sortGroups(trajectory.steps, renamer, options.orderMatters);
    return options.literal ? steps : steps.map((step) => renamer.rename(step));
}
/** A text with everything volatile in it replaced by its kind. */
function maskText(text, clock) {
    const masked = new Renamer(clock, undefined).masked(text);
    return typeof masked === 'string' ? masked : text;
}
/** Parallel calls have no order of their own: by name, then by arguments and result with volatile values masked. */
function sortGroups(steps, renamer, orderMatters) {
    const lastOf = new Map(steps.map(({ group }, index) => [group, index]));
    const sorted = [];
    for (let start = 0; start < steps.length;) {
        const group = steps[start]?.group;
        const end = group === undefined ? start : (lastOf.get(group) ?? start);
        for (const step of sortGroup(steps.slice(start, end + 1), renamer, orderMatters))
            sorted.push(step);
        start = end + 1;
    }
    return sorted;
}
function sortGroup(steps, renamer, orderMatters) {
    if (steps.length < 3)
        return [...steps];
    const group = steps[0]?.group;
    const calls = [];
    for (const step of steps) {
        if (step.group === group && step.kind === 'call')
            calls.push([step]);
        else
            calls.at(-1)?.push(step);
    }
    const ordered = calls.map(([call, ...rest]) => {
        // Between a call and its result stands what a sub-agent did.
        const inner = sortGroups(rest.slice(0, -1), renamer, orderMatters);
        const own = [call, ...inner, ...rest.slice(-1)];
        return {
            own,
            key: own
                .map(({ name, value }) => `${name}\0${value === undefined ? '' : canonical(renamer.masked(value))}`)
                .join('\0'),
        };
    });
    if (!calls.some(([call]) => orderMatters(call?.name ?? '')))
        ordered.sort((a, b) => byCodeUnit(a.key, b.key));
    return ordered.flatMap(({ own }) => own);
}
/** Names of one run: what was generated in it, and under which number. */
class Renamer {
    #literal;
    #clock;
    #names = new Map();
    #written = new Set();
    #counts = new Map();
    /** Whose step is being renamed. */
    #tool;
    /** Numbers that a clock wrote, and numbers that the model wrote. */
    #readings = new Set();
    #writtenNumbers = new Set();
    constructor(clock, request) {
        this.#clock = clock;
        this.#literal = new Set(request === undefined ? [] : tokensIn([request.input ?? null, ...(request.messages ?? [])]));
    }
    /** The step with every generated value renamed. Call it in order: the first occurrence decides. */
    rename(step) {
        this.#tool = step.name;
        if (step.callId !== undefined)
            this.#generated({ text: step.callId, shape: 'call' });
        if (step.value === undefined)
            return step;
        const generates = step.kind === 'result' || step.kind === 'error';
        const value = mapLeaves(step.value, (text) => this.#renameIn(text, generates), (number) => this.#renameNumber(number, generates));
        return value === step.value ? step : { ...step, value };
    }
    /** Any value with all volatile shapes replaced by their kind: what is left is the same in every run. */
    masked(value) {
        return mapLeaves(value, (text) => replaceTokens(text, (token) => (this.#isVolatile(token) ? `<${token.shape}>` : token.text)), (number) => (this.#isClockNumber(number) ? '<time>' : number));
    }
    #renameIn(text, generates) {
        return replaceTokens(text, (token) => {
            const known = this.#names.get(token.text);
            if (known !== undefined)
                return known;
            if (!this.#isVolatile(token))
                return token.text;
            if (generates && !this.#written.has(token.text))
                return this.#generated(token);
            this.#written.add(token.text);
            return token.text;
        });
    }
    #renameNumber(number, generates) {
        if (generates && this.#isClockNumber(number) && !this.#writtenNumbers.has(number))
            this.#readings.add(number);
        if (this.#readings.has(number))
            return '<time>';
        this.#writtenNumbers.add(number);
        return number;
    }
    #generated({ text, shape }) {
        const known = this.#names.get(text);
        if (known !== undefined)
            return known;
        if (this.#literal.has(text))
            return text;
        // Two readings of a clock may or may not fall into one millisecond: equal times mean nothing.
        // Counted by tool, so that one more call of another tool does not give all ids after it another number.
        const kind = this.#tool === undefined ? shape : `${this.#tool}.${shape}`;
        const count = (this.#counts.get(kind) ?? 0) + 1;
        const name = shape === 'time' ? '<time>' : `<${kind}#${count}>`;
        this.#counts.set(kind, count);
        this.#names.set(text, name);
        return name;
    }
    #isVolatile({ text, shape }) {
        if (this.#literal.has(text))
            return false;
        return shape !== 'time' || this.#isClockTime(Date.parse(text.includes('T') ? text : text.replace(' ', 'T')));
    }
    #isClockTime(time) {
        if (this.#clock === undefined || Number.isNaN(time))
            return false;
        return time >= this.#clock.from - CLOCK_SLACK_MS && time <= this.#clock.to + CLOCK_SLACK_MS;
    }
    /** Seconds or milliseconds since 1970 inside the run. */
    #isClockNumber(number) {
        return this.#isClockTime(number) || this.#isClockTime(number * 1_000);
    }
}
/** Everything of volatile shape in a value. */
function tokensIn(value) {
    const tokens = [];
    const collect = (text) => replaceTokens(text, (token) => {
        tokens.push(token.text);
        return token.text;
    });
    mapLeaves(value, collect, (number) => number);
    return tokens;
}
function replaceTokens(text, replace) {
    // Nothing shorter has a volatile shape.
    if (text.length < 10)
        return text;
    return text.replace(identities_TOKEN, (match, ...rest) => {
        const groups = rest.at(-1);
        const shape = groups.uuid !== undefined ? 'uuid' : groups.time !== undefined ? 'time' : shapeOfWord(match);
        return shape === undefined ? match : replace({ text: match, shape });
    });
}
function shapeOfWord(word) {
    if (word.length > MAX_ID)
        return undefined;
    if (PROVIDER_ID.test(word))
        return 'id';
    if (UUID_AT_END.test(word))
        return 'uuid';
    if (ULID.test(word))
        return 'ulid';
    const last = word.slice(Math.max(word.lastIndexOf('_'), word.lastIndexOf('-')) + 1);
    if (HEX.test(last))
        return 'hex';
    return isMixed(last) ? 'id' : undefined;
}
function isMixed(word) {
    return word.length >= MIN_MIXED && /[A-Za-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= MIN_DIGITS;
}

;// CONCATENATED MODULE: ./build/src/compare/lexicon.js
/**
 * Words of polarity, case-folded. English in full; of other languages what an answer turns on. Synonyms share a class,
 * so that `cannot` and `unable to` are one fact. Words with an everyday second meaning are left out (`si`, `sim`).
 */
const POLARITY = {
    yes: 'yes yeah yep true ja oui sí sì да نعم כן',
    not: [
        'no not nope non none never neither nor nothing nobody nowhere cannot cant wont dont without unable impossible',
        'unavailable ineligible invalid incorrect unauthorized unauthorised unsupported false',
        'nein nicht kein keine keinen keinem keiner nie pas jamais aucun aucune nunca ningún ninguna não нет не لا لم لن ليس',
        'לא ולא שלא אין ואין שאין 不 没 沒 未 无 無 否 ない ません',
    ].join(' '),
    approved: [
        'approve approves approved approval accept accepts accepted grant grants granted authorize authorized authorise',
        'authorised allowed permitted genehmigt approuvé approuvée aprobado aprobada одобрено אושר אושרה 批准 同意',
    ].join(' '),
    denied: [
        'deny denies denied denial refuse refuses refused refusal reject rejects rejected decline declines declined',
        'forbidden prohibited disallowed abgelehnt refusé refusée rechazado rechazada отказано נדחה נדחתה סורב 拒绝 拒絕 拒否',
    ].join(' '),
    failed: 'fail fails failed failure unsuccessful unsuccessfully error errors',
};
const polarities = new Map(Object.entries(POLARITY).flatMap(([polarity, words]) => words.split(' ').map((word) => [word, polarity])));
/** @param word case-folded */
function polarityOf(word) {
    const known = polarities.get(word);
    if (known !== undefined)
        return known;
    return /n['’]t$/.test(word) || word.startsWith('non-') ? 'not' : undefined;
}
/** Words of polarity in scripts that put no blanks between words. */
const UNSPACED_POLARITY = [...polarities.keys()].filter((word) => /^[\p{sc=Han}\p{sc=Hiragana}]{2,}$/u.test(word));
/** After a negation: courtesy and figures of speech (`don't hesitate`, `no problem`, `not only`), which deny nothing. */
const IDLE_AFTER_NOT = new Set('hesitate worry worries problem problems only doubt forget rush trouble'.split(' '));
/** Words that no name begins with, wherever their capital comes from (a heading, a word after a colon). */
const NEVER_NAMES = new Set([
    'i you he she it we they me us them my your his her its our their this that these those there here',
    'a an the and or but if so as at by for from in into of off on onto out over to up with after before since until',
    'am is are was were be been being do does did have has had can could will would shall should may might must',
    'what which who whom whose when where why how all any both each every some such more most other another',
    'hello hi hey dear thank thanks sorry please welcome sure certainly gladly unfortunately regrettably however',
    'also once then now just let note one',
]
    .join(' ')
    .split(' '));
/** Capitals that are plain words, so that `reservation ID` is `reservation number`. */
const NEVER_CODES = new Set('ID IDs IDS OK FAQ NOTE AM PM A I'.split(' '));
/** After these a full stop ends no sentence. */
const TITLES = new Set('mr mrs ms dr prof st vs etc approx'.split(' '));
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
/** Months by name and by their first three letters, 1 to 12. */
const MONTH_NUMBERS = new Map(MONTHS.flatMap((name, index) => [
    [name, index + 1],
    [name.slice(0, 3), index + 1],
]).concat([['sept', 9]]));
/** Without `one`, which is seldom a number. */
const NUMBER_WORDS = new Map('two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, index) => [word, String(index + 2)]));
const UNITS = {
    '%': '% percent pct ％',
    USD: '$ usd us$ dollar dollars',
    EUR: '€ eur euro euros',
    GBP: '£ gbp',
    JPY: 'jpy yen',
    CNY: 'cny rmb yuan',
    '¥': '¥ ￥',
    ILS: '₪ ils nis shekel shekels',
    INR: '₹ inr rupee rupees',
    CHF: 'chf',
    CAD: 'cad',
    AUD: 'aud',
    second: 'second seconds sec secs',
    minute: 'minute minutes min mins',
    hour: 'hour hours hr hrs h',
    day: 'day days',
    night: 'night nights',
    week: 'week weeks',
    month: 'month months',
    year: 'year years',
    ms: 'ms millisecond milliseconds',
    km: 'km kilometer kilometers kilometre kilometres',
    m: 'm meter meters metre metres',
    cm: 'cm',
    mm: 'mm',
    mile: 'mile miles mi',
    kg: 'kg kilogram kilograms kilo kilos',
    g: 'g gram grams',
    lb: 'lb lbs',
    KB: 'kb',
    MB: 'mb',
    GB: 'gb',
    TB: 'tb',
    k: 'k',
    million: 'million',
    billion: 'billion',
    x: 'x times',
};
/** Units and currencies by each of their spellings, case-folded. What follows a number under one of these is part of it. */
const UNIT_NAMES = new Map(Object.entries(UNITS).flatMap(([unit, spellings]) => spellings.split(' ').map((spelling) => [spelling, unit])));

;// CONCATENATED MODULE: ./build/src/compare/quantities.js

const ORDINAL = /^(\d{1,2})(?:st|nd|rd|th)$/i;
/** A number and nothing else, also as `20th`; undefined for what is more or something else. */
function numberIn(text) {
    const digits = ORDINAL.exec(text)?.[1] ?? text;
    return isNumber(digits) ? canonicalNumber(digits) : undefined;
}
const GLUED = /^(\d[\d.,]*)-?([a-z]+)$/;
/** What begins with a digit and is no number: a day, a time, a number with its unit, two numbers, or else an id. */
function figuresIn(text) {
    const folded = text.toLowerCase();
    const day = dayIn(folded);
    if (day !== undefined) {
        const date = { kind: 'date', text: day.date };
        return day.time === undefined ? [date] : [date, { kind: 'time', text: day.time }];
    }
    const [, amount = '', suffix = ''] = GLUED.exec(folded) ?? [];
    const time = timeOfDay(suffix === 'am' || suffix === 'pm' ? `${amount}:00${suffix}` : folded);
    if (time !== undefined)
        return [{ kind: 'time', text: time }];
    const unit = UNIT_NAMES.get(suffix);
    if (unit !== undefined && isNumber(amount))
        return [{ kind: 'number', text: `${canonicalNumber(amount)} ${unit}` }];
    // `5-7 days` is `5 to 7 days`.
    const range = folded.split('-');
    if (range.length !== 2 || !range.every(isNumber))
        return [{ kind: 'id', text }];
    return range.map((part) => ({ kind: 'number', text: canonicalNumber(part) }));
}
const NUMBER = /^(?:\d+(?:\.\d+)?|\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+)$/;
function isNumber(text) {
    return NUMBER.test(text);
}
/** `1,000.50` and `1.000,50` are `1000.5`. Leading zeros stay: `007` is a name, not a quantity. */
function canonicalNumber(text) {
    const isDecimalComma = /\..*,/.test(text);
    const plain = isDecimalComma ? text.replaceAll('.', '').replace(',', '.') : text.replace(/[,'’]/g, '');
    const [whole = '', decimals] = plain.split('.');
    if (decimals === undefined)
        return whole;
    // Three digits after a point may be thousands: as `1.500` may be 1500, it is left as it was written.
    if (decimals.length === 3 && plain === text)
        return text;
    const significant = decimals.replace(/0+$/, '');
    return significant === '' ? whole : `${whole}.${significant}`;
}
const YEAR_FIRST = /^(\d{4})[-./年](\d{1,2})[-./月](\d{1,2})日?(?:t([\d:.]+z?))?$/;
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
/** A day in figures, as `2024-05-20`, and the time after it. `5/6/2024` stays: whether it is May or June is not said. */
function dayIn(text) {
    const [, year, month, day, clock] = YEAR_FIRST.exec(text) ?? [];
    if (year !== undefined) {
        const time = clock === undefined ? undefined : timeOfDay(clock);
        return isMonth(month) && isDay(day) ? { date: `${year}-${quantities_pad(month)}-${quantities_pad(day)}`, time } : undefined;
    }
    const [, first, second, last] = DAY_FIRST.exec(text) ?? [];
    if (first !== undefined) {
        return isDay(first) && isMonth(second)
            ? { date: `${last}-${quantities_pad(second)}-${quantities_pad(first)}`, time: undefined }
            : undefined;
    }
    const [, a, b, end] = SLASHED.exec(text) ?? [];
    if (a === undefined || !isDay(a) || !isDay(b) || (!isMonth(a) && !isMonth(b)))
        return undefined;
    if (!isMonth(a))
        return { date: `${end}-${quantities_pad(b)}-${quantities_pad(a)}`, time: undefined };
    if (!isMonth(b))
        return { date: `${end}-${quantities_pad(a)}-${quantities_pad(b)}`, time: undefined };
    return { date: `${Number(a)}/${Number(b)}/${end}`, time: undefined };
}
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(z|am|pm)?$/;
/** `7:00pm` is `19:00`; seconds only when there are some. */
function timeOfDay(text) {
    const [, hours, minutes, seconds = '00', suffix = ''] = CLOCK.exec(text) ?? [];
    if (hours === undefined || Number(minutes) > 59 || Number(seconds) > 59)
        return undefined;
    const isHalf = suffix === 'am' || suffix === 'pm';
    const hour = Number(hours);
    if (isHalf ? hour < 1 || hour > 12 : hour > 24)
        return undefined;
    const ofDay = isHalf ? (hour % 12) + (suffix === 'pm' ? 12 : 0) : hour;
    return `${quantities_pad(ofDay)}:${minutes}${seconds === '00' ? '' : `:${seconds}`}${suffix === 'z' ? 'Z' : ''}`;
}
function isDay(text) {
    return text !== undefined && /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 31;
}
function isMonth(text) {
    return isDay(text) && Number(text) <= 12;
}
/** Two digits. */
function quantities_pad(value) {
    return String(Number(value)).padStart(2, '0');
}

;// CONCATENATED MODULE: ./build/src/compare/tokens.js


/** Scripts that put no blanks between words, for a character class. Each of their characters is a word of its own. */
const UNSPACED = String.raw `\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const LETTER = String.raw `[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]`;
const WORD = String.raw `${LETTER}+(?:(?:[_'’.@]|(?<!\p{sc=Hebrew})-|(?<=\d)[,:\/](?=\d))${LETTER}+)*`;
/** Longer ones are mostly two quotation marks that have nothing to do with each other. */
const MAX_QUOTE = 200;
/** What stands between two marks can hold neither of them, so that no text makes the search start again and again. */
const SPANS = [
    '```[\\s\\S]*?(?:```|$)',
    '`[^`\\n]+`',
    String.raw `(?<!${LETTER})"[^"\n]{1,${MAX_QUOTE}}"`,
    ...['“”', '„“', '«»', '「」', '『』'].map(([open, close]) => `${open}[^${open}${close}\\n]{1,${MAX_QUOTE}}${close}`),
];
const PLAIN = [
    // What renaming put in the place of a generated id or time.
    String.raw `<(?:[\w.:\-]{1,64}\.)?[a-z]{1,20}(?:#\d{1,9})?>`,
    String.raw `https?:\/\/[^\s<>"\x60\(\)\[\]\{\}*]+`,
    String.raw `\d{4}年\d{1,2}月\d{1,2}日`,
    WORD,
    ...UNSPACED_POLARITY,
    `[${UNSPACED}]`,
    '[$€£¥￥₪₹%％]',
    String.raw `\p{Sm}`,
    String.raw `[.!?…。！？\n]`,
];
const TEXT_WITH_SPANS = new RegExp([...SPANS, ...PLAIN].join('|'), 'gv');
const TEXT = new RegExp(PLAIN.join('|'), 'gv');
const WORDS = new RegExp(`${WORD}|[${UNSPACED}]`, 'gv');
/** Whether a text has at most so many words. */
function hasAtMostWords(text, limit) {
    let count = 0;
    for (const _ of text.matchAll(WORDS))
        if (++count > limit)
            return false;
    return true;
}
/**
 * Takes a text apart, in linear time. Quotes and code are tokens of their own with `spans`, else they are read like
 * the rest.
 */
function tokensOf(text, { spans }) {
    const reader = new Reader(text);
    for (const match of text.matchAll(spans ? TEXT_WITH_SPANS : TEXT))
        reader.read(match[0], match.index);
    return reader.tokens;
}
const ENDS = new Set('!?…。！？');
const QUOTES = new Set('"“„«「『');
const CASELESS = /^(?:[a-z]+|\p{Lo}+)$/u;
const MIXED_CASE = /\p{Ll}\p{Lu}/u;
const ALL_CAPITALS = /^\p{Lu}[\p{Lu}\-.]*\p{Lu}$/u;
const DOTTED = /\p{L}{2}\.\p{L}{2}/u;
const tokens_BLANKS = /^[ \t\u00a0\u202f*_]*$/;
const BLANKS_AND_COMMA = /^[ \t\u00a0\u202f*_]*,?[ \t\u00a0\u202f]*$/;
/** Longest gap between the parts of one thing, such as `May **20**`. */
const MAX_GAP = 8;
const ITEM = /^[ \t]*(?:[-*•][ \t]|\|)/;
/** Furthest from its margin that an item begins. */
const MAX_INDENT = 40;
/** Reads lexemes from left to right: what one means can depend on the tokens before it. */
class Reader {
    tokens = [];
    #text;
    /** End of the last token. */
    #end = 0;
    #lineStart = 0;
    /** After the number of an item. */
    #itemStart = -1;
    #isLineStart = true;
    #isSentenceStart = true;
    #currency;
    constructor(text) {
        this.#text = text;
    }
    read(text, start) {
        const lexeme = { text, start, end: start + text.length };
        const [isLineStart, currency] = [this.#isLineStart, this.#currency];
        this.#isLineStart = false;
        this.#currency = undefined;
        const head = text.charAt(0);
        if (isLineStart && this.#isItem(start))
            this.#isSentenceStart = false;
        if (head === '\n') {
            this.#lineStart = lexeme.end;
            this.#isLineStart = true;
            this.#isSentenceStart = true;
        }
        else if (head === '.') {
            // The point of `1.` ends no sentence.
            if (lexeme.end !== this.#itemStart)
                this.#isSentenceStart = !TITLES.has(this.tokens.at(-1)?.text ?? '');
        }
        else if (ENDS.has(head)) {
            this.#isSentenceStart = true;
        }
        else if (head === '`') {
            this.#push('code', codeIn(text), lexeme);
        }
        else if (QUOTES.has(head)) {
            this.#push('quote', quoted(text), lexeme);
        }
        else if (head === 'h' && text.includes('://')) {
            this.#push('url', text.replace(/[.,;:!?'’/]{1,9}$/, ''), lexeme);
        }
        else if (head === '<' && text.length > 1) {
            if (text.includes('#') || text === '<time>')
                this.#push('id', text, lexeme);
        }
        else if (/^\d/.test(head)) {
            if (isLineStart && this.#isItemNumber(lexeme)) {
                this.#itemStart = lexeme.end + 1;
                this.#isSentenceStart = false;
            }
            else {
                this.#figures(lexeme, currency);
            }
        }
        else if (/^[^\p{L}\p{M}\p{N}]/u.test(head)) {
            this.#symbol(lexeme);
        }
        else {
            this.#word(lexeme);
        }
    }
    #symbol(lexeme) {
        const { text, start } = lexeme;
        const unit = UNIT_NAMES.get(text);
        if (unit === undefined) {
            if (!this.#isSign(start))
                this.tokens.push({ kind: 'symbol', text, isNext: false });
        }
        else if (!this.#joinUnit(unit, lexeme)) {
            this.#currency = { ...lexeme, unit };
        }
    }
    #word(lexeme) {
        if (CASELESS.test(lexeme.text)) {
            this.#caseless(lexeme);
            return;
        }
        const text = lexeme.text.replace(/['’]s$/, '');
        const folded = text.toLowerCase();
        const isMixed = MIXED_CASE.test(text);
        const hasCapital = (isMixed || (text !== folded && /^\p{Lu}/u.test(text))) && !NEVER_CODES.has(text);
        if (hasCapital && MONTH_NUMBERS.has(folded) && this.#joinMonth(folded, lexeme))
            return;
        if (this.#join(folded, lexeme))
            return;
        const unit = UNIT_NAMES.get(folded);
        if (text.includes('@')) {
            this.#push('id', folded, lexeme);
        }
        else if (/[\d_]/.test(text) || DOTTED.test(text)) {
            this.#push('id', text, lexeme);
        }
        else if (hasCapital && ALL_CAPITALS.test(text) && polarityOf(folded) === undefined) {
            this.#push('id', text, lexeme);
            if (text === unit)
                this.#currency = { ...lexeme, unit };
        }
        else {
            const isInside = isMixed || !this.#isSentenceStart;
            this.#push('word', folded, lexeme, hasCapital ? (isInside ? 'inside' : 'first') : undefined);
        }
    }
    /** Most words are of this kind; they are spared what capitals, digits and signs need. */
    #caseless(lexeme) {
        if (!this.#join(lexeme.text, lexeme))
            this.#push('word', lexeme.text, lexeme);
    }
    /** A word that is a number, or belongs to the one before it. */
    #join(folded, lexeme) {
        const number = NUMBER_WORDS.get(folded);
        if (number !== undefined) {
            this.#push('number', number, lexeme);
            return true;
        }
        if ((folded === 'am' || folded === 'pm') && this.#joinHalfDay(folded, lexeme))
            return true;
        const unit = UNIT_NAMES.get(folded);
        return unit !== undefined && this.#joinUnit(unit, lexeme);
    }
    #figures(lexeme, currency) {
        const { text, start } = lexeme;
        const number = numberIn(text);
        if (number === undefined) {
            for (const figure of figuresIn(text))
                this.#push(figure.kind, figure.text, lexeme);
            return;
        }
        const ofCurrency = currency !== undefined && start - currency.end <= 1 ? currency : undefined;
        const isNegative = this.#isSign(start - 1) || (ofCurrency !== undefined && this.#isSign(ofCurrency.start - 1));
        const value = isNegative ? `-${number}` : number;
        if (ofCurrency !== undefined) {
            // A code such as EUR became a token of its own.
            if (this.#end === ofCurrency.end && this.tokens.at(-1)?.text === ofCurrency.text)
                this.tokens.pop();
            this.#push('number', `${value} ${ofCurrency.unit}`, lexeme);
        }
        else if (isNegative || !this.#joinDay(number, lexeme)) {
            this.#push('number', value, lexeme);
        }
    }
    #push(kind, text, { start, end }, capital) {
        const isNext = this.#follows(start, tokens_BLANKS);
        this.tokens.push(capital === undefined ? { kind, text, isNext } : { kind, text, isNext, capital });
        this.#end = end;
        this.#isSentenceStart = false;
    }
    #follows(start, allowed) {
        const length = start - this.#end;
        if (this.tokens.length === 0 || length > MAX_GAP)
            return false;
        return (length === 1 && this.#text[this.#end] === ' ') || allowed.test(this.#text.slice(this.#end, start));
    }
    /** A minus before a number or its currency, and not a hyphen after a word. */
    #isSign(at) {
        const [before = '', sign = '', after = ''] = [this.#text[at - 1], this.#text[at], this.#text[at + 1]];
        return /[-−]/.test(sign) && !/[\p{L}\p{N}]/u.test(before) && /[\d$€£¥￥₪₹]/.test(after);
    }
    /** An item of a list or a row of a table: no sentence, so that a capital at its start means something. */
    #isItem(start) {
        return start - this.#lineStart <= MAX_INDENT && ITEM.test(this.#text.slice(this.#lineStart, start + 1));
    }
    /** `1.` at the start of an item is layout. */
    #isItemNumber({ text, end }) {
        return /^\d{1,3}$/.test(text) && /^[.)]\s/.test(this.#text.slice(end, end + 2));
    }
    /** Makes one of the last token and the lexeme that belongs to it. */
    #extend(kind, text, { end }) {
        const isNext = this.tokens.pop()?.isNext ?? false;
        this.tokens.push({ kind, text, isNext });
        this.#end = end;
        return true;
    }
    /** `5` and then `USD`. */
    #joinUnit(unit, lexeme) {
        const last = this.tokens.at(-1);
        if (last?.kind !== 'number' || last.text.includes(' ') || !this.#follows(lexeme.start, tokens_BLANKS))
            return false;
        return this.#extend('number', `${last.text} ${unit}`, lexeme);
    }
    /** `20` (`of`) and then `May`. */
    #joinMonth(month, lexeme) {
        const isOf = this.tokens.at(-1)?.text === 'of' && this.tokens.at(-1)?.isNext === true;
        const day = this.tokens.at(isOf ? -2 : -1);
        if (day?.kind !== 'number' || !isDay(day.text) || !this.#follows(lexeme.start, tokens_BLANKS))
            return false;
        if (isOf)
            this.tokens.pop();
        return this.#extend('date', `-${quantities_pad(MONTH_NUMBERS.get(month) ?? 0)}-${quantities_pad(day.text)}`, lexeme);
    }
    /** `May` and then `20` or `2024`; `May 20` and then `2024`. */
    #joinDay(digits, lexeme) {
        const last = this.tokens.at(-1);
        if (last === undefined || !this.#follows(lexeme.start, BLANKS_AND_COMMA))
            return false;
        const isYear = /^[12]\d{3}$/.test(digits);
        if (last.kind === 'date' && last.text.startsWith('-') && isYear) {
            return this.#extend('date', `${digits}${last.text}`, lexeme);
        }
        const month = last.capital === undefined ? undefined : MONTH_NUMBERS.get(last.text);
        if (month === undefined)
            return false;
        if (isYear)
            return this.#extend('date', `${digits}-${quantities_pad(month)}`, lexeme);
        return isDay(digits) && this.#extend('date', `-${quantities_pad(month)}-${quantities_pad(digits)}`, lexeme);
    }
    /** `7` or `7:00` and then `PM`. */
    #joinHalfDay(half, lexeme) {
        const last = this.tokens.at(-1);
        if (last === undefined || !this.#follows(lexeme.start, tokens_BLANKS))
            return false;
        const time = timeOfDay(`${last.text}${last.kind === 'number' ? ':00' : ''}${half}`);
        return time !== undefined && this.#extend('time', time, lexeme);
    }
}
/** Without the fence and the language after it. */
function codeIn(text) {
    if (!text.startsWith('```'))
        return text.slice(1, -1).trim();
    return text
        .replace(/^```[^\n]*\n?/, '')
        .replace(/```$/, '')
        .trim();
}
/** American quotes take in the mark that ends the sentence. */
function quoted(text) {
    return text
        .slice(1, -1)
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/[.,;!?]$/, '');
}

;// CONCATENATED MODULE: ./build/src/compare/facts.js


/** A text of no more words than this is all fact: what is left of it after taking facts out would be too little. */
const SHORT_WORDS = 12;
/**
 * What a final answer states, apart from how it is worded. Equal for rewordings, and different when a number, id, date,
 * name, quote, piece of code or URL differs, or the answer's yes or no. A structured output is its own facts; a short
 * text (at most {@link SHORT_WORDS} words) is `{ words }`, in order and case-folded; of a longer one each kind of fact
 * is a sorted list without repetitions, and kinds that do not occur are left out. Empty text is `{ words: [] }`.
 *
 * A set and not a sequence, as a rewording often turns a sentence round; so two facts that change places are not
 * noticed. Names are known by their capital: in a script without capitals they are only noticed in short texts.
 */
function factsOf(output) {
    if (typeof output !== 'string')
        return output;
    const text = output.normalize('NFC').trim();
    if (hasAtMostWords(text, SHORT_WORDS)) {
        const words = tokensOf(text, { spans: false }).map((token) => token.text);
        // Nothing but signs, an emoji for one.
        return { words: words.length === 0 && text !== '' ? [text] : words };
    }
    const tokens = tokensOf(text, { spans: true });
    const facts = new Map();
    const add = (kind, texts) => {
        for (const each of texts)
            facts.set(kind, (facts.get(kind) ?? new Set()).add(each));
    };
    for (const { kind, text: fact } of tokens) {
        const list = LISTS[kind];
        if (list !== undefined)
            add(list, [fact]);
    }
    add('names', namesIn(tokens));
    add('polarity', polarityIn(tokens));
    return Object.fromEntries([...facts].map(([kind, texts]) => [kind, [...texts].sort()]).sort(byKind));
}
const LISTS = {
    code: 'code',
    date: 'dates',
    id: 'ids',
    number: 'numbers',
    quote: 'quotes',
    time: 'times',
    url: 'urls',
};
function byKind([a], [b]) {
    return a < b ? -1 : 1;
}
/**
 * Words with a capital that they do not owe to their place: inside a sentence, or at its start as part of more. A word
 * that the text writes small as well (`your flight`, `Flight 7`) is none.
 */
function namesIn(tokens) {
    const small = new Set();
    for (const { kind, text, capital } of tokens)
        if (kind === 'word' && capital === undefined)
            small.add(text);
    const isName = ({ text, capital }) => capital !== undefined && !small.has(text) && !NEVER_NAMES.has(beforeApostrophe(text)) && !polarityOf(text);
    const certain = new Set();
    const names = [];
    for (const token of tokens)
        if (token.capital === 'inside' && isName(token))
            certain.add(token.text);
    for (const [index, token] of tokens.entries()) {
        if (token.capital === undefined || !isName(token))
            continue;
        const next = tokens[index + 1];
        const isPart = next?.isNext === true && next.capital === 'inside' && certain.has(next.text);
        if (isPart || certain.has(token.text))
            names.push(token.text);
    }
    return names;
}
/** `i` of `I'll`. */
function beforeApostrophe(word) {
    return word.split(/['’]/, 1)[0] ?? word;
}
const FIRST_PERSON = new Set(['i', 'we', "i'm", 'i’m', "we're", 'we’re']);
const INABILITY = /^(?:cannot|unable|(?:can|wo)n?['’]t|cant|wont)$/;
/** Words from `I` to its negation: `I am sorry, but I am afraid that I cannot`. */
const REFUSAL_REACH = 3;
/** What the text says of yes and no. `refused`: the speaker says what they cannot or will not do. */
function polarityIn(tokens) {
    const found = [];
    let sinceFirstPerson = Number.POSITIVE_INFINITY;
    for (const [index, { kind, text }] of tokens.entries()) {
        if (kind !== 'word')
            continue;
        sinceFirstPerson = FIRST_PERSON.has(text) ? 0 : sinceFirstPerson + 1;
        const polarity = polarityOf(text);
        if (polarity === undefined)
            continue;
        if (polarity === 'not' && IDLE_AFTER_NOT.has(tokens[index + 1]?.text ?? ''))
            continue;
        found.push(polarity);
        if (INABILITY.test(text) && sinceFirstPerson <= REFUSAL_REACH)
            found.push('refused');
    }
    return found;
}

;// CONCATENATED MODULE: ./build/src/compare/rules.js

/** How much of a difference counts, strictest first. `COMPARE` levels: see docs/comparison.md. */
const strictness = schemas/* enum */.k5n(['exact', 'wording', 'steps', 'behaviour', 'outcome']);
/** What a step can be. */
const stepKind = schemas/* enum */.k5n(['call', 'result', 'text', 'final', 'error', 'end']);
/** What is known of a tool. Anything left out is learned from the data, or assumed to be the careful choice. */
const toolRules = schemas/* strictObject */.rej({
    /** It changes nothing and its result says something: a reworded argument with the same result is minor. */
    readOnly: schemas/* boolean */.zMY().optional(),
    /** It changes the world. Its calls count at every strictness. */
    mutating: schemas/* boolean */.zMY().optional(),
    /** The order of parallel calls to it matters. */
    orderMatters: schemas/* boolean */.zMY().optional(),
    /** Any difference in its calls is behaviour, and nothing about it is ever learned as noise. */
    critical: schemas/* boolean */.zMY().optional(),
});
const PATH = /^(?:tool:[^/]+\/(?:args|result)|output)(?:\/.*)?$/;
/** `tool:NAME/args/POINTER`, `tool:NAME/result/POINTER` or `output/POINTER`; `*` stands for any one key, or any tool. */
const rulePath = schemas/* string */.YjP()
    .regex(PATH, 'expected tool:NAME/args/POINTER, tool:NAME/result/POINTER or output/POINTER');
/** The rules of a comparison, as in the configuration under `compare`. */
const compareRules = schemas/* strictObject */.rej({
    strictness: strictness.default('behaviour').meta({ description: 'How much of a difference counts.' }),
    ignore: schemas/* array */.YOg(rulePath).default([]).meta({
        description: 'Paths that are not compared: tool:NAME/args/POINTER, tool:NAME/result/POINTER, output/POINTER.',
    }),
    /** Paths at which numbers may differ by this much (absolute). Only used to explain a pair, never in a key. */
    tolerance: schemas/* record */.g1P(rulePath, schemas/* number */.aig().nonnegative()).default({}),
    include: schemas/* array */.YOg(stepKind).min(1).optional().meta({ description: 'Compare only these kinds of step.' }),
    identities: schemas/* enum */.k5n(['renamed', 'literal']).default('renamed').meta({
        description: 'Whether ids and times that tools generate are renamed by first occurrence, or compared as they are.',
    }),
    tools: schemas/* record */.g1P(schemas/* string */.YjP(), toolRules).default({}),
});
/** Whether the user declared that a tool changes the world. */
function isMutating({ tools }, tool) {
    return tool !== undefined && Object.hasOwn(tools, tool) && tools[tool]?.mutating === true;
}

;// CONCATENATED MODULE: ./build/src/compare/project.js




/** Computes the keys of renamed and stripped steps. */
function keyedSteps(steps, rules) {
    return steps
        .map((step, index) => {
        const exact = digest(step, step.value);
        return { ...step, number: index + 1, exact, key: isSeen(step, rules) ? keyOf(step, exact, rules) : null };
    })
        .filter(({ kind }) => rules.include === undefined || rules.include.includes(kind));
}
/** Strings in their raw form differ in what only `exact` sees; all else is the canonical value. */
function keyOf(step, exact, { strictness }) {
    switch (strictness) {
        case 'exact':
            return exact;
        case 'wording':
            return typeof step.value === 'string' && isProse(step) ? digest(step, readable(step.value)) : exact;
        case 'steps':
        case 'behaviour':
        case 'outcome':
            // Marked, so that no structured answer can look like the facts of a text.
            return step.kind === 'final' && typeof step.value === 'string' ? digest(step, ['facts', factsIn(step)]) : exact;
    }
}
function isSeen({ kind, name }, rules) {
    switch (rules.strictness) {
        case 'exact':
        case 'wording':
            return true;
        case 'steps':
        case 'behaviour':
            return kind !== 'text';
        case 'outcome':
            return kind === 'call' ? isMutating(rules, name) : kind !== 'text' && kind !== 'result';
    }
}
/** Text for people: its layout means nothing. */
function isProse({ kind }) {
    return kind === 'text' || kind === 'final';
}
function digest(step, value) {
    // A raw text is kept as it is, all else is canonical: key order, number forms and NFC are never a difference.
    const text = typeof value === 'string' && isProse(step) ? JSON.stringify(value) : canonical(value);
    return (0,external_node_crypto_.hash)('sha256', `${step.kind}\0${step.name ?? ''}\0${value === undefined ? 'missing' : 'value'}\0${text}`, 'base64url');
}
/** The answer as a reader sees it. */
function answerOf({ value }) {
    return typeof value === 'string' ? readable(value) : (value ?? null);
}
/** Longer texts are documents, not answers: they count as a whole, in time that stays bounded. */
const MAX_FACTS_CHARS = 200_000;
/** The facts of an answer, read with its line breaks: they tell a list's numbers from an amount. See {@link factsOf}. */
function factsIn({ value = null }) {
    return typeof value === 'string' && value.length > MAX_FACTS_CHARS ? { text: readable(value) } : factsOf(value);
}

;// CONCATENATED MODULE: ./build/src/compare/tree.js


/** The observations of a turn in order, each with what lies below it in one piece behind it. */
class Tree {
    ordered;
    #place = new Map();
    #size;
    /** The nearest tool above each observation: the sub-agent that it belongs to. */
    #owner = [];
    /** What the last failure below an observation said. */
    #failedBelow = new Map();
    constructor(observations) {
        this.ordered = inOrder(observations);
        const byId = new Map(this.ordered.map((each, place) => [each.id, place]));
        const parents = this.ordered.map(({ parentId }, place) => {
            const parent = parentId === null ? undefined : byId.get(parentId);
            // A parent that comes later closes a loop.
            return parent !== undefined && parent < place ? parent : undefined;
        });
        this.#size = this.ordered.map(() => 1);
        for (const [place, observation] of this.ordered.entries()) {
            this.#place.set(observation, place);
            const parent = parents[place];
            const above = parent === undefined ? undefined : this.ordered[parent];
            this.#owner.push(above !== undefined && isTool(above) ? above : this.#owner[parent ?? -1]);
        }
        for (let place = this.ordered.length - 1; place > 0; place--) {
            const parent = parents[place];
            const [observation, above] = [this.ordered[place], parent === undefined ? undefined : this.ordered[parent]];
            if (parent === undefined || observation === undefined || above === undefined)
                continue;
            this.#size[parent] = (this.#size[parent] ?? 1) + (this.#size[place] ?? 1);
            const said = isFailed(observation) ? (observation.statusMessage ?? '') : this.#failedBelow.get(observation);
            if (said !== undefined && !this.#failedBelow.has(above))
                this.#failedBelow.set(above, said);
        }
    }
    below(observation) {
        const place = this.#place.get(observation) ?? 0;
        return this.ordered.slice(place + 1, place + (this.#size[place] ?? 1));
    }
    /** The tool, if any, that the observation is a part of. */
    ownerOf(observation) {
        return this.#owner[this.#place.get(observation) ?? -1];
    }
    /** Whether an observation failed only because something below it did, and passes on what that said. */
    passesOnFailure(observation) {
        const said = this.#failedBelow.get(observation);
        return said !== undefined && (observation.statusMessage ?? '').includes(said);
    }
}
/** Tools by type, and what older SDKs record as a span under a tool call's id. */
function isTool({ type, callId }) {
    return type === 'tool' || type === 'retriever' || (type === 'span' && callId !== undefined);
}
function isFailed({ level }) {
    return level === 'ERROR';
}
/** Milliseconds since 1970. */
function startOf({ startTime }) {
    return Date.parse(startTime);
}
function endOf({ startTime, endTime }) {
    return Date.parse(endTime ?? startTime);
}
/**
 * Parents before their children, siblings by start. Equal milliseconds are common in fast agents, so that ties are
 * broken by what cannot differ from run to run: how much a generation was given, then content, never the span's id.
 */
function inOrder(observations) {
    const unique = withoutDuplicates(observations);
    const known = new Set(unique.map(({ id }) => id));
    const starts = new Map(unique.map((each) => [each, startOf(each)]));
    const byContent = contentOrder();
    const sorted = unique.sort((a, b) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0) || byContent(a, b));
    const children = Map.groupBy(sorted, ({ id, parentId }) => parentId !== null && parentId !== id && known.has(parentId) ? parentId : null);
    const ordered = new Set();
    const visit = (roots) => {
        const pending = [...roots].reverse();
        for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
            if (ordered.has(next))
                continue;
            ordered.add(next);
            for (const child of (children.get(next.id) ?? []).toReversed())
                pending.push(child);
        }
    };
    visit(children.get(null) ?? []);
    // What hangs in a loop is reached from no root; it comes last, by start.
    for (const each of sorted)
        visit([each]);
    return [...ordered];
}
/** Of two reports of one observation the later one counts, whichever arrived first. */
function withoutDuplicates(observations) {
    const byId = new Map();
    for (const each of observations) {
        const known = byId.get(each.id);
        if (known === undefined || isLater(each, known))
            byId.set(each.id, each);
    }
    return [...byId.values()];
}
function isLater(a, b) {
    const [endA, endB] = [endOf(a), endOf(b)];
    return endA > endB || (endA === endB && canonical(a) > canonical(b));
}
/** Values are spelled only when all else is equal, and only once. */
function contentOrder() {
    const spelled = new Map();
    const contentOf = (each) => {
        const text = spelled.get(each) ?? `${canonical(each.input)}\0${canonical(each.output)}`;
        spelled.set(each, text);
        return text;
    };
    return (a, b) => rank(a) - rank(b) || tree_given(a) - tree_given(b) || byCodeUnit(a.name, b.name) || byCodeUnit(contentOf(a), contentOf(b));
}
/** Of what starts in the same millisecond, the model comes before the tools that it asked for. */
function rank({ type }) {
    return type === 'tool' ? 1 : 0;
}
function tree_given({ type, input }) {
    return type === 'generation' ? messagesOf(input).length : 0;
}

;// CONCATENATED MODULE: ./build/src/compare/claims.js



/**
 * Finds for each call that a model asked for the observation of the tool that carried it out, each at most once. An id
 * counts most; as runs use ids twice, the nearest one first: between the generation and its agent's next one, then in
 * the same agent, then anywhere, as clocks of other processes may put a tool before the generation that asked for it.
 * Without an id, by name and arguments, or else by name, up to the next generation.
 */
function claimTools(tree, asked) {
    const claims = new Map();
    const taken = new Set();
    const claimFrom = (pools, keyOf) => {
        for (const [generation, calls] of asked) {
            for (const call of calls) {
                const key = keyOf(call);
                if (claims.has(call) || key === undefined)
                    continue;
                for (const pool of pools(generation)) {
                    const tool = pool.take(key, call, taken);
                    if (tool === undefined)
                        continue;
                    claims.set(call, tool);
                    taken.add(tool);
                    break;
                }
            }
        }
    };
    const tools = tree.ordered.filter(isTool);
    const spans = spansOf(tree);
    const nearby = (keyOf) => {
        const pools = new Map();
        const poolOf = (own) => {
            const pool = pools.get(own) ?? new Pool(own, keyOf);
            pools.set(own, pool);
            return pool;
        };
        return (generation) => {
            const span = spans.get(generation);
            return [span?.tools, span?.next?.tied].filter((own) => own !== undefined).map(poolOf);
        };
    };
    const ofAgents = new Map([...Map.groupBy(tools, (tool) => tree.ownerOf(tool))].map(([owner, own]) => [owner, new Pool(own, byId)]));
    const all = [new Pool(tools, byId)];
    claimFrom(nearby(byId), ({ id }) => id);
    claimFrom((generation) => [ofAgents.get(tree.ownerOf(generation))].filter((pool) => pool !== undefined), ({ id }) => id);
    claimFrom(() => all, ({ id }) => id);
    claimFrom(nearby(({ name, input }) => `${name}\0${canonical(spelledOut(input))}`), ({ name, args }) => `${name}\0${canonical(args)}`);
    claimFrom(nearby(({ name }) => name), ({ name }) => name);
    return claims;
}
function byId({ callId }) {
    return callId;
}
/** Tools that are free to be claimed, by a key, in order. */
class Pool {
    #byKey;
    #next = new Map();
    constructor(tools, keyOf) {
        this.#byKey = Map.groupBy(tools, keyOf);
    }
    take(key, call, taken) {
        const tools = this.#byKey.get(key) ?? [];
        let next = this.#next.get(key) ?? 0;
        while (next < tools.length && !isFree(tools[next], call, taken))
            next++;
        this.#next.set(key, next + 1);
        return tools[next];
    }
}
/** Not taken, and not known to be another call's. */
function isFree(tool, { id }, taken) {
    return !taken.has(tool) && (tool.callId === undefined || id === undefined || tool.callId === id);
}
/** The span of each generation; those of one agent in one millisecond share theirs. */
function spansOf(tree) {
    const spans = new Map();
    const running = new Map();
    for (const each of tree.ordered) {
        const owner = tree.ownerOf(each);
        let span = running.get(owner);
        const startMs = startOf(each);
        if (each.type === 'generation') {
            if (span?.startMs !== startMs) {
                const next = { startMs, tools: [], tied: [], next: undefined };
                if (span !== undefined)
                    span.next = next;
                running.set(owner, next);
                span = next;
            }
            spans.set(each, span);
        }
        else if (isTool(each) && span !== undefined) {
            span.tools.push(each);
            if (startMs === span.startMs)
                span.tied.push(each);
        }
    }
    return spans;
}

;// CONCATENATED MODULE: ./build/src/compare/steps.js




/**
 * The steps of one turn, in the order in which the agent took them. Values come by allow-list: arguments, results,
 * texts, the output, errors; never ids, times, usage or metadata.
 * @param options.overlaps pairs of tools that ran at the same time in the original; only there may a trace without
 *   generations have parallel groups
 */
function steps_trajectoryOf(recording, options = {}) {
    const walk = new Walk(new Tree(recording.observations), options.overlaps);
    const { steps } = walk;
    if (recording.output !== undefined) {
        const answered = steps.findLastIndex(({ kind }) => kind === 'text');
        const acted = steps.findLastIndex(({ kind }) => kind === 'call' || kind === 'result');
        // The last thing that the model said is the answer itself, and the answer is told by the output.
        if (answered > acted)
            steps.splice(answered, 1);
        steps.push({ kind: 'final', value: answerIn(recording.output), generation: walk.lastGeneration });
    }
    else {
        const last = steps.at(-1);
        if (last?.kind === 'text')
            steps[steps.length - 1] = { ...last, kind: 'final' };
    }
    const end = walk.end ?? (recording.output === undefined && steps.at(-1)?.kind !== 'final' ? 'no output' : undefined);
    if (end !== undefined)
        steps.push({ kind: 'end', value: end, generation: walk.lastGeneration });
    return { steps, inputs: walk.inputs, clock: clockOf(recording.observations), overlaps: walk.overlaps };
}
/** Sub-agents below this many tools are told flat, so that no trace can exhaust the stack. */
const MAX_NESTED_TOOLS = 100;
/** One pass over the observations of a turn. */
class Walk {
    steps = [];
    inputs = [];
    overlaps;
    lastGeneration;
    end;
    #tree;
    #told = new Set();
    #outputs;
    #claims;
    #groupOf;
    /** What generations were given, by call id, the first result last, until a call takes it. */
    #given;
    /** Generations that asked for what nobody did. */
    #unanswered = new Set();
    #groups = 0;
    constructor(tree, overlaps) {
        this.#tree = tree;
        const generations = tree.ordered.filter(({ type }) => type === 'generation');
        this.#outputs = new Map(generations.map((each) => [each, readModelOutput(each.output)]));
        this.#claims = claimTools(tree, new Map([...this.#outputs].map(([each, { calls }]) => [each, calls])));
        this.#given = givenTo(generations);
        const parallel = generations.length === 0 ? overlappingTools(tree, overlaps) : undefined;
        this.overlaps = parallel?.pairs ?? new Set();
        this.#groupOf = parallel?.groupOf ?? new Map();
        // Told where they were asked for.
        for (const tool of this.#claims.values())
            this.#told.add(tool);
        this.#tell(tree.ordered, 0);
        this.end = this.#endOf(generations.at(-1));
    }
    #tell(observations, depth) {
        for (const observation of observations) {
            if (this.#told.has(observation))
                continue;
            this.#told.add(observation);
            if (observation.type === 'generation')
                this.#tellGeneration(observation, depth);
            else if (isTool(observation))
                this.#tellTool(observation, depth);
            else if (isFailed(observation) && !this.#tree.passesOnFailure(observation)) {
                this.steps.push(errorStep(observation));
            }
        }
    }
    #tellGeneration(generation, depth) {
        const number = this.inputs.push(ownInput(generation)) - 1;
        this.lastGeneration = number;
        const { texts, calls } = this.#outputs.get(generation);
        for (const value of texts) {
            this.steps.push({ kind: 'text', value, observationId: generation.id, generation: number });
        }
        if (isFailed(generation))
            this.steps.push({ ...errorStep(generation), generation: number });
        if (calls.length === 0)
            return;
        const group = this.#groups++;
        for (const call of calls) {
            const tool = this.#claims.get(call);
            const observationId = tool?.id ?? generation.id;
            const shared = { name: call.name, callId: call.id, group, generation: number, observationId };
            this.steps.push({ kind: 'call', ...shared, value: call.args ?? spelledOut(tool?.input) });
            if (tool !== undefined)
                this.#tellBelow(tool, depth);
            const outcome = this.#outcomeOf(call.id, tool);
            if (outcome !== undefined)
                this.steps.push({ ...outcome, ...shared });
            else
                this.#unanswered.add(generation);
        }
    }
    /** A call that no model asked for, as far as the trace tells. */
    #tellTool(tool, depth) {
        const group = this.#groupOf.get(tool);
        const shared = {
            name: tool.name,
            observationId: tool.id,
            callId: tool.callId,
            generation: this.lastGeneration,
            ...(group === undefined ? {} : { group }),
        };
        this.steps.push({ kind: 'call', ...shared, value: spelledOut(tool.input) });
        this.#tellBelow(tool, depth);
        this.steps.push({ ...this.#outcomeOf(tool.callId, tool), ...shared });
    }
    /** What ran below a tool, a sub-agent, is told between its call and its result. */
    #tellBelow(tool, depth) {
        if (depth < MAX_NESTED_TOOLS)
            this.#tell(this.#tree.below(tool), depth + 1);
    }
    #outcomeOf(id, tool) {
        const given = id === undefined ? undefined : this.#given.get(id)?.pop();
        if (tool !== undefined && isFailed(tool))
            return errorStep(tool);
        const value = tool?.output === undefined ? given : tool.output;
        return value === undefined && tool === undefined ? undefined : { kind: 'result', value: spelledOut(value) };
    }
    /** How the run ended, when its last generation did not come to an end of its own. */
    #endOf(last) {
        if (last === undefined)
            return undefined;
        return this.#outputs.get(last)?.cutShort ?? (this.#unanswered.has(last) ? 'tool calls not executed' : undefined);
    }
}
/** Messages accumulate: the generation that was given most of an id's results was given all of them. */
function givenTo(generations) {
    const given = new Map();
    for (const { input } of generations) {
        for (const [id, values] of readGivenResults(input)) {
            if (values.length > (given.get(id)?.length ?? 0))
                given.set(id, values);
        }
    }
    for (const values of given.values())
        values.reverse();
    return given;
}
/** More tools than this at once are not looked at in pairs. */
const MAX_OVERLAPPING = 16;
/** Overlap in time makes a group only where no generation tells of one, and only where the original overlaps too. */
function overlappingTools(tree, known) {
    const pairs = new Set();
    const groupOf = new Map();
    let open = [];
    for (const tool of tree.ordered.filter(isTool).sort((a, b) => startOf(a) - startOf(b))) {
        open = open.filter((each) => endOf(each) > startOf(tool)).slice(-MAX_OVERLAPPING);
        for (const each of open.filter(({ parentId }) => parentId === tool.parentId)) {
            const pair = each.name < tool.name ? `${each.name}\0${tool.name}` : `${tool.name}\0${each.name}`;
            pairs.add(pair);
            if (known !== undefined && !known.has(pair))
                continue;
            const group = groupOf.get(each) ?? groupOf.size;
            groupOf.set(each, group);
            groupOf.set(tool, group);
        }
        open.push(tool);
    }
    return { pairs, groupOf };
}
function errorStep(observation) {
    const value = observation.statusMessage ?? spelledOut(observation.output) ?? 'error';
    const name = isTool(observation) ? { name: observation.name } : {};
    return { kind: 'error', ...name, value, observationId: observation.id };
}
function ownInput({ input, model, modelParameters }) {
    const object = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined;
    const system = messagesOf(input)
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(messageText);
    for (const key of ['system', 'instructions']) {
        const value = object?.[key];
        if (value !== undefined && value !== null)
            system.push(typeof value === 'string' ? value : canonical(value));
    }
    const parameters = Object.entries(modelParameters ?? {}).filter(([, value]) => value !== null);
    return {
        system: system.join('\n'),
        tools: object?.tools,
        model,
        parameters: parameters.length === 0 ? undefined : Object.fromEntries(parameters),
    };
}
function clockOf(observations) {
    if (observations.length === 0)
        return undefined;
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const each of observations) {
        from = Math.min(from, startOf(each));
        to = Math.max(to, endOf(each));
    }
    return { from, to };
}

;// CONCATENATED MODULE: ./build/src/compare/run-steps.js



/** One run as it is compared: its steps with generated values renamed, what is ignored taken out, and their keys. */
function run_steps_runSteps(recording, { rules, paths, request, overlaps }) {
    const trajectory = steps_trajectoryOf(recording, overlaps === undefined ? {} : { overlaps });
    // What the user has the model's arguments ignored for has not been written, and what a tool made has been made.
    const steps = trajectory.steps.map((step) => (step.kind === 'call' ? paths.strip(step) : step));
    const renamed = identities_comparableSteps({ ...trajectory, steps }, {
        request,
        literal: rules.identities === 'literal',
        orderMatters: run_steps_orderMattersIn(rules),
    });
    return { trajectory, steps: keyedSteps(renamed.map(paths.strip), rules) };
}
/** Whether the user says that the order of parallel calls to a tool matters. */
function run_steps_orderMattersIn({ tools }) {
    return (tool) => Object.hasOwn(tools, tool) && tools[tool]?.orderMatters === true;
}

;// CONCATENATED MODULE: ./build/src/compare/result.js



/** One verdict per turn and per session, worst first. */
const verdict = schemas/* enum */.k5n(['changed', 'unsettled', 'flaky', 'inconclusive', 'reproduced']);
/** How much a difference matters, least first. */
const severity = schemas/* enum */.k5n(['noise', 'wording', 'minor', 'behaviour']);
const differenceKind = schemas/* enum */.k5n([
    'error',
    'end',
    'call-name',
    'call-missing',
    'call-extra',
    'call-retry',
    'call-order',
    'argument',
    'result',
    'final-structure',
    'final-text',
    'text',
    'format',
    'volatile',
]);
/** How a value differs at its pointer. */
const change = schemas/* enum */.k5n(['value', 'added', 'removed', 'type']);
/**
 * One difference between the recorded turn and a replay. Step numbers count from 1, on each side by itself;
 * null where that side has no such step. Values are cut to {@link MAX_VALUE_CHARS} characters of JSON.
 */
const result_difference = schemas/* object */.Ikc({
    kind: differenceKind,
    severity,
    /** Step in the recording. */
    recordedStep: schemas/* int */.Whr().positive().nullable(),
    /** Step in the replay. */
    replayedStep: schemas/* int */.Whr().positive().nullable(),
    /** Tool of a call or a result. */
    tool: schemas/* string */.YjP().optional(),
    change: change.optional(),
    /** JSON pointer into the arguments, the result or the output. */
    pointer: schemas/* string */.YjP().optional(),
    recorded: json.optional(),
    replayed: json.optional(),
    /** Caused by an earlier difference in what a tool answered. */
    downstream: schemas/* boolean */.zMY().optional(),
});
const causeKind = schemas/* enum */.k5n(['agent', 'environment', 'concurrency', 'model', 'unknown']);
/** Why the runs part, as far as the traces tell. */
const cause = schemas/* object */.Ikc({
    kind: causeKind,
    /** What differs in the agent's own input: `system prompt`, `tools`, `model`, `parameters`. */
    changed: schemas/* array */.YOg(schemas/* string */.YjP()).optional(),
    /** One short clause for people, e.g. `same input, other output`. */
    detail: schemas/* string */.YjP(),
});
/** The first meaningful divergence of one cluster of runs from the recording. */
const divergence = result_difference.extend({
    cause,
    /** Replays of this cluster, of the conclusive ones. */
    runs: schemas/* int */.Whr().nonnegative(),
    of: schemas/* int */.Whr().nonnegative(),
    /** Lesser differences before it, by severity. */
    earlier: schemas/* partialRecord */.jgl(severity, schemas/* int */.Whr().positive()),
    /** Step of the recording at which this cluster is as recorded again. */
    meetsAgainAt: schemas/* int */.Whr().positive().nullable(),
    /** The whole of it in one sentence. */
    sentence: schemas/* string */.YjP(),
});
/** Where two runs part by position alone: the length of their longest common prefix of keys. */
const firstDifference = schemas/* object */.Ikc({
    /** Step, from 1, on both sides. */
    step: schemas/* int */.Whr().positive(),
    /** Place in the sequence of calls alone, from 0. */
    callIndex: schemas/* int */.Whr().nonnegative(),
    kind: schemas/* enum */.k5n(['name', 'args', 'ended', 'extra', 'value']),
    recordedName: schemas/* string */.YjP().nullable(),
    replayedName: schemas/* string */.YjP().nullable(),
    pointers: schemas/* array */.YOg(schemas/* string */.YjP()),
});
/** A step as reports show it. */
const shownStep = schemas/* object */.Ikc({
    kind: stepKind,
    name: schemas/* string */.YjP().optional(),
    value: json.optional(),
    observationId: schemas/* string */.YjP().optional(),
});
/** Runs that behaved alike. Cluster 0 is the recording's own, also when no replay is in it. */
const cluster = schemas/* object */.Ikc({
    id: schemas/* int */.Whr().nonnegative(),
    /** Numbers of the replays in it, ascending. */
    runs: schemas/* array */.YOg(schemas/* int */.Whr().positive()),
    /** Its behaviour was recorded: in the original or in a baseline. */
    recorded: schemas/* boolean */.zMY(),
    /** The run that is shown for it; null in cluster 0 when no replay is in it. */
    representative: schemas/* int */.Whr().positive().nullable(),
    firstDifference: firstDifference.nullable(),
    divergence: divergence.nullable(),
    /** All differences from the recording, in order, at most {@link MAX_DIFFERENCES}. */
    differences: schemas/* array */.YOg(result_difference),
});
/** A place where runs part: which share goes where. */
const fork = schemas/* object */.Ikc({
    step: schemas/* int */.Whr().positive(),
    branches: schemas/* array */.YOg(schemas/* object */.Ikc({
        /** What happens there: a tool's name, `answers`, `ends`. */
        label: schemas/* string */.YjP(),
        runs: schemas/* array */.YOg(schemas/* int */.Whr().positive()),
        recorded: schemas/* boolean */.zMY(),
    })),
});
const rate = schemas/* number */.aig().min(0).max(1);
/** Figures over the conclusive runs, each an estimate that falls or narrows with n. */
const figures = schemas/* object */.Ikc({
    n: schemas/* int */.Whr().nonnegative(),
    /** Runs as recorded. */
    asRecorded: schemas/* int */.Whr().nonnegative(),
    /** Number of distinct behaviours among the replays. */
    behaviours: schemas/* int */.Whr().nonnegative(),
    /** Share of pairs of replays that agree (TAR@2); null with fewer than two. */
    agreement: rate.nullable(),
    /** Unbiased TAR@k = sum C(n_c,k)/C(n,k), for k = 1..n, at most 10 of them. */
    tarAtK: schemas/* array */.YOg(rate),
    /** pass^k = C(c,k)/C(n,k), for k = 1..n, at most 10 of them. */
    passHatK: schemas/* array */.YOg(rate),
    /** Wilson score interval of the share as recorded, 95 %. */
    interval: schemas/* tuple */.PVZ([rate, rate]).nullable(),
    /** Share of runs still on the recorded path after step k, for k = 1..steps of the recording. */
    survival: schemas/* array */.YOg(rate),
    /** Step of the recording after which the largest share leaves; null when none does. */
    leastStableStep: schemas/* int */.Whr().positive().nullable(),
});
/** A path that varies among replays of unchanged behaviour, with evidence. Nothing is ignored by itself. */
const noiseProposal = schemas/* object */.Ikc({
    path: schemas/* string */.YjP(),
    /** `volatile`: looks generated, may be ignored. `unstable`: varies, and the user has to decide. */
    kind: schemas/* enum */.k5n(['volatile', 'unstable']),
    runs: schemas/* int */.Whr().positive(),
    examples: schemas/* array */.YOg(schemas/* string */.YjP()),
});
/** The exact permutation test of recordings against replays. Printed, never a gate. */
const permutation = schemas/* object */.Ikc({
    p: rate,
    /** The smallest p that so many recordings and replays can reach. */
    smallest: rate,
    baselines: schemas/* int */.Whr().positive(),
    replays: schemas/* int */.Whr().positive(),
});
const turnComparison = schemas/* object */.Ikc({
    verdict,
    /** Runs that were asked for. */
    requested: schemas/* int */.Whr().nonnegative(),
    /** Runs that could be compared. */
    conclusive: schemas/* int */.Whr().nonnegative(),
    /** With `unsettled`: the least number of runs that could settle it at the present rate. */
    suggestedRuns: schemas/* int */.Whr().positive().nullable(),
    /** Why not every run counted, or why this is the verdict, in one clause; null when all is said by the verdict. */
    note: schemas/* string */.YjP().nullable(),
    clusters: schemas/* array */.YOg(cluster),
    /** The divergence to show first: that of the largest cluster that is not as recorded. */
    divergence: divergence.nullable(),
    forks: schemas/* array */.YOg(fork),
    figures,
    noise: schemas/* array */.YOg(noiseProposal),
    permutation: permutation.nullable(),
    /** Set when it was stopped early: verdict stands for "not reproduced", and no rate is given. */
    stoppedAfter: schemas/* int */.Whr().positive().nullable(),
});
/** Longest value, in characters of JSON, that a difference carries. */
const MAX_VALUE_CHARS = 2_000;
/** Most differences that a cluster lists. */
const MAX_DIFFERENCES = 50;

;// CONCATENATED MODULE: ./build/src/compare/classify.js








const RANK = { noise: 0, wording: 1, minor: 2, behaviour: 3 };
const THRESHOLD = {
    exact: 'noise',
    wording: 'wording',
    steps: 'minor',
    behaviour: 'behaviour',
    outcome: 'behaviour',
};
/** Whether a difference counts at a strictness. A looser one counts a subset of what a stricter one does. */
function isMeaningful({ kind, severity, tool, replayed }, rules) {
    if (RANK[severity] < RANK[THRESHOLD[rules.strictness]])
        return false;
    if (rules.strictness !== 'outcome')
        return true;
    if (kind === 'error' || kind === 'end' || kind === 'final-text' || kind === 'final-structure')
        return true;
    if (kind === 'call-name' && typeof replayed === 'string' && isMutating(rules, replayed))
        return true;
    return kind !== 'result' && isMutating(rules, tool);
}
/** Says how a replay differs from the recording: kind, place and severity of every difference. */
function explain(recorded, replayed, context) {
    const pairs = align_align(recorded, replayed);
    return { pairs, differences: new Explainer(recorded, replayed, pairs, context).differences() };
}
/** Calls that a call has passed: with more of them nobody looks at each. */
const MAX_PASSED = 200;
/** Looks at other calls, over all that moved in a run, after which order is taken to matter (10 ms). */
const MAX_LOOKS = 5_000_000;
/** A text of at least so many words is free text: it can be reworded without meaning something else. */
const FREE_TEXT_WORDS = 3;
class Explainer {
    #recorded;
    #replayed;
    #pairs;
    #context;
    #recordedCalls;
    #replayedCalls;
    /** Steps laid side by side, by either of them. */
    #partner = new Map();
    /** Calls that are on both sides, at another place. */
    #moved = new Map();
    /** Calls that are on both sides, each with its place in the replay. */
    #places;
    #looks = 0;
    constructor(recorded, replayed, pairs, context) {
        this.#recorded = recorded;
        this.#replayed = replayed;
        this.#pairs = pairs;
        this.#context = context;
        this.#recordedCalls = new Calls(recorded);
        this.#replayedCalls = new Calls(replayed);
        for (const pair of pairs) {
            const [a, b] = [recorded[pair.a], replayed[pair.b]];
            if (a === undefined || b === undefined)
                continue;
            this.#partner.set(a, b);
            this.#partner.set(b, a);
        }
        this.#findMoved();
    }
    differences() {
        return this.#settle(this.#pairs.flatMap(({ a, b }) => this.#ofPair(this.#recorded[a], this.#replayed[b])));
    }
    /** Calls that the alignment could not match, but that are there, to the letter, elsewhere. */
    #findMoved() {
        this.#match(this.#recorded.filter((step) => step.kind === 'call' && this.#partner.get(step)?.name !== step.name), this.#replayed.filter((step) => step.kind === 'call' && this.#partner.get(step)?.name !== step.name));
        // Calls of one tool lie side by side in any order: other values, unless all of them are there in another one.
        const reworded = this.#recorded.filter((step) => {
            const other = this.#partner.get(step);
            return step.kind === 'call' && other?.name === step.name && other?.exact !== step.exact;
        });
        for (const calls of Map.groupBy(reworded, ({ name }) => name).values()) {
            const others = calls.map((call) => this.#partner.get(call));
            if (isPermutation(calls, others))
                this.#match(calls, others);
        }
    }
    #match(recorded, replayed) {
        const free = Map.groupBy(replayed.toReversed(), ({ exact }) => exact);
        for (const a of recorded) {
            const b = free.get(a.exact)?.pop();
            if (b === undefined)
                continue;
            this.#moved.set(a, b);
            this.#moved.set(b, a);
        }
    }
    #ofPair(a, b) {
        const step = a ?? b;
        if (step === undefined)
            return [];
        if (tools_isOutcome(step))
            return this.#ofOutcomes(a, b);
        if (a?.exact === b?.exact)
            return [];
        if (step.kind === 'call')
            return this.#ofCalls(a, b);
        if (step.kind === 'error')
            return [classify_difference('error', 'behaviour', a, b, values(a?.value, b?.value))];
        if (step.kind === 'end')
            return [classify_difference('end', 'behaviour', a, b, values(a?.value, b?.value))];
        return step.kind === 'final' ? this.#ofFinals(a, b) : ofTexts(a, b);
    }
    #ofCalls(a, b) {
        const [movedA, movedB] = [a && this.#moved.get(a), b && this.#moved.get(b)];
        if (a !== undefined && b !== undefined && a.name === b.name && movedA === undefined)
            return this.#ofArguments(a, b);
        const found = [];
        // Told once, where the recording has it, with what it came to.
        if (a !== undefined && movedA !== undefined) {
            const [outcomeA, outcomeB] = [this.#recordedCalls.outcomeOf(a), this.#replayedCalls.outcomeOf(movedA)];
            found.push(this.#ofOrder(a, movedA), ...this.#ofOneOutcome(outcomeA, outcomeB));
        }
        const [lostA, lostB] = [movedA === undefined ? a : undefined, movedB === undefined ? b : undefined];
        if (lostA !== undefined && lostB !== undefined) {
            found.push(classify_difference('call-name', 'behaviour', lostA, lostB, values(lostA.name, lostB.name)));
        }
        else if (lostA !== undefined) {
            found.push(this.#ofGap('call-missing', lostA, undefined, this.#recordedCalls));
        }
        else if (lostB !== undefined) {
            found.push(this.#ofGap('call-extra', undefined, lostB, this.#replayedCalls));
        }
        return found;
    }
    /** A call that only one side has. Whether a read-only one is minor is settled when all that follows is known. */
    #ofGap(kind, a, b, calls) {
        const call = (a ?? b);
        const given = values(a && { name: a.name ?? '', args: a.value ?? null }, b && { name: b.name ?? '', args: b.value ?? null });
        if (calls.before(call)?.exact !== call.exact)
            return classify_difference(kind, 'behaviour', a, b, given);
        return classify_difference('call-retry', this.#context.tools.isDelicate(call.name) ? 'behaviour' : 'minor', a, b, given);
    }
    #ofOrder(a, b) {
        this.#places ??= this.#recorded.flatMap((step) => {
            const place = this.#moved.get(step) ?? this.#partner.get(step);
            return step.kind === 'call' && place !== undefined ? [[step, place.number]] : [];
        });
        this.#looks += this.#places.length;
        const passed = this.#looks > MAX_LOOKS
            ? []
            : this.#places.filter(([{ number }, place]) => number < a.number !== place < b.number);
        // Whoever passes so many has hardly passed nothing that matters.
        if (this.#looks > MAX_LOOKS || passed.length > MAX_PASSED) {
            return classify_difference('call-order', 'behaviour', a, b, values(a.name, b.name));
        }
        const matters = passed.some(([other]) => !isBeside(a, other) && this.#isTied(a, other));
        return classify_difference('call-order', matters ? 'behaviour' : 'minor', a, b, values(a.name, b.name));
    }
    /** Whether one call used what the other one answered, or one of them may change what the other one finds. */
    #isTied(call, other) {
        const { tools } = this.#context;
        if (tools.mayChange(call.name) || tools.mayChange(other.name))
            return true;
        const flows = (from, to) => {
            const answered = [...leavesOf(this.#recordedCalls.outcomeOf(from)?.value ?? null)].filter(isTelling);
            const used = leavesOf(to.value ?? null);
            return answered.some((leaf) => used.has(leaf));
        };
        return flows(call, other) || flows(other, call);
    }
    #ofArguments(a, b) {
        const { tools } = this.#context;
        const [resultA, resultB] = [this.#recordedCalls.outcomeOf(a), this.#replayedCalls.outcomeOf(b)];
        const isSameResult = resultA !== undefined && resultA.exact === resultB?.exact;
        return this.#leaves(a, b).map((leaf) => {
            const isReworded = isFreeText(leaf.recorded) && isFreeText(leaf.replayed);
            const isMinor = isReworded && isSameResult && tools.isInformative(a.name);
            return classify_difference('argument', isMinor ? 'minor' : 'behaviour', a, b, leaf);
        });
    }
    /** An outcome is told with its call, wherever the alignment put it; as it was laid only where no call is looked at. */
    #ofOutcomes(a, b) {
        const [callA, callB] = [a && this.#recordedCalls.callOf(a), b && this.#replayedCalls.callOf(b)];
        if (callA === undefined && callB === undefined)
            return this.#ofOneOutcome(a, b);
        const found = [];
        const other = callA && this.#counterpart(callA);
        if (other !== undefined)
            found.push(...this.#ofOneOutcome(a, this.#replayedCalls.outcomeOf(other), callA?.exact !== other.exact));
        const own = callB && this.#counterpart(callB);
        if (own !== undefined && this.#recordedCalls.outcomeOf(own) === undefined) {
            found.push(...this.#ofOneOutcome(undefined, b, callB?.exact !== own.exact));
        }
        return found;
    }
    /** The same call on the other side; of a moved one nothing is told here. */
    #counterpart(call) {
        const other = this.#partner.get(call);
        return other?.name === call.name && !this.#moved.has(call) ? other : undefined;
    }
    /** @param follows the calls differ too: what differs for that reason is no news of the environment */
    #ofOneOutcome(a, b, follows = false) {
        if (a?.exact === b?.exact)
            return [];
        if (a === undefined || b === undefined) {
            return [
                classify_difference('result', 'behaviour', a, b, { change: a ? 'removed' : 'added', ...values(a?.value, b?.value) }),
            ];
        }
        const because = follows ? { downstream: true } : {};
        if (a.kind === 'error' || b.kind === 'error') {
            return [classify_difference('error', 'behaviour', a, b, { ...values(a.value, b.value), ...because })];
        }
        return this.#leaves(a, b).map((leaf) => classify_difference('result', 'behaviour', a, b, { ...leaf, ...because }));
    }
    #ofFinals(a, b) {
        if (a === undefined || b === undefined) {
            return [classify_difference('end', 'behaviour', a, b, { change: a ? 'removed' : 'added', ...values(a?.value, b?.value) })];
        }
        if (isContainer(a.value) && isContainer(b.value)) {
            return this.#leaves(a, b).map((leaf) => classify_difference('final-structure', 'behaviour', a, b, leaf));
        }
        if (isContainer(a.value) || isContainer(b.value)) {
            return [
                classify_difference('final-structure', 'behaviour', a, b, { pointer: '', change: 'type', ...values(a.value, b.value) }),
            ];
        }
        const [answerA, answerB] = [answerOf(a), answerOf(b)];
        if (canonical(answerA) === canonical(answerB))
            return [classify_difference('format', 'noise', a, b, values(a.value, b.value))];
        const isSame = canonical(factsIn(a)) === canonical(factsIn(b));
        return [classify_difference('final-text', isSame ? 'wording' : 'behaviour', a, b, values(answerA, answerB))];
    }
    #leaves(a, b) {
        return leafDifferences(a.value, b.value, {
            limit: MAX_DIFFERENCES,
            isTolerated: (pointer, x, y) => Math.abs(x - y) <= this.#context.paths.tolerance(a, pointer),
        });
    }
    /** From the end: a gap of an informative tool is minor when all behind it is as recorded; what follows a result is downstream. */
    #settle(found) {
        const settled = [];
        let isAsRecorded = true;
        for (const each of found.toReversed()) {
            const isGap = each.kind === 'call-missing' || each.kind === 'call-extra';
            const isMinor = isGap && isAsRecorded && this.#context.tools.isInformative(each.tool);
            const severity = isMinor ? 'minor' : each.severity;
            if (severity === 'behaviour')
                isAsRecorded = false;
            settled.push({ ...each, severity });
        }
        settled.reverse();
        const environment = settled.findIndex(isOfEnvironment);
        return settled.map((each, index) => environment !== -1 && index > environment && !isSameStep(each, settled[environment])
            ? { ...each, downstream: true }
            : each);
    }
}
/** The same call that came to something else. */
function isOfEnvironment({ kind, tool, downstream }) {
    return (kind === 'result' || (kind === 'error' && tool !== undefined)) && downstream !== true;
}
function isSameStep(a, b) {
    return a.recordedStep === b.recordedStep && a.replayedStep === b.replayedStep;
}
/** Itself, or called at once with it: there is no order between them. */
function isBeside(a, b) {
    return a === b || (a.group !== undefined && a.group === b.group);
}
function isPermutation(a, b) {
    const exacts = (steps) => steps.map(({ exact }) => exact).sort(byCodeUnit);
    return a.length > 1 && commonPrefix(exacts(a), exacts(b)) === a.length;
}
/** The calls of one side, each with what it came to. */
class Calls {
    #callOf = new Map();
    #outcomeOf = new Map();
    #before = new Map();
    constructor(steps) {
        let last;
        for (const { call, outcome } of callsWithOutcomes(steps)) {
            if (outcome !== undefined) {
                this.#callOf.set(outcome, call);
                this.#outcomeOf.set(call, outcome);
            }
            if (last !== undefined)
                this.#before.set(call, last);
            last = call;
        }
    }
    callOf(outcome) {
        return this.#callOf.get(outcome);
    }
    outcomeOf(call) {
        return this.#outcomeOf.get(call);
    }
    before(call) {
        return this.#before.get(call);
    }
}
function ofTexts(a, b) {
    const isSame = typeof a?.value === 'string' && typeof b?.value === 'string' && readable(a.value) === readable(b.value);
    return [classify_difference(isSame ? 'format' : 'text', isSame ? 'noise' : 'wording', a, b, values(a?.value, b?.value))];
}
function classify_difference(kind, severity, a, b, details = {}) {
    const tool = a?.name ?? b?.name;
    const { recorded, replayed, ...rest } = details;
    const [shownA, shownB] = shown(recorded, replayed);
    return {
        kind,
        severity,
        recordedStep: a?.number ?? null,
        replayedStep: b?.number ?? null,
        ...(tool === undefined ? {} : { tool }),
        ...rest,
        ...(shownA === undefined ? {} : { recorded: shownA }),
        ...(shownB === undefined ? {} : { replayed: shownB }),
    };
}
function values(recorded, replayed) {
    return { ...(recorded === undefined ? {} : { recorded }), ...(replayed === undefined ? {} : { replayed }) };
}
/** Characters of what both have in common that are kept before the place where two long texts part. */
const EXCERPT_LEAD = 80;
/** Both values, cut around the place where they part when they are too long to show. */
function shown(recorded, replayed) {
    const texts = [recorded, replayed].map((each) => (typeof each === 'string' ? each : canonical(each)));
    const [a = '', b = ''] = texts;
    if (Math.max(a.length, b.length) <= MAX_VALUE_CHARS)
        return [recorded, replayed];
    let common = 0;
    while (common < a.length && a.charCodeAt(common) === b.charCodeAt(common))
        common++;
    const from = Math.max(0, common - EXCERPT_LEAD);
    const cut = (text) => {
        if (text.length <= MAX_VALUE_CHARS)
            return text;
        const excerpt = text.slice(from, from + MAX_VALUE_CHARS);
        return `${from > 0 ? '…' : ''}${excerpt}${from + MAX_VALUE_CHARS < text.length ? '…' : ''}`.toWellFormed();
    };
    return [recorded === undefined ? undefined : cut(a), replayed === undefined ? undefined : cut(b)];
}
function isFreeText(value) {
    return typeof value === 'string' && value.trim().split(/\s+/).length >= FREE_TEXT_WORDS;
}
/** A value that is not in two places by chance. */
function isTelling(leaf) {
    return leaf.length >= 3;
}

;// CONCATENATED MODULE: ./build/src/compare/cause.js


function inputEvidence(input, mask) {
    return {
        system: mask(input.system),
        tools: canonical(input.tools),
        model: input.model ?? '',
        parameters: Object.fromEntries(Object.entries(input.parameters ?? {}).map(([name, value]) => [name, canonical(value)])),
    };
}
/**
 * Why two runs part at a difference, as far as the traces tell; no judge.
 * @param recorded what the generation was given out of which the recorded step came; undefined when none is told of
 * @param earlier lesser differences before this one, in order
 */
function causeOf(at, recorded, replayed, earlier) {
    if (isOfEnvironment(at)) {
        return {
            kind: 'environment',
            detail: at.kind === 'error' ? 'the same call ended in another way' : 'same call, other result',
        };
    }
    if (recorded !== undefined && replayed !== undefined) {
        const changes = ownChanges(recorded, replayed);
        if (changes.length > 0) {
            return {
                kind: 'agent',
                changed: changes.map(({ part }) => part),
                detail: changes.map(({ said }) => said).join('; '),
            };
        }
    }
    if (at.kind === 'call-order')
        return { kind: 'concurrency', detail: 'same calls, other order' };
    if (recorded === undefined || replayed === undefined)
        return { kind: 'unknown', detail: 'the traces hold no model call for it' };
    const before = earlier.findLast(({ severity }) => severity !== 'noise');
    if (before === undefined)
        return { kind: 'model', detail: 'same input, other output' };
    const step = before.recordedStep ?? before.replayedStep;
    return { kind: 'unknown', detail: `after an earlier ${before.severity} difference at step ${step}` };
}
/** Longest line of a prompt inside a sentence, in characters. */
const MAX_LINE = 100;
function ownChanges(a, b) {
    const changes = [];
    if (a.system !== b.system)
        changes.push({ part: 'system prompt', said: `its system prompt differs${firstLine(a.system, b.system)}` });
    if (a.tools !== b.tools)
        changes.push({ part: 'tools', said: 'its tool definitions differ' });
    if (a.model !== b.model)
        changes.push({
            part: 'model',
            said: `its model differs: recorded ${a.model || 'none'}, replayed ${b.model || 'none'}`,
        });
    const names = [...new Set([...Object.keys(a.parameters), ...Object.keys(b.parameters)])].sort();
    const other = names.filter((name) => a.parameters[name] !== b.parameters[name]);
    if (other.length > 0) {
        const each = other.map((name) => `${name} recorded ${a.parameters[name] ?? 'unset'}, replayed ${b.parameters[name] ?? 'unset'}`);
        changes.push({ part: 'parameters', said: `its parameters differ: ${each.join(', ')}` });
    }
    return changes;
}
/** The first line at which two prompts part. */
function firstLine(a, b) {
    const [linesA, linesB] = [a.split('\n'), b.split('\n')];
    const at = linesA.findIndex((line, index) => line !== linesB[index]);
    const [lineA, lineB] = [linesA[at === -1 ? linesA.length : at], linesB[at === -1 ? linesA.length : at]];
    const cut = (line) => line === undefined
        ? 'nothing'
        : JSON.stringify(line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1).toWellFormed()}…` : line);
    return ` at line ${(at === -1 ? linesA.length : at) + 1}: recorded ${cut(lineA)}, replayed ${cut(lineB)}`;
}

;// CONCATENATED MODULE: ./build/src/compare/figures.js
/** k beyond which the estimates say little and nobody reads them. */
const MAX_K = 10;
/** Normal quantile of a 95 % interval. */
const Z = 1.959964;
/**
 * Figures over the conclusive runs. TAR@k is the unbiased estimate sum C(n_c,k)/C(n,k) (total agreement rate, Atil et
 * al. 2024); pass^k is C(c,k)/C(n,k) (tau-bench, Yao et al. 2024); the interval is Wilson's (1927).
 * @param of.clusterSizes runs of each behaviour among the replays
 * @param of.asRecorded runs as recorded
 * @param of.survival share of runs still on the recorded path after each step
 */
function figuresOf(of) {
    const { clusterSizes, asRecorded, survival } = of;
    const n = clusterSizes.reduce((sum, size) => sum + size, 0);
    const ks = Array.from({ length: Math.min(n, MAX_K) }, (_, index) => index + 1);
    const tarAtK = ks.map((k) => rounded(clusterSizes.reduce((sum, size) => sum + chosenShare(size, n, k), 0)));
    return {
        n,
        asRecorded,
        behaviours: clusterSizes.length,
        agreement: tarAtK[1] ?? null,
        tarAtK,
        passHatK: ks.map((k) => rounded(chosenShare(asRecorded, n, k))),
        interval: n === 0 ? null : wilson(asRecorded, n),
        survival: survival.map(rounded),
        leastStableStep: leastStable(survival),
    };
}
/** C(c,k)/C(n,k), as a product so that nothing overflows. */
function chosenShare(c, n, k) {
    let share = 1;
    for (let i = 0; i < k; i++)
        share *= Math.max(0, c - i) / (n - i);
    return share;
}
function wilson(successes, n) {
    const p = successes / n;
    const scale = 1 + Z ** 2 / n;
    const centre = p + Z ** 2 / (2 * n);
    const spread = Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
    return [rounded(Math.max(0, (centre - spread) / scale)), rounded(Math.min(1, (centre + spread) / scale))];
}
function leastStable(survival) {
    let worst = null;
    let largest = 0;
    for (const [index, share] of survival.entries()) {
        const left = (index === 0 ? 1 : (survival[index - 1] ?? 1)) - share;
        if (left > largest + 1e-9)
            [worst, largest] = [index + 1, left];
    }
    return worst;
}
/** Six decimals: the same bytes on every machine. */
function rounded(value) {
    return Math.round(value * 1e6) / 1e6;
}

;// CONCATENATED MODULE: ./build/src/compare/noise.js


/** What generators and clocks write, short forms included: digits with at most a few letters around them. */
const LOOKS_GENERATED = /^[A-Za-z]{0,12}[-_:#]?[0-9A-Fa-f]*\d[\w.:+-]*$/;
/** Values shown as evidence. */
const MAX_EXAMPLES = 3;
const MAX_PROPOSALS = 20;
/**
 * Places at which what tools answered, or the answer itself, varies from run to run. `volatile` ones look generated and
 * never repeat; the user may ignore them. All others are `unstable`. Nothing is ignored by itself, nothing is learned
 * of arguments, which the model writes, nor of delicate tools.
 */
function proposeNoise(clusters, tools) {
    const places = new Map();
    for (const { runs, differences } of clusters) {
        if (runs === 0)
            continue;
        for (const each of differences) {
            const kind = each.kind === 'result' ? 'result' : each.kind === 'final-structure' ? 'final' : undefined;
            if (kind === undefined || each.pointer === undefined || each.change !== 'value' || tools.isDelicate(each.tool))
                continue;
            if (each.replayed === undefined || isContainer(each.replayed))
                continue;
            const path = pathOf({ kind, ...(each.tool === undefined ? {} : { name: each.tool }) }, each.pointer);
            const place = places.get(path) ?? { values: new Map(), runs: 0 };
            places.set(path, place);
            place.runs += runs;
            const value = typeof each.replayed === 'string' ? each.replayed : canonical(each.replayed);
            place.values.set(value, (place.values.get(value) ?? 0) + runs);
        }
    }
    return [...places]
        .filter(([, { values }]) => values.size > 1)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, MAX_PROPOSALS)
        .map(([path, { values, runs }]) => {
        const seen = [...values.keys()].sort();
        const isGenerated = seen.every((value) => LOOKS_GENERATED.test(value)) && values.size === runs;
        return { path, kind: isGenerated ? 'volatile' : 'unstable', runs, examples: seen.slice(0, MAX_EXAMPLES) };
    });
}

;// CONCATENATED MODULE: ./build/src/compare/permutation.js
const SIGNIFICANT = 0.05;
/** Most steps of counting, about 0.2 s. Tens of runs need thousands; some recordings and 1,000 replays still fit. */
const MAX_WORK = 1_000_000;
/** Digits of a p-value: the same bytes on every machine, and never a rounded 0. */
const DIGITS = 6;
/**
 * The exact permutation test of recordings against replays. The statistic is the mean distance between the groups
 * minus the mean distance within them, with the distance 0 in one cluster and 1 otherwise; p is the share of all ways
 * to relabel the runs in which it is at least as large (one-sided; Good 2005, Permutation, Parametric, and Bootstrap
 * Tests). Printed, never a gate.
 * @param baselines cluster of each recording
 * @param replays cluster of each conclusive replay
 * @returns null when a group is empty or the exact count would take too long
 */
function permutationTest(baselines, replays) {
    const [m, r] = [baselines.length, replays.length];
    if (m === 0 || r === 0)
        return null;
    const counts = new Map();
    for (const [group, own] of [
        [baselines, 1],
        [replays, 0],
    ]) {
        for (const cluster of group) {
            const count = counts.get(cluster) ?? { all: 0, baselines: 0 };
            counts.set(cluster, { all: count.all + 1, baselines: count.baselines + own });
        }
    }
    // Pairs in one cluster are as many whatever the labels, so that the statistic falls strictly with those of them that
    // lie between the groups. Integers instead of means: ties are ties.
    const clusters = [...counts.values()].toSorted((a, b) => b.all - a.all);
    const seen = clusters.reduce((sum, { all, baselines: own }) => sum + own * (all - own), 0);
    const ways = waysByAgreement(clusters.map(({ all }) => all), m);
    if (ways === undefined)
        return null;
    let extreme = 0;
    let total = 0;
    for (const [agreeing, count] of [...ways].toSorted(([a], [b]) => a - b)) {
        total += count;
        if (agreeing <= seen)
            extreme += count;
    }
    return { p: permutation_shown(extreme / total), smallest: permutation_shown(smallestP(m, r)), baselines: m, replays: r };
}
/**
 * In how many ways `drawn` runs can be taken from clusters of these sizes, by the number of agreeing pairs between the
 * taken and the left. Counted cluster by cluster: a draw is a composition of counts, weighted with binomials, so that
 * the work grows with the states and not with the ways. Undefined beyond {@link MAX_WORK}.
 */
function waysByAgreement(sizes, drawn) {
    let states = new Map([[0, new Map([[0, 1]])]]);
    let left = sizes.reduce((sum, size) => sum + size, 0);
    let work = 0;
    for (const size of sizes) {
        left -= size;
        const next = new Map();
        for (const [taken, byAgreement] of states) {
            const least = Math.max(0, drawn - taken - left);
            const most = Math.min(size, drawn - taken);
            for (let here = least; here <= most; here++) {
                work += byAgreement.size;
                if (work > MAX_WORK)
                    return undefined;
                const ways = binomial(size, here);
                const target = next.get(taken + here) ?? new Map();
                next.set(taken + here, target);
                for (const [agreeing, count] of byAgreement) {
                    const sum = agreeing + here * (size - here);
                    target.set(sum, (target.get(sum) ?? 0) + count * ways);
                }
            }
        }
        states = next;
    }
    return states.get(drawn);
}
/** All recordings alike, all replays alike, and otherwise than those: one labelling, or two where sides can change. */
function smallestP(baselines, replays) {
    return (baselines === replays ? 2 : 1) / binomial(baselines + replays, baselines);
}
/** Exact up to 2^53, beyond that to about 15 digits; infinite beyond 1e308, which is a p of 0. */
function binomial(n, k) {
    let result = 1;
    for (let i = 1; i <= Math.min(k, n - k); i++)
        result = (result * (n - i + 1)) / i;
    return result;
}
/**
 * Holm's step-down adjustment (1979): p-values of several tests made together, in the order given. Each may be read
 * as if it were alone.
 */
function holm(ps) {
    const adjusted = new Array(ps.length);
    let largest = 0;
    for (const [rank, index] of ps
        .map((_, index) => index)
        .toSorted((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0))
        .entries()) {
        largest = Math.max(largest, Math.min(1, (ps.length - rank) * (ps[index] ?? 0)));
        adjusted[index] = permutation_shown(largest);
    }
    return adjusted;
}
/**
 * The least number of recordings with which one of so many tests, each with so many replays, could reach .05 after
 * {@link holm}. Null without replays.
 */
function baselinesNeeded(replays, tests) {
    if (replays < 1)
        return null;
    let baselines = 1;
    // As it would be printed, so that nobody is promised .05 and then shown .0500001.
    while (permutation_shown(permutation_shown(smallestP(baselines, replays)) * Math.max(1, tests)) > SIGNIFICANT)
        baselines++;
    return baselines;
}
function permutation_shown(p) {
    return Number(p.toPrecision(DIGITS));
}

;// CONCATENATED MODULE: ./build/src/compare/sentence.js

/** Longest value inside a sentence, in characters. */
const sentence_MAX_QUOTED = 80;
/** The whole divergence in one paragraph: what, where, how often, why. */
function sentenceFor(told) {
    const { turn, difference, cause, runs, of, asRecorded, agreement, earlier, meetsAgainAt } = told;
    const step = difference.recordedStep ?? difference.replayedStep;
    const share = asRecorded > 0 ? ` (${asRecorded} of ${of} as recorded)` : '';
    const parts = [
        `turn ${turn}, step ${step}: ${whatDiffers(difference)} in ${runs} of ${of} ${of === 1 ? 'run' : 'runs'}${share}.`,
        `Cause: ${cause.kind} (${cause.detail}).`,
    ];
    if (agreement !== null)
        parts.push(`Replays agree with each other ${Math.floor(agreement * 100)} %.`);
    const lesser = ['minor', 'wording', 'noise'].flatMap((severity) => counted(earlier[severity], severity));
    if (lesser.length > 0)
        parts.push(`Earlier: ${lesser.join(', ')}.`);
    if (meetsAgainAt !== null)
        parts.push(`Runs meet again at ${difference.recordedStep === null ? 'recorded ' : ''}step ${meetsAgainAt}.`);
    return parts.join(' ');
}
function counted(count, severity) {
    return count === undefined ? [] : [`${count} ${severity} ${count === 1 ? 'difference' : 'differences'}`];
}
/** What differs, both sides named. */
function whatDiffers({ kind, tool, pointer, change, recorded, replayed }) {
    const sides = `recorded ${sentence_quoted(recorded)}, replayed ${sentence_quoted(replayed)}`;
    const place = pointer ? ` ${pointer}` : '';
    switch (kind) {
        case 'error':
            return recorded === undefined || replayed === undefined
                ? `${tool === undefined ? 'an error' : `an error of ${tool}`} ${recorded === undefined ? 'that was not recorded' : 'is gone'}: ${sentence_quoted(recorded ?? replayed)}`
                : `${tool === undefined ? 'the error' : `the outcome of ${tool}`}: ${sides}`;
        case 'end':
            return recorded === undefined || replayed === undefined
                ? `the end ${recorded === undefined ? `is another: ${sentence_quoted(replayed)}` : `${sentence_quoted(recorded)} is missing`}`
                : `the end: ${sides}`;
        case 'call-name':
            return `another tool: recorded ${recorded}, replayed ${replayed}`;
        case 'call-missing':
            return `call of ${tool} is missing`;
        case 'call-extra':
            return `extra call of ${tool}${argsOf(replayed)}`;
        case 'call-retry':
            return replayed === undefined ? `repeated call of ${tool} is missing` : `call of ${tool} is repeated`;
        case 'call-order':
            return `call of ${tool} comes at another place`;
        case 'argument':
            return `argument${place} of ${tool}${changed(change, sides, recorded, replayed)}`;
        case 'result':
            return `result${place} of ${tool}${changed(change, sides, recorded, replayed)}`;
        case 'final-structure':
            return `answer${place}${changed(change, sides, recorded, replayed)}`;
        case 'final-text':
            return `answer: ${sides}`;
        case 'text':
            return `intermediate text: ${sides}`;
        case 'format':
        case 'volatile':
            return `layout: ${sides}`;
    }
}
function changed(change, sides, recorded, replayed) {
    if (change === 'added')
        return ` was added: ${sentence_quoted(replayed)}`;
    if (change === 'removed')
        return ` is gone: recorded ${sentence_quoted(recorded)}`;
    return change === 'type' ? ` has another type: ${sides}` : `: ${sides}`;
}
function argsOf(call) {
    const args = typeof call === 'object' && call !== null && !Array.isArray(call) ? call.args : undefined;
    return args === undefined || args === null ? '' : ` with ${sentence_quoted(args)}`;
}
function sentence_quoted(value) {
    if (value === undefined)
        return 'nothing';
    const text = canonical(value);
    return text.length <= sentence_MAX_QUOTED ? text : `${text.slice(0, sentence_MAX_QUOTED - 1).toWellFormed()}…`;
}

;// CONCATENATED MODULE: ./build/src/compare/verdict.js

/** Above this share of behaviours seen only once, more are likely unseen (Good 1953, Good-Turing: f1/n). */
const MAX_UNSEEN_SHARE = 0.25;
/** The verdict of one turn, with what has to be said beside it. */
function turnVerdict(outcome) {
    const { requested, conclusive, asRecorded, clusterSizes, originalSeen } = outcome;
    const lost = requested - conclusive;
    const note = lost > 0 ? `${lost} of ${requested} not verified` : null;
    const settled = (word) => ({ verdict: word, suggestedRuns: null, note });
    if (conclusive === 0 || (asRecorded === conclusive && lost > 0))
        return settled('inconclusive');
    if (originalSeen)
        return settled(clusterSizes.length === 1 ? 'reproduced' : 'flaky');
    const single = clusterSizes.filter((size) => size === 1).length;
    if (clusterSizes.length === 1 || single / conclusive <= MAX_UNSEEN_SHARE)
        return settled('changed');
    return { verdict: 'unsettled', suggestedRuns: Math.ceil(single / MAX_UNSEEN_SHARE), note };
}
/** The verdict of a session: that of its worst turn. A session without turns tells nothing. */
function sessionVerdict(verdicts) {
    return verdict.options.find((each) => verdicts.includes(each)) ?? 'inconclusive';
}

;// CONCATENATED MODULE: ./build/src/compare/turn.js















/** Compares replays with the recordings of a turn: the original first, then further baselines. Pure. */
function turn_compareTurn(recordings, replays, rules, options = {}) {
    const comparator = turn_startTurnComparison(recordings, rules, { requested: replays.length, ...options });
    for (const { run, recording } of replays)
        comparator.add(run, recording);
    return comparator.result();
}
function turn_startTurnComparison(recordings, rules, options) {
    return new Comparator(recordings, rules, options);
}
class Comparator {
    #rules;
    #options;
    #paths;
    #original;
    /** Tools that ran at the same time in the original. */
    #overlaps;
    #groups = new Map();
    #view;
    constructor(recordings, rules, options) {
        this.#rules = rules;
        this.#options = options;
        this.#paths = paths_pathRules(rules);
        const [original, ...baselines] = recordings;
        if (original === undefined)
            return;
        const { trajectory, behaviour } = this.#behaviourOf(original, 0);
        this.#overlaps = trajectory.overlaps;
        this.#original = behaviour;
        this.#join(behaviour).recordings.push(0);
        for (const [index, baseline] of baselines.entries()) {
            this.#join(this.#behaviourOf(baseline, 0).behaviour).recordings.push(index + 1);
        }
    }
    add(run, recording) {
        this.#join(this.#behaviourOf(recording, run).behaviour).runs.push(run);
        this.#view = undefined;
    }
    result() {
        return this.#current().comparison;
    }
    behaviour(clusterId) {
        const shown = this.#current().shown[clusterId];
        return shown && { recording: shown.recording, steps: shown.steps.map(turn_shownStep) };
    }
    #current() {
        this.#view ??= viewOf([...this.#groups.values()], this.#original, this.#rules, this.#options, this.#paths);
        return this.#view;
    }
    #behaviourOf(recording, run) {
        const { trajectory, steps } = run_steps_runSteps(recording, {
            rules: this.#rules,
            paths: this.#paths,
            request: this.#options.request,
            overlaps: this.#overlaps,
        });
        const seen = steps.filter(({ key }) => key !== null);
        const mask = (text) => maskText(text, trajectory.clock);
        const behaviour = {
            steps,
            seen,
            keys: seen.map(({ key }) => key),
            inputs: trajectory.inputs.map((input) => inputEvidence(input, mask)),
            recording,
            exact: turn_digest(steps.map(({ exact }) => exact)),
            run,
        };
        return { trajectory, behaviour };
    }
    #join(behaviour) {
        const id = turn_digest(behaviour.keys);
        const known = this.#groups.get(id);
        if (known === undefined) {
            const group = { representative: behaviour, runs: [], recordings: [] };
            this.#groups.set(id, group);
            return group;
        }
        if (comesBefore(behaviour, known.representative))
            known.representative = behaviour;
        return known;
    }
}
/** The behaviour that stands for its group is the same whatever came first; of equals the lowest run. */
function comesBefore(a, b) {
    return byCodeUnit(a.exact, b.exact) < 0 || (a.exact === b.exact && a.run < b.run);
}
const NOTHING_DIFFERS = { differences: [], pairs: [] };
function viewOf(groups, original, rules, options, paths) {
    const bySize = groups.toSorted((a, b) => b.runs.length - a.runs.length || byCodeUnit(a.representative.exact, b.representative.exact));
    const anchor = original ?? bySize[0]?.representative;
    const tools = learnTools(bySize.map(({ representative }) => representative.steps), rules);
    const explained = bySize.map((group) => {
        if (anchor === undefined)
            return { group, explanation: undefined, meaningful: undefined };
        if (group.representative.exact === anchor.exact)
            return { group, explanation: NOTHING_DIFFERS, meaningful: undefined };
        const explanation = explain(anchor.steps, group.representative.steps, { tools, paths });
        const meaningful = explanation.differences.find((each) => isMeaningful(each, rules));
        return { group, explanation, meaningful };
    });
    const own = explained.filter(({ meaningful }) => meaningful === undefined);
    const others = explained.filter(({ meaningful }) => meaningful !== undefined);
    const home = {
        representative: representativeOf(own, anchor),
        runs: own.flatMap(({ group }) => group.runs),
        recordings: own.flatMap(({ group }) => group.recordings),
    };
    const conclusive = groups.reduce((sum, { runs }) => sum + runs.length, 0);
    const recordedRuns = [
        ...home.runs,
        ...others.flatMap(({ group }) => (group.recordings.length > 0 ? group.runs : [])),
    ];
    const hasOriginal = original !== undefined;
    const isSeen = hasOriginal ? recordedRuns.length > 0 : home.runs.length > 0;
    const sizes = [home, ...others.map(({ group }) => group)].map(({ runs }) => runs.length).filter((size) => size > 0);
    const asRecorded = hasOriginal ? recordedRuns.length : home.runs.length;
    const figures = figuresOf({ clusterSizes: sizes, asRecorded, survival: survivalOf(bySize, anchor, recordedRuns) });
    const verdict = turnVerdict({
        requested: options.requested,
        conclusive,
        asRecorded,
        clusterSizes: sizes,
        originalSeen: isSeen,
    });
    const clusters = [
        {
            id: 0,
            runs: home.runs.toSorted(ascending),
            recorded: hasOriginal,
            representative: home.runs.length === 0 ? null : Math.min(...home.runs),
            firstDifference: null,
            divergence: null,
            differences: lesserOf(own),
        },
        ...others.map(({ group, explanation, meaningful }, index) => {
            const differences = explanation?.differences ?? [];
            return {
                id: index + 1,
                runs: group.runs.toSorted(ascending),
                recorded: group.recordings.length > 0,
                representative: group.representative.run || null,
                firstDifference: anchor === undefined ? null : firstDifferenceOf(anchor, group.representative),
                divergence: meaningful === undefined || anchor === undefined || explanation === undefined || group.runs.length === 0
                    ? null
                    : divergenceOf(meaningful, explanation, anchor, group, {
                        of: conclusive,
                        asRecorded,
                        agreement: figures.agreement,
                        turn: options.turn ?? 1,
                    }),
                differences: differences.slice(0, MAX_DIFFERENCES),
            };
        }),
    ];
    const divergence = clusters.find((each) => each.divergence !== null && !each.recorded)?.divergence ?? null;
    return {
        shown: [home.representative, ...others.map(({ group }) => group.representative)].filter((each) => each !== undefined),
        comparison: {
            ...verdict,
            requested: options.requested,
            conclusive,
            clusters,
            divergence,
            forks: forkTable(bySize, anchor),
            figures,
            noise: proposeNoise(explained.map(({ group, explanation }) => ({
                runs: group.runs.length,
                differences: explanation?.differences ?? [],
            })), tools),
            permutation: permutationOf([home, ...others.map(({ group }) => group)]),
            stoppedAfter: null,
        },
    };
}
/** Recordings against replays, when there are recordings to see them vary by. */
function permutationOf(clusters) {
    const recordings = clusters.flatMap((each, id) => each.recordings.map(() => id));
    const replays = clusters.flatMap(({ runs }, id) => runs.map(() => id));
    return recordings.length < 2 ? null : permutationTest(recordings, replays);
}
function representativeOf(own, anchor) {
    const withRuns = own.filter(({ group }) => group.runs.length > 0);
    return (withRuns[0]?.group.representative ?? anchor);
}
/** The lesser differences of the runs that count as recorded, most frequent group first. */
function lesserOf(own) {
    const found = own.find(({ group, explanation }) => group.runs.length > 0 && (explanation?.differences.length ?? 0) > 0);
    return [...(found?.explanation?.differences ?? [])].slice(0, MAX_DIFFERENCES);
}
function divergenceOf(at, { differences, pairs }, anchor, group, told) {
    const { representative, runs } = group;
    const before = differences.slice(0, differences.indexOf(at));
    const earlier = {};
    for (const { severity } of before)
        earlier[severity] = (earlier[severity] ?? 0) + 1;
    const place = pairs.findIndex(({ a, b }) => at.recordedStep === null
        ? representative.steps[b]?.number === at.replayedStep
        : anchor.steps[a]?.number === at.recordedStep);
    const meets = pairs
        .slice(place + 1)
        .map(({ a, b }) => [anchor.steps[a], representative.steps[b]])
        .find(([a, b]) => a !== undefined && a.kind !== 'result' && a.kind !== 'text' && a.exact === b?.exact);
    const cause = causeOf(at, ...inputsAt(at, anchor, representative), before);
    const meetsAgainAt = meets?.[0]?.number ?? null;
    return {
        ...at,
        cause,
        runs: runs.length,
        of: told.of,
        earlier,
        meetsAgainAt,
        sentence: sentenceFor({ ...told, difference: at, cause, runs: runs.length, earlier, meetsAgainAt }),
    };
}
/** What the generations behind the two sides were given; where a side has no step there, the same generation in order. */
function inputsAt({ recordedStep, replayedStep }, anchor, replay) {
    const of = ({ steps }, number) => steps.find((step) => step.number === number)?.generation;
    const [a, b] = [of(anchor, recordedStep), of(replay, replayedStep)];
    return [anchor.inputs[a ?? b ?? 0], replay.inputs[b ?? Math.min(a ?? 0, replay.inputs.length - 1)]];
}
/** Where two runs part by position alone. */
function firstDifferenceOf(anchor, replay) {
    const prefix = commonPrefix(anchor.keys, replay.keys);
    const [a, b] = [anchor.seen[prefix], replay.seen[prefix]];
    if (a === undefined && b === undefined)
        return null;
    const [callA, callB] = [a, b].map((step) => step?.kind === 'call');
    const kind = callA && callB
        ? a?.name === b?.name
            ? 'args'
            : 'name'
        : callB
            ? 'extra'
            : callA
                ? 'ended'
                : a && b
                    ? 'value'
                    : a
                        ? 'ended'
                        : 'extra';
    return {
        step: (a ?? b)?.number ?? 1,
        callIndex: anchor.seen.slice(0, prefix).filter((step) => step.kind === 'call').length,
        kind,
        recordedName: a?.name ?? null,
        replayedName: b?.name ?? null,
        pointers: kind === 'args'
            ? leafDifferences(a?.value, b?.value, { limit: MAX_DIFFERENCES }).map(({ pointer }) => pointer)
            : [],
    };
}
/** Share of the replays that are still on the recorded path after each of its steps. */
function survivalOf(groups, anchor, recorded) {
    if (anchor === undefined)
        return [];
    const isRecorded = new Set(recorded);
    const left = anchor.keys.map(() => 0);
    let total = 0;
    for (const { representative, runs } of groups) {
        const prefix = commonPrefix(anchor.keys, representative.keys);
        for (const run of runs) {
            total++;
            const survived = isRecorded.has(run) ? anchor.keys.length : prefix;
            if (survived > 0)
                left[survived - 1] = (left[survived - 1] ?? 0) + 1;
        }
    }
    const survival = [];
    let still = 0;
    for (const count of left.toReversed()) {
        still += count;
        survival.push(total === 0 ? 0 : still / total);
    }
    return survival.reverse();
}
/** Most places that the fork table lists: beyond it nobody reads on. */
const MAX_FORKS = 20;
function forkTable(groups, anchor) {
    const paths = groups.map(({ representative }) => representative);
    const trie = buildTrie(paths.map(({ keys }) => keys));
    const lengths = paths.map(({ keys }) => keys.length);
    const isRecorded = (path) => (groups[path]?.recordings.length ?? 0) > 0 || paths[path] === anchor;
    return forksOf(trie, lengths)
        .filter(({ node }) => node.paths.some((path) => (groups[path]?.runs.length ?? 0) > 0))
        .slice(0, MAX_FORKS)
        .map(({ node, ended }) => {
        const branches = [...node.children.values()].map((child) => child.paths);
        if (ended.length > 0)
            branches.push(ended);
        const stepAt = (path) => paths[path]?.seen[node.depth];
        return {
            step: Math.min(...node.paths.map((path) => stepAt(path)?.number ?? Number.POSITIVE_INFINITY)),
            branches: branches
                .map((members) => ({
                label: labelOf(stepAt(members[0]), branches, stepAt),
                runs: members.flatMap((path) => groups[path]?.runs ?? []).sort(ascending),
                recorded: members.some(isRecorded),
            }))
                .filter(({ runs, recorded }) => runs.length > 0 || recorded)
                .sort((a, b) => b.runs.length - a.runs.length || byCodeUnit(a.label, b.label)),
        };
    })
        .filter(({ branches }) => branches.length > 1);
}
const MAX_LABEL = 60;
/** What a branch does, in a word or two; with its value where another branch does the same thing otherwise. */
function labelOf(step, branches, stepAt) {
    if (step === undefined)
        return 'ends';
    const plain = ({ kind, name }) => kind === 'call'
        ? `calls ${name}`
        : kind === 'result'
            ? `${name} answers`
            : kind === 'final'
                ? 'answers'
                : `${kind}${name ? ` of ${name}` : ''}`;
    const alike = branches.filter((members) => {
        const other = stepAt(members[0]);
        return other !== undefined && plain(other) === plain(step);
    });
    if (alike.length < 2)
        return plain(step);
    const value = JSON.stringify(step.value ?? null);
    return `${plain(step)} ${value.length > MAX_LABEL ? `${value.slice(0, MAX_LABEL).toWellFormed()}…` : value}`;
}
function turn_shownStep({ kind, name, value, observationId }) {
    return {
        kind,
        ...(name === undefined ? {} : { name }),
        ...(value === undefined ? {} : { value }),
        ...(observationId === undefined ? {} : { observationId }),
    };
}
function turn_digest(parts) {
    return (0,external_node_crypto_.hash)('sha256', parts.join('\n'), 'base64url');
}
function ascending(a, b) {
    return a - b;
}

;// CONCATENATED MODULE: ./build/src/compare/pair.js




/**
 * Compares two runs of a turn and lays them side by side.
 * @param recordings the original first, then further baselines; the original is what is shown
 */
function comparePair(recordings, replay, rules, options = {}) {
    const comparison = compareTurn(recordings, [{ run: 1, recording: replay }], rules, options);
    const context = { rules, paths: pathRules(rules), request: options.request };
    const [original] = recordings;
    const recorded = runSteps(original, { ...context, overlaps: undefined });
    const replayed = runSteps(replay, { ...context, overlaps: recorded.trajectory.overlaps });
    const differences = comparison.clusters.find(({ runs }) => runs.length > 0)?.differences ?? [];
    const told = new Set();
    const rows = align(recorded.steps, replayed.steps).map(({ a, b }) => {
        const [left, right] = [recorded.steps[a], replayed.steps[b]];
        const here = differences.filter((each) => !told.has(each) && isAt(each, left, right));
        for (const each of here)
            told.add(each);
        return {
            recorded: left === undefined ? null : numbered(left),
            replayed: right === undefined ? null : numbered(right),
            same: left !== undefined && left.exact === right?.exact,
            differences: here,
        };
    });
    return { comparison, rows };
}
/** A difference belongs to the recorded step, or to the replayed one where only the replay has it. */
function isAt({ recordedStep, replayedStep }, left, right) {
    return recordedStep === null ? replayedStep === right?.number : recordedStep === left?.number;
}
function numbered({ number, kind, name, value }) {
    return { number, kind, ...(name === undefined ? {} : { name }), ...(value === undefined ? {} : { value }) };
}

;// CONCATENATED MODULE: ./build/src/compare/script-values.js

/** It came from a tool or from whatever failed, and not from the model. */
function isGiven({ kind }) {
    return kind === 'result' || kind === 'error';
}
/** Every value of a script, in the order of its steps. */
function valuesOf(script) {
    const { final } = script;
    const places = script.parts.flatMap(placesIn);
    if (final !== undefined) {
        places.push({ value: final.value, kind: 'prose', set: (value) => Object.assign(final, { value }) });
    }
    return places;
}
function placesIn(part) {
    if (part.kind === 'failure') {
        return [{ value: part.value, kind: 'error', set: (value) => Object.assign(part, { value }) }];
    }
    if (part.kind === 'message') {
        const { texts, error, calls } = part;
        const said = texts.map((value, index) => {
            return { value, kind: 'prose', set: (text) => texts.splice(index, 1, text) };
        });
        const failure = error === undefined
            ? []
            : [{ value: error, kind: 'error', set: (changed) => Object.assign(part, { error: changed }) }];
        return [...said, ...failure, ...calls.flatMap(placesIn)];
    }
    const { args, inner, outcome } = part;
    const asked = args === undefined ? [] : [{ value: args, kind: 'args', set: (changed) => Object.assign(part, { args: changed }) }];
    const came = outcome?.value === undefined
        ? []
        : [{ value: outcome.value, kind: outcome.kind, set: (value) => Object.assign(outcome, { value }) }];
    return [...asked, ...inner.flatMap(placesIn), ...came];
}
/** @returns whether any value has become another */
function mapValues(script, change) {
    let isChanged = false;
    for (const { value, kind, set } of valuesOf(script)) {
        const changed = change(value, kind);
        if (changed === value)
            continue;
        set(changed);
        isChanged = true;
    }
    return isChanged;
}
/** Tokens of a shape, each with whether something other than the model wrote it first. */
function script_values_tokensIn(script, shape) {
    const tokens = new Map();
    const everywhere = new RegExp(shape.source, `${shape.flags}g`);
    for (const place of valuesOf(script)) {
        mapLeaves(place.value, (text) => {
            for (const [token] of text.matchAll(everywhere))
                if (!tokens.has(token))
                    tokens.set(token, isGiven(place));
            return text;
        }, (number) => number);
    }
    return tokens;
}
/** Numbers, each with whether something other than the model wrote it first. */
function numbersIn(script) {
    const numbers = new Map();
    for (const place of valuesOf(script)) {
        mapLeaves(place.value, (text) => text, (number) => {
            if (!numbers.has(number))
                numbers.set(number, isGiven(place));
            return number;
        });
    }
    return numbers;
}
function script_values_replaceTokens(script, shape, by) {
    mapValues(script, (value) => mapLeaves(value, (text) => text.replace(shape, (token) => by.get(token) ?? token), (number) => number));
}

;// CONCATENATED MODULE: ./build/src/compare/another-time.js


const DAY_MS = 86_400_000;
/** Days by which a run is moved, whole weeks: the first after which no time that means something falls into the run. */
const MOVES = [3_640, 5_460, 7_280, 9_100];
const TIME = /(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/;
/** What is this near to a run was written by its clocks, as the comparison sees it. */
const NEAR_MS = 5 * 60_000;
/** Milliseconds and seconds since 1970. */
const another_time_UNITS = [1, 1_000];
/**
 * The run took place at another time, and all that clocks wrote in it with it.
 * @returns false when that would be another run: the model wrote its time, or a date falls into the new one
 */
function moveInTime(script, rules, request) {
    const { clock, hasTrace } = script;
    if (!hasTrace || rules.identities === 'literal')
        return false;
    const isNear = (time, by, slack) => time >= clock.from + by - slack && time <= clock.to + by + slack;
    const isInRun = (time) => isNear(time, 0, NEAR_MS);
    const unitOf = (number) => another_time_UNITS.find((unit) => isInRun(number * unit));
    const asked = JSON.stringify(request ?? null);
    const texts = new Map([...script_values_tokensIn(script, TIME)].filter(([text]) => !asked.includes(text)));
    const numbers = numbersIn(script);
    const written = [
        ...[...texts].filter(([text, isGiven]) => !isGiven && isInRun(parsed(text))),
        ...[...numbers].filter(([number, isGiven]) => !isGiven && unitOf(number) !== undefined),
    ];
    if (written.length > 0)
        return false;
    const times = [
        ...[...texts.keys()].map(parsed),
        ...[...numbers.keys()].flatMap((n) => another_time_UNITS.map((unit) => n * unit)),
    ];
    const days = MOVES.find((each) => !times.some((time) => isNear(time, each * DAY_MS, 2 * NEAR_MS)));
    if (days === undefined)
        return false;
    const by = days * DAY_MS;
    const clocks = [...texts.keys()].filter((text) => isInRun(parsed(text)));
    script_values_replaceTokens(script, new RegExp(TIME, 'g'), new Map(clocks.map((text) => [text, moved(text, by)])));
    mapValues(script, (value) => mapLeaves(value, (text) => text, (number) => number + by / (unitOf(number) ?? Number.POSITIVE_INFINITY)));
    script.clock = { from: clock.from + by, to: clock.to + by };
    return true;
}
function parsed(text) {
    return Date.parse(text.includes('T') ? text : text.replace(' ', 'T'));
}
/** Only the date changes: the rest is as it was written, in whatever precision and zone. */
function moved(text, by) {
    return new Date(Date.parse(text.slice(0, 10)) + by).toISOString().slice(0, 10) + text.slice(10);
}

;// CONCATENATED MODULE: ./build/src/compare/script.js




/** Reads the steps of a recording, numbered as the comparison numbers them. */
function script_scriptOf(recording, rules, request) {
    const trajectory = trajectoryOf(recording);
    const steps = comparableSteps(trajectory, {
        request,
        literal: true,
        orderMatters: orderMattersIn(rules),
    });
    const final = steps.findIndex(({ kind }) => kind === 'final');
    const end = steps.find(({ kind }) => kind === 'end');
    const told = steps.filter(({ kind }) => kind !== 'final' && kind !== 'end');
    return {
        parts: script_partsOf(told, 1),
        final: final === -1 ? undefined : { value: steps[final]?.value ?? null, step: final + 1 },
        end: end?.value,
        hasOutput: recording.output !== undefined,
        hasTrace: recording.observations.length > 0,
        clock: trajectory.clock ?? { from: 0, to: 0 },
        partSteps: told.length,
        ids: 'o',
    };
}
/** All calls, sub-agents' included, in order. */
function callsOf(parts) {
    return parts.flatMap((part) => {
        if (part.kind === 'failure')
            return [];
        const calls = part.kind === 'message' ? part.calls : [part];
        return calls.flatMap((call) => [call, ...callsOf(call.inner)]);
    });
}
/** All messages, sub-agents' included, in order. */
function messagesIn(parts) {
    return parts.flatMap((part) => {
        if (part.kind === 'failure')
            return [];
        if (part.kind === 'call')
            return messagesIn(part.inner);
        return [part, ...part.calls.flatMap(({ inner }) => messagesIn(inner))];
    });
}
/** @param first number of the first step */
function script_partsOf(steps, first) {
    const parts = [];
    let message;
    for (let index = 0; index < steps.length;) {
        const step = steps[index];
        const number = first + index;
        const isAsked = step.generation !== undefined && (step.kind !== 'call' || step.group !== undefined);
        if (!isAsked)
            message = undefined;
        else if (message?.generation !== step.generation || (step.kind !== 'call' && message.part.calls.length > 0)) {
            message = {
                part: { kind: 'message', step: number, texts: [], calls: [] },
                generation: step.generation,
            };
            parts.push(message.part);
        }
        if (step.kind === 'call') {
            const end = outcomeOf(steps, index);
            const call = callAt(steps, index, end, first);
            if (message === undefined)
                parts.push(call);
            else
                message.part.calls.push(call);
            index = (end ?? index) + 1;
            continue;
        }
        if (message === undefined)
            parts.push({ kind: 'failure', step: number, value: step.value ?? null });
        else if (step.kind === 'text')
            message.part.texts.push(step.value ?? null);
        else
            message.part.error = step.value ?? null;
        index++;
    }
    return parts;
}
function callAt(steps, index, end, first) {
    const { name = '', value, callId, group, generation } = steps[index];
    const outcome = end === undefined ? undefined : steps[end];
    return {
        kind: 'call',
        step: first + index,
        name,
        args: value,
        callId,
        inner: end === undefined ? [] : script_partsOf(steps.slice(index + 1, end), first + index + 1),
        outcome: outcome && {
            kind: outcome.kind === 'error' ? 'error' : 'result',
            value: outcome.value,
            step: first + end,
        },
        ...(generation === undefined && group !== undefined ? { group } : {}),
    };
}
/** Where the outcome of a call stands, behind what a sub-agent did; undefined when it has none. */
function outcomeOf(steps, index) {
    const call = steps[index];
    const isOfCall = (step) => step.name === call.name &&
        step.callId === call.callId &&
        step.group === call.group &&
        step.observationId === call.observationId;
    for (let at = index + 1; at < steps.length; at++) {
        const step = steps[at];
        if (!isOfCall(step))
            continue;
        return isOutcome(step) ? at : undefined;
    }
    return undefined;
}
/** The recording of a turn that went as the script says: one generation a message, its tools behind it. */
function script_render(script) {
    const { final, hasOutput, hasTrace } = script;
    const output = hasOutput && final !== undefined ? { output: final.value } : {};
    return { ...output, observations: hasTrace ? new Rendering(script).observations() : [] };
}
/** Ends that the walk over observations finds by itself. */
const FOUND_ENDS = new Set(['no output', 'tool calls not executed']);
class Rendering {
    #script;
    #observations = [];
    #groups = new Map();
    #time;
    constructor(script) {
        this.#script = script;
        this.#time = script.clock.from;
    }
    observations() {
        const { parts, clock } = this.#script;
        const root = this.#add({ type: 'span', name: 'turn', parentId: null });
        this.#tell(parts, root.id);
        this.#close(root.id);
        root.endTime = script_iso(Math.max(clock.to, this.#time));
        for (const group of this.#groups.values()) {
            const last = group.at(-1);
            for (const each of group)
                each.endTime = last.endTime;
        }
        return this.#observations;
    }
    #tell(parts, parentId) {
        for (const part of parts) {
            if (part.kind === 'call')
                this.#tool(part, parentId);
            else if (part.kind === 'failure')
                this.#add({ type: 'span', name: 'failed', parentId, ...failed(part.value) });
            else
                this.#message(part, parentId);
        }
    }
    #message({ texts, calls, error }, parentId) {
        const asked = calls.map(({ callId, name, args }) => ({
            type: 'function',
            ...(callId === undefined ? {} : { id: callId }),
            function: { name, ...(args === undefined ? {} : { arguments: args }) },
        }));
        const said = asked.length === 0 ? texts : [...texts, { role: 'assistant', tool_calls: asked }];
        // An error that is no text was the output itself, texts and all.
        const failure = error === undefined ? {} : failed(error);
        this.#add({ type: 'generation', name: 'model', parentId, output: said, ...failure });
        for (const call of calls)
            if (call.outcome !== undefined)
                this.#tool(call, parentId);
    }
    #tool({ name, args, callId, inner, outcome, group }, parentId) {
        const tool = this.#add({
            type: 'tool',
            name,
            parentId,
            ...(callId === undefined ? {} : { callId }),
            ...(args === undefined ? {} : { input: args }),
            ...(outcome?.kind === 'error' ? failed(outcome.value ?? null) : {}),
            ...(outcome?.kind === 'result' && outcome.value !== undefined ? { output: outcome.value } : {}),
        });
        this.#tell(inner, tool.id);
        tool.endTime = script_iso(this.#time);
        if (group !== undefined)
            this.#groups.set(group, [...(this.#groups.get(group) ?? []), tool]);
    }
    /** The last generation gives the answer, so that no call before it is left for the turn's end. */
    #close(parentId) {
        const { parts, final, hasOutput, end } = this.#script;
        const isCutShort = typeof end === 'string' && !FOUND_ENDS.has(end);
        const isAnswer = final !== undefined && !hasOutput;
        // Without generations, tools that overlap are seen as parallel: then there must be none.
        if (messagesIn(parts).length === 0 && !isCutShort && !isAnswer)
            return;
        if (end === 'tool calls not executed')
            return;
        const texts = final === undefined ? [] : [hasOutput ? 'the answer' : final.value];
        const reason = isCutShort ? [{ role: 'assistant', finish_reason: end }] : [];
        this.#add({ type: 'generation', name: 'model', parentId, output: [...texts, ...reason] });
    }
    /** Every observation starts a millisecond after the one before, so that none has to be ordered by its content. */
    #add(observation) {
        const added = {
            id: `${this.#script.ids}${this.#observations.length}`,
            startTime: script_iso(this.#time),
            endTime: script_iso(this.#time + 1),
            ...observation,
        };
        this.#time++;
        this.#observations.push(added);
        return added;
    }
}
function failed(value) {
    return typeof value === 'string' ? { level: 'ERROR', statusMessage: value } : { level: 'ERROR', output: value };
}
function script_iso(time) {
    return new Date(time).toISOString();
}

;// CONCATENATED MODULE: ./build/src/compare/harmless.js






const harmless_HARMLESS = [
    { name: 'nothing changed', apply: () => true },
    { name: 'new ids', apply: renewIds },
    {
        name: 'keys in another order',
        apply: (script) => mapValues(script, (value) => reversedKeys(value)),
    },
    { name: 'other whitespace', apply: respace },
    { name: 'other Unicode form', apply: decompose },
    { name: 'another time', apply: moveInTime },
    { name: 'parallel calls in another order', apply: reverseParallel },
];
/** Values as indented JSON text, prose in another layout. An error is a text and nothing else. */
function respace(script, { strictness }) {
    return mapValues(script, (value, kind) => {
        if (kind === 'error')
            return value;
        if (isContainer(value))
            return JSON.stringify(value, null, 2);
        return typeof value === 'string' && kind === 'prose' && strictness !== 'exact' ? spaced(value) : value;
    });
}
/** NFD, as some file systems and keyboards write; to `exact` it is another text. */
function decompose(script, { strictness }) {
    const decomposed = (value) => mapLeaves(value, (text) => text.normalize('NFD'), (number) => number);
    return mapValues(script, (value, kind) => (kind === 'prose' && strictness === 'exact' ? value : decomposed(value)));
}
/** Ids that tools generated, and those of calls and observations, are others, consistently. */
function renewIds(script, rules, request) {
    script.ids = 'renewed';
    const calls = callsOf(script.parts);
    const asked = JSON.stringify(request ?? null);
    const callIds = new Set(calls.flatMap(({ callId }) => (callId !== undefined && CALL_ID.test(callId) ? callId : [])));
    const renewed = new Map([...callIds].filter((id) => !asked.includes(id)).map((id) => [id, renewedId(id)]));
    for (const call of calls)
        call.callId = call.callId && (renewed.get(call.callId) ?? call.callId);
    if (rules.identities === 'literal')
        return true;
    for (const [id, isGiven] of script_values_tokensIn(script, UUID)) {
        if (isGiven && !asked.includes(id))
            renewed.set(id, rotatedCharacters(id));
    }
    script_values_replaceTokens(script, new RegExp(`${UUID.source}|${CALL_ID_ANYWHERE.source}`, 'gi'), renewed);
    return true;
}
/** As model providers write them; others may be counters, which mean something by their order. */
const CALL_ID = /^(?:call|toolu)[_-][A-Za-z0-9]{8,}$/;
const CALL_ID_ANYWHERE = /(?<![\w-])(?:call|toolu)[_-][A-Za-z0-9]{8,}(?![\w-])/;
const UUID = /(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/i;
function renewedId(id) {
    const start = id.search(/[_-]/) + 1;
    return id.slice(0, start) + rotatedCharacters(id.slice(start));
}
/** Another text of the same shape: digits stay digits and hexadecimal letters stay so. No two texts become one. */
function rotatedCharacters(text) {
    return text.replace(/[0-9a-f]/gi, (character) => {
        const cycle = /\d/.test(character) ? '0123456789' : /[a-f]/.test(character) ? 'abcdef' : 'ABCDEF';
        return cycle[(cycle.indexOf(character) + 1) % cycle.length];
    });
}
/** Parallel calls have no order, unless the user says so. */
function reverseParallel({ parts }, rules) {
    const orderMatters = run_steps_orderMattersIn(rules);
    const isFree = ({ name }) => !orderMatters(name);
    let isChanged = false;
    for (const message of messagesIn(parts)) {
        if (message.calls.length < 2 || !message.calls.every(isFree))
            continue;
        message.calls.reverse();
        isChanged = true;
    }
    for (const list of [parts, ...callsOf(parts).map(({ inner }) => inner)])
        isChanged = reverseGroups(list, isFree) || isChanged;
    return isChanged;
}
function reverseGroups(list, isFree) {
    let isChanged = false;
    for (let start = 0, end = 0; start < list.length; start = end) {
        const first = list[start];
        end = start + 1;
        if (first.kind !== 'call' || first.group === undefined)
            continue;
        const isOfGroup = (part) => part?.kind === 'call' && part.group === first.group;
        while (isOfGroup(list[end]))
            end++;
        const group = list.slice(start, end);
        if (group.length < 2 || !group.every(isFree))
            continue;
        list.splice(start, group.length, ...group.reverse());
        isChanged = true;
    }
    return isChanged;
}
function reversedKeys(value) {
    if (Array.isArray(value)) {
        const items = value.map(reversedKeys);
        return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!json_isJsonObject(value))
        return value;
    const entries = Object.entries(value);
    if (entries.length === 0)
        return value;
    return Object.fromEntries(entries.reverse().map(([key, item]) => [key, reversedKeys(item)]));
}
/** The same text in another layout; inside of code every blank means something. */
function spaced(text) {
    const wide = text.includes('`') ? text : text.replaceAll(' ', '  ').replaceAll('\n', '\r\n');
    return `\n ${wide} \n`;
}

;// CONCATENATED MODULE: ./build/src/compare/mutations.js




const NEW_NAME = 'planted_by_self_test';
const mutations_MUTATIONS = [
    onCalls('another tool', ['call'], (call, { siblings }) => {
        // Sorts right behind the name that it stands for, so that a parallel group keeps its order.
        call.name = `${call.name}!`;
        const steps = stepsOf(call, siblings);
        // Among parallel calls of one tool, the one that was swapped has no place of its own: it is missed.
        return siblings.length > 1
            ? { kinds: ['call-name', 'call-missing', 'call-retry'], steps }
            : { kinds: ['call-name'], steps };
    }),
    onArguments('argument changed', undefined, (args, place, isSeen, tolerance) => changedLeaf(args, place, isSeen, (value, pointer) => otherScalar(value, tolerance(pointer)))),
    onArguments('argument of another type', 'type', (args, place, isSeen) => changedLeaf(args, place, isSeen, (value, pointer) => (pointer === '' ? undefined : otherType(value)))),
    onArguments('argument added', 'added', (args, _, isSeen) => {
        if (!json_isJsonObject(args))
            return undefined;
        const value = { ...args, [NEW_NAME]: true };
        return isSeen(value) ? { value, pointer: pointerPart(NEW_NAME) } : undefined;
    }),
    onArguments('argument removed', 'removed', (args, place, isSeen) => {
        if (!json_isJsonObject(args))
            return undefined;
        const key = rotated(Object.keys(args), place).find((each) => isSeen(mutations_without(args, each)));
        return key === undefined ? undefined : { value: mutations_without(args, key), pointer: pointerPart(key) };
    }),
    onCalls('call left out', ['call'], (call, { list, equal }) => {
        list.splice(list.indexOf(call), 1);
        // Which of several equal calls is missing cannot be told, and one that repeats another counts as a retry.
        return { kinds: ['call-missing', 'call-retry'], steps: stepsOf(call, equal) };
    }),
    { name: 'call put in', needs: ['call'], plant: plantCall },
    { name: 'calls in another order', needs: ['call'], plant: plantOrder },
    onCalls('result changed', ['call', 'result'], (call, { siblings, equal, rules }, place) => {
        const { outcome, name } = call;
        // Which of equal parallel calls came to which result cannot be told.
        const isOneOfEqual = siblings.some((each) => each !== call && equal.includes(each));
        if (outcome?.kind !== 'result' || isOneOfEqual)
            return undefined;
        const step = { kind: 'result', name, value: outcome.value };
        const changed = changedLeaf(outcome.value, place, (value) => isSeenBy(rules, step, value), (value, pointer) => otherScalar(value, rules.tolerance(step, pointer)));
        if (changed === undefined)
            return undefined;
        outcome.value = changed.value;
        const steps = [outcome, ...siblings.flatMap((each) => each.outcome ?? [])].map((each) => each.step);
        return { kinds: ['result'], steps, pointer: changed.pointer };
    }),
    { name: 'number in the answer changed', needs: ['final'], plant: plantNumber },
];
function plantCall(script, place) {
    const { parts, partSteps, hasTrace } = script;
    if (!hasTrace || place > parts.length)
        return 'past';
    const [before, behind] = [parts[place - 1], parts[place]];
    const group = behind?.kind === 'call' ? behind.group : undefined;
    if (before?.kind === 'call' && before.group !== undefined && before.group === group)
        return undefined;
    const step = behind?.step ?? partSteps + 1;
    const call = {
        kind: 'call',
        step,
        name: NEW_NAME,
        args: {},
        callId: undefined,
        inner: [],
        outcome: { kind: 'result', value: 'planted', step: step + 1 },
    };
    // Where no generation asks for calls, one that does would take the others their order in time.
    const isAsked = messagesIn(parts).length > 0 || parts.length === 0;
    parts.splice(place, 0, isAsked ? { kind: 'message', step, texts: [], calls: [call] } : call);
    return { kinds: ['call-extra'], steps: [step], side: 'replayed' };
}
function plantOrder({ parts }, place) {
    const [first, second] = [parts[place], parts[place + 1]];
    if (first === undefined || second === undefined)
        return 'past';
    const [a, b] = [onlyCall(first), onlyCall(second)];
    if (a === undefined || b === undefined || isUsedBy(a, b) || isUsedBy(b, a))
        return undefined;
    const isSame = a.name === b.name && canonical(a.args) === canonical(b.args);
    if (isSame)
        return undefined;
    parts.splice(place, 2, second, first);
    return { kinds: ['call-order'], steps: [a.step, b.step] };
}
function plantNumber(script, place, rules) {
    const { final } = script;
    if (final === undefined || place > 0)
        return 'past';
    const { value: recorded, step: at } = final;
    const step = { kind: 'final', value: recorded };
    const changed = changedLeaf(recorded, 0, (value) => isSeenBy(rules, step, value), (value, pointer) => typeof value === 'string' ? otherNumber(value) : otherScalar(value, rules.tolerance(step, pointer), 'number'));
    if (changed === undefined)
        return undefined;
    final.value = changed.value;
    if (!isContainer(recorded))
        return { kinds: ['final-text'], steps: [at] };
    return { kinds: ['final-structure'], steps: [at], pointer: changed.pointer };
}
/** A mutation with one place for each call. */
function onCalls(name, needs, plant) {
    return {
        name,
        needs,
        plant({ parts }, place, rules) {
            const calls = callsOf(parts);
            const call = calls[place];
            if (call === undefined)
                return 'past';
            const asked = messagesIn(parts).find((message) => message.calls.includes(call));
            const list = asked?.calls ?? listWith(parts, call) ?? [];
            const isParallel = (each) => each === call ||
                (each.kind === 'call' && (asked !== undefined || (each.group !== undefined && each.group === call.group)));
            const siblings = list.filter(isParallel).filter((each) => each.name === call.name);
            const equal = calls.filter((each) => each.name === call.name && canonical(each.args) === canonical(call.args));
            return plant(call, { list, siblings, equal, rules }, place);
        },
    };
}
/** A mutation of a call's arguments. */
function onArguments(name, change, mutate) {
    return onCalls(name, ['call'], (call, { siblings, rules }, place) => {
        const step = { kind: 'call', name: call.name, value: call.args };
        const changed = mutate(call.args, place, (args) => isSeenBy(rules, step, args), (pointer) => rules.tolerance(step, pointer));
        if (changed === undefined)
            return undefined;
        call.args = changed.value;
        const told = { kinds: ['argument'], steps: stepsOf(call, siblings), pointer: changed.pointer };
        return change === undefined ? told : { ...told, change };
    });
}
function stepsOf(call, others) {
    return [call, ...others].map(({ step }) => step);
}
/** The list of parts that a call stands in, which no model asked for. */
function listWith(parts, call) {
    if (parts.includes(call))
        return parts;
    for (const { inner } of callsOf(parts))
        if (inner.includes(call))
            return inner;
    return undefined;
}
/** A user who has ignored a place does not expect to be told of it. */
function isSeenBy({ strip }, step, value) {
    return canonical(strip({ ...step, value }).value) !== canonical(strip(step).value);
}
/** With more to say than this, two messages that change places are not worth to be aligned by their calls. */
const MAX_TEXTS = 2;
/** The call of a part that is nothing but one call; parallel ones have no order. */
function onlyCall(part) {
    if (part.kind === 'failure')
        return undefined;
    if (part.kind === 'call')
        return part.group === undefined && part.inner.length === 0 ? part : undefined;
    const [call, ...others] = part.calls;
    const isPlain = others.length === 0 && part.texts.length <= MAX_TEXTS && part.error === undefined;
    return isPlain && call?.inner.length === 0 ? call : undefined;
}
/** Whether a call holds something that another one answered: in another order it would be another call. */
function isUsedBy(call, other) {
    const args = canonical(other.args);
    return [...leavesOf(call.outcome?.value ?? null)].some((leaf) => args.includes(leaf));
}
/** Leaves that are tried, so that a huge value costs no more than a large one. */
const MAX_LEAVES = 100;
/** The value with one of its scalars changed: the first, from a place on, that can be changed and is looked at. */
function changedLeaf(value, place, isSeen, change) {
    if (value === undefined)
        return undefined;
    for (const keys of rotated(scalarsIn(value), place)) {
        const pointer = keys.map(pointerPart).join('');
        const leaf = keys.reduce((at, key) => at[key], value);
        const other = change(leaf, pointer);
        if (other === undefined)
            continue;
        const changed = replacedAt(value, keys, other);
        if (isSeen(changed))
            return { value: changed, pointer };
    }
    return undefined;
}
function scalarsIn(value) {
    const found = [];
    const visit = (at, keys) => {
        if (found.length >= MAX_LEAVES)
            return;
        if (!isContainer(at))
            found.push(keys);
        else
            for (const [key, item] of Object.entries(at))
                visit(item, [...keys, key]);
    };
    visit(value, []);
    return found;
}
function replacedAt(value, [key, ...rest], by) {
    if (key === undefined)
        return by;
    if (Array.isArray(value)) {
        return value.map((item, index) => (String(index) === key ? replacedAt(item, rest, by) : item));
    }
    // `fromEntries` makes own keys of all names, `__proto__` included.
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === key ? replacedAt(item, rest, by) : item]));
}
function mutations_without(object, key) {
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
/** Another value of the same type. A number goes below zero, where no clock is, by more than is tolerated. */
function otherScalar(value, tolerance, only) {
    if (typeof value === 'number')
        return value >= 0 ? -value - 1 - tolerance : value - 1 - tolerance;
    if (only !== undefined)
        return undefined;
    if (typeof value === 'string')
        return `${value}~changed`;
    return typeof value === 'boolean' ? !value : undefined;
}
/** Seconds since 1970, which may be renamed and are then a text already. */
const MAY_BE_TIME = 1e9;
function otherType(value) {
    if (isRawNumber(value))
        return undefined;
    if (typeof value === 'boolean' || (typeof value === 'number' && value < MAY_BE_TIME))
        return String(value);
    return value === null ? '' : [value];
}
/** The text with its first digit another one, and no zero put before others. */
function otherNumber(text) {
    const digit = /\d/.exec(text)?.[0];
    return digit === undefined ? undefined : text.replace(digit, digit === '9' ? '8' : String(Number(digit) + 1));
}
function rotated(items, by) {
    const start = items.length === 0 ? 0 : by % items.length;
    return [...items.slice(start), ...items.slice(0, start)];
}

;// CONCATENATED MODULE: ./build/src/compare/self-test.js





/** Places at which one mutation is planted in one recording; more tell no more. */
const MAX_PLACES = 20;
/**
 * Tries the comparison on a recording: changes that matter must be told at their step with their kind, whatever their
 * severity, and harmless ones must change nothing. Nothing is started or sent. What the rules ignore is left alone.
 * @param options.compare the comparison that is tried
 */
function self_test_selfTest(recording, rules, { request, compare = compareTurn } = {}) {
    const script = () => scriptOf(recording, rules, request);
    const compared = (copy, with_) => compare([recording], [{ run: 1, recording: copy }], with_, { request });
    const trials = [];
    for (const { name, apply } of HARMLESS) {
        const copy = script();
        if (!apply(copy, rules, request))
            continue;
        const comparison = compared(render(copy), rules);
        const diverges = comparison.verdict !== 'reproduced';
        const instead = diverges ? said(comparison) : null;
        trials.push({ mutation: name, harmless: true, step: null, noticed: diverges, diverges, instead });
    }
    // At this strictness alone every difference is listed, also what does not count under the user's.
    const strict = { ...rules, strictness: 'exact' };
    const paths = pathRules(rules);
    for (const { name, needs, plant } of MUTATIONS) {
        if (!needs.every((kind) => rules.include?.includes(kind) ?? true))
            continue;
        for (let place = 0, planted = 0; planted < MAX_PLACES; place++) {
            const copy = script();
            const change = plant(copy, place, paths);
            if (change === 'past')
                break;
            if (change === undefined)
                continue;
            planted++;
            const rendered = render(copy);
            const comparison = compared(rendered, strict);
            const noticed = comparison.clusters.some(({ differences }) => differences.some((each) => isOf(change, each)));
            trials.push({
                mutation: name,
                harmless: false,
                step: change.steps[0] ?? null,
                pointer: change.pointer,
                noticed,
                diverges: compared(rendered, rules).verdict !== 'reproduced',
                instead: noticed ? null : said(comparison),
            });
        }
    }
    return trials;
}
function isOf({ kinds, steps, side, pointer, change }, difference) {
    const step = side === 'replayed' ? difference.replayedStep : difference.recordedStep;
    return (kinds.includes(difference.kind) &&
        step !== null &&
        steps.includes(step) &&
        (pointer === undefined || difference.pointer === pointer) &&
        (change === undefined || difference.change === change));
}
const MAX_SAID = 3;
function said({ clusters }) {
    const differences = clusters.flatMap((each) => each.differences);
    if (differences.length === 0)
        return 'no difference';
    const shown = differences.slice(0, MAX_SAID).map(({ kind, recordedStep, replayedStep, pointer, tool }) => {
        const place = recordedStep === null ? `replayed step ${replayedStep}` : `step ${recordedStep}`;
        return [kind, pointer, ...(tool === undefined ? [] : ['of', tool]), 'at', place].filter(Boolean).join(' ');
    });
    return shown.join(', ') + (differences.length > MAX_SAID ? `, and ${differences.length - MAX_SAID} more` : '');
}

;// CONCATENATED MODULE: ./build/src/compare/index.js










// EXTERNAL MODULE: external "node:fs/promises"
var external_node_fs_promises_ = __webpack_require__(1455);
;// CONCATENATED MODULE: ./build/src/config/ignore-file.js





/** Beside the configuration: rules that were learned, one a line, as under `compare.ignore`. */
const NAME = 'agent-replay.ignore';
/** @throws AgentReplayError `CONFIG_INVALID` with the line of a mistake */
async function readIgnoreFile(folder) {
    const file = external_node_path_.join(folder, NAME);
    const text = await (0,external_node_fs_promises_.readFile)(file, 'utf8').catch((error) => {
        if (error.code === 'ENOENT')
            return '';
        throw new errors_AgentReplayError('CONFIG_INVALID', `${NAME} could not be read (${error.code}).`, { location: { file } });
    });
    const rules = text.split(/\r?\n/).flatMap((line, index) => {
        const rule = line.trim();
        if (rule === '' || rule.startsWith('#'))
            return [];
        const { error } = rulePath.safeParse(rule);
        if (error === undefined)
            return [rule];
        throw new errors_AgentReplayError('CONFIG_INVALID', `${NAME} has a line that is no rule.`, {
            evidence: error.issues.map(({ message }) => message),
            location: { file, line: index + 1 },
            hint: 'Correct the line, or begin it with # to make it a comment.',
        });
    });
    return { file, rules };
}
const HEAD = (/* unused pure expression or super */ null && (`# Places that agent-replay does not compare, learned with run --write-ignore: what stands there looks generated.
# One rule a line, as under compare.ignore. Take out what should count.
`));
/**
 * Adds rules that the file does not have yet; it is there entirely or as it was.
 * @returns the rules that were added
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
async function addToIgnoreFile({ file, rules }, learned) {
    const added = learned.filter(({ path: rule }) => !rules.includes(rule));
    if (added.length === 0)
        return added;
    const temporary = `${file}.${randomUUID()}.tmp`;
    try {
        const present = await readFile(file, 'utf8').catch(() => HEAD);
        const lines = added.map(({ path: rule, evidence }) => `\n# ${evidence}\n${rule}\n`);
        await writeFile(temporary, `${present.replace(/\n*$/, '\n')}${lines.join('')}`, { flag: 'wx' });
        await rename(temporary, file);
        return added;
    }
    catch (cause) {
        throw new AgentReplayError('OUTPUT_NOT_WRITABLE', `${NAME} could not be written.`, { location: { file }, cause });
    }
    finally {
        await rm(temporary, { force: true });
    }
}

// EXTERNAL MODULE: external "node:url"
var external_node_url_ = __webpack_require__(3136);
;// CONCATENATED MODULE: ./build/src/session/schema.js


/** Version of the pin format. A file with a higher one is never read and never rewritten. */
const schema_PIN_VERSION = 1;
/** Version of the rules that turn observations into steps; said in a pin so that a reader knows what it was made with. */
const schema_STEPS_VERSION = 1;
/** One request to the agent and what it did then. */
const pinnedTurn = schemas/* strictObject */.rej({
    request: turnRequest.optional().meta({
        description: 'What is sent again. Absent when the recording holds no user or LLM request: the turn is then not replayable.',
    }),
    recorded: recording.meta({ description: 'What the agent did when it was recorded.' }),
    baselines: schemas/* array */.YOg(recording).optional().meta({
        description: 'Further recordings of the same turn. A replay that behaves as any of them behaves as recorded.',
    }),
    metadata: jsonObject
        .optional()
        .meta({ description: 'Where the recording came from (`run_id`, ...). Never compared.' }),
});
/** A recorded conversation, as stored in `<name>.session.json`. */
const session = schemas/* strictObject */.rej({
    $schema: schemas/* string */.YjP().optional(),
    version: schemas/* literal */.euz(schema_PIN_VERSION).meta({ description: 'Version of the pin format.' }),
    stepsVersion: schemas/* int */.Whr().positive().default(schema_STEPS_VERSION).meta({
        description: 'Version of the rules that turn observations into steps.',
    }),
    id: schemas/* string */.YjP().min(1).max(500).meta({ description: "The recorded conversation's id on the tracing platform." }),
    agentId: schemas/* string */.YjP().min(1).optional().meta({
        description: 'The agent that a replay runs against. When absent, the only one that is configured.',
    }),
    title: schemas/* string */.YjP().optional().meta({ description: 'What the session is about, for people.' }),
    recordedAt: iso/* datetime */.w$({ offset: true })
        .optional()
        .meta({ description: 'When the first turn was recorded, ISO 8601.' }),
    redacted: schemas/* strictObject */.rej({ personal: schemas/* boolean */.zMY(), request: schemas/* boolean */.zMY() }).optional().meta({
        description: 'What was redacted when this was pinned; replays are redacted alike before they are compared.',
    }),
    turns: schemas/* array */.YOg(pinnedTurn).min(1),
    notes: json.optional().meta({ description: "Free for the user's own notes; kept, never compared." }),
});
function replayable({ request }) {
    if (request === undefined)
        return { ok: false, reason: 'the recording holds no user or LLM request' };
    if (request.messages === undefined && request.input?.trim() === '') {
        return { ok: false, reason: 'the recorded user message is empty' };
    }
    return { ok: true };
}

;// CONCATENATED MODULE: ./build/src/session/derive.js


/** Makes one session of all traces of a conversation, with the request of each turn. */
function sessionsFromTraces(traces, options = {}) {
    const skipped = [];
    const seen = new Set();
    const conversations = new Map();
    for (const trace of traces) {
        const { sessionId, agentId, replayRunId, isReplay } = readTraceMetadata(trace.metadata, options);
        const skip = (reason) => skipped.push({ traceId: trace.id, reason });
        if (replayRunId !== undefined || isReplay)
            skip('it is a replay, not an original');
        else if (options.agentId !== undefined && agentId !== undefined && agentId !== options.agentId) {
            skip(`it is of the agent "${agentId}"`);
        }
        else if (seen.has(trace.id))
            skip('its id came before');
        else {
            seen.add(trace.id);
            // A trace outside of any conversation is one of its own.
            const id = trace.sessionId ?? sessionId ?? trace.id;
            const turns = conversations.get(id);
            if (turns === undefined)
                conversations.set(id, [trace]);
            else
                turns.push(trace);
        }
    }
    const sessions = [...conversations].map(([id, turns]) => sessionFrom(id, turns.sort(byTime), options));
    return { sessions, skipped };
}
function sessionFrom(id, traces, options) {
    const turns = traces.map((trace) => turnFrom(trace, options));
    const agentId = traces.map(({ metadata }) => readTraceMetadata(metadata, options).agentId).find((name) => name);
    const title = turns.map(({ request }) => request && titleOf(request)).find((text) => text);
    return {
        version: PIN_VERSION,
        stepsVersion: STEPS_VERSION,
        id,
        ...defined({ agentId: agentId ?? options.agentId, title, recordedAt: traces[0]?.timestamp }),
        turns,
    };
}
function turnFrom(trace, options) {
    const recorded = derive_recordingOf(trace);
    const runId = readTraceMetadata(trace.metadata, options).runId;
    const metadata = defined({ run_id: runId, release: trace.release, version: trace.version });
    return {
        ...defined({ request: requestOf(trace, recorded.observations, options) }),
        recorded,
        ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    };
}
/** The part of a trace that is compared and pinned: observations in tree order, without what never counts. */
function derive_recordingOf(trace) {
    const observations = inTreeOrder(trace.observations);
    const output = trace.output ?? observations[0]?.output;
    return { traceId: trace.id, ...defined({ output }), observations: observations.map(compared) };
}
/** Usage, cost and metadata differ from run to run and say nothing of behaviour. */
function compared({ usage: _, cost: __, metadata: ___, level, ...rest }) {
    return defined({ ...rest, level: level === 'DEFAULT' ? undefined : level });
}
/** Parents before their children, siblings by start and id; what hangs in a loop or on nothing follows as a root. */
function inTreeOrder(observations) {
    const known = new Set(observations.map(({ id }) => id));
    const children = Map.groupBy([...observations].sort(byStart), ({ id, parentId }) => parentId !== null && parentId !== id && known.has(parentId) ? parentId : null);
    const ordered = new Set();
    const pending = [...(children.get(null) ?? [])].reverse();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        ordered.add(next);
        pending.push(...(children.get(next.id) ?? []).filter((child) => !ordered.has(child)).reverse());
    }
    return [...ordered, ...[...observations].sort(byStart).filter((one) => !ordered.has(one))];
}
function requestOf(trace, observations, options) {
    const generations = observations.filter(({ type }) => type === 'generation').sort(byStart);
    const index = generations.findIndex(({ input }) => derive_messagesIn(input) !== undefined);
    const generation = generations[index];
    const recorded = derive_messagesIn(generation?.input) ?? [];
    // A later generation's messages hold what this turn had already done: that is not part of the request.
    const asked = index > 0 ? recorded.slice(0, recorded.findLastIndex(isUser) + 1) : recorded;
    const sent = options.system === 'keep' ? asked : asked.filter((message) => !isSystem(message));
    const messages = options.context === 'sequence' ? sent.slice(sent.findLastIndex(isAssistant) + 1) : sent;
    if (messages.some((message) => !isSystem(message))) {
        const model = generation?.model ?? modelIn(generation?.input);
        return { messages: [...messages], ...defined({ model }), includesPriorContext: messages.some(isAssistant) };
    }
    const input = userText(trace.input) ?? userText(observations[0]?.input);
    return input === undefined ? undefined : { input };
}
/** Chat messages as platforms record a generation's input: `{messages, ...}` or the bare array. */
function derive_messagesIn(input) {
    const messages = isJsonObject(input) ? input.messages : input;
    return Array.isArray(messages) && messages.length > 0 && messages.every(derive_isMessage) ? messages : undefined;
}
function modelIn(input) {
    return isJsonObject(input) && typeof input.model === 'string' ? input.model : undefined;
}
function derive_isMessage(value) {
    return isJsonObject(value) && typeof value.role === 'string';
}
const isUser = (message) => message.role === 'user' || message.role === 'human';
const isAssistant = (message) => ['assistant', 'model', 'ai'].includes(String(message.role));
const isSystem = (message) => message.role === 'system' || message.role === 'developer';
/** Where applications put the user's message, most specific first. */
const USER_KEYS = (/* unused pure expression or super */ null && ([
    'input',
    'message',
    'question',
    'prompt',
    'query',
    'text',
    'content',
    'userMessage',
    'user_message',
    'userInput',
    'user_input',
    'messages',
    'args',
    'body',
]));
/** What wraps the message in a recorded input (a function's arguments, a request's body) is rarely deeper than this. */
const MAX_WRAPPING = 4;
function userText(value, depth = 0) {
    if (typeof value === 'string')
        return value.trim() === '' ? undefined : value;
    if (depth > MAX_WRAPPING)
        return undefined;
    if (Array.isArray(value)) {
        if (value.length > 0 && value.every(derive_isMessage))
            return userText(contentOf(value.findLast(isUser)), depth + 1);
        const texts = value.map((part) => (isTextPart(part) ? part : undefined)).filter((part) => part !== undefined);
        if (texts.length > 0)
            return texts.map((part) => part.text ?? part.content).join('\n');
        return value.length === 1 ? userText(value[0], depth + 1) : undefined;
    }
    if (!isJsonObject(value))
        return undefined;
    for (const key of USER_KEYS) {
        const text = Object.hasOwn(value, key) ? userText(value[key], depth + 1) : undefined;
        if (text !== undefined)
            return text;
    }
    return undefined;
}
function contentOf(message) {
    return message?.content ?? message?.parts;
}
function isTextPart(value) {
    return isJsonObject(value) && value.type === 'text' && typeof (value.text ?? value.content) === 'string';
}
const MAX_TITLE_CHARS = 80;
function titleOf(request) {
    const text = request.input ?? userText(contentOf(request.messages?.find(isUser)));
    const line = text?.replace(/\s+/g, ' ').trim();
    return line && line.length > MAX_TITLE_CHARS ? `${[...line].slice(0, MAX_TITLE_CHARS - 1).join('')}…` : line;
}
function byTime(a, b) {
    return Date.parse(a.timestamp) - Date.parse(b.timestamp) || byText(a.id, b.id);
}
function byStart(a, b) {
    return Date.parse(a.startTime) - Date.parse(b.startTime) || byText(a.id, b.id);
}
function byText(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}
/** Absent keys instead of undefined ones: only the former can be written to JSON and read back as the same. */
function defined(object) {
    return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

;// CONCATENATED MODULE: ./build/src/session/format.js

/** A value stands on one line if it fits into this many columns: what belongs together is then read, and changes, together. */
const LINE_WIDTH = 120;
const INDENT = 2;
/** Controls and marks that make a text look other than it is in a review: bidirectional overrides, line separators, C1. */
const MISLEADING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/**
 * Prints JSON for people who read it as a diff. The result depends on the value and its key order only,
 * so that printing what was parsed from it changes nothing.
 */
function format_formatJson(value) {
    return `${print(value, 0, 0)}\n`;
}
/** @param used columns of the line that are taken by the indentation, the key and the comma */
function print(value, depth, used) {
    const line = oneLine(value, LINE_WIDTH - used);
    if (line !== undefined)
        return line;
    const inner = ' '.repeat((depth + 1) * INDENT);
    const outer = ' '.repeat(depth * INDENT);
    if (Array.isArray(value)) {
        const items = value.map((item) => inner + print(item, depth + 1, inner.length + 1));
        return `[\n${items.join(',\n')}\n${outer}]`;
    }
    if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
        const entries = entriesOf(value).map(([key, item]) => {
            const start = `${inner}${printString(key)}: `;
            return start + print(item, depth + 1, start.length + 1);
        });
        return `{\n${entries.join(',\n')}\n${outer}}`;
    }
    return printScalar(value);
}
/** The value on one line, or undefined when it takes more than `width` columns. Gives up early: never more work than that. */
function oneLine(value, width) {
    if (width < 0)
        return undefined;
    if (typeof value === 'string') {
        return value.length > width ? undefined : within(printString(value), width);
    }
    if (Array.isArray(value)) {
        return enclose('[', ']', value, width, (item, rest) => oneLine(item, rest));
    }
    if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
        return enclose('{ ', ' }', entriesOf(value), width, ([key, item], rest) => {
            const start = key.length > rest ? undefined : `${printString(key)}: `;
            const end = start === undefined ? undefined : oneLine(item, rest - start.length);
            return end === undefined ? undefined : `${start}${end}`;
        });
    }
    return within(printScalar(value), width);
}
function enclose(open, close, items, width, printItem) {
    if (items.length === 0)
        return within((open + close).replaceAll(' ', ''), width);
    let line = open;
    for (const [index, item] of items.entries()) {
        if (index > 0)
            line += ', ';
        const next = printItem(item, width - line.length - close.length);
        if (next === undefined)
            return undefined;
        line += next;
    }
    return within(line + close, width);
}
function within(text, width) {
    return text.length <= width ? text : undefined;
}
function entriesOf(value) {
    return Object.entries(value).filter(([, item]) => item !== undefined);
}
function printScalar(value) {
    return typeof value === 'string' ? printString(value) : JSON.stringify(value);
}
function printString(text) {
    return JSON.stringify(text).replace(MISLEADING, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

;// CONCATENATED MODULE: ./build/src/session/pattern.js

/** A name with more wildcards makes a backtracking matcher take minutes on a hostile file name. */
const MAX_WILDCARDS_PER_NAME = 3;
const MAX_PATTERN_CHARS = 1_000;
/** Braces multiply: these two keep a pattern below about a thousand expansions. */
const MAX_BRACES = 3;
const MAX_ALTERNATIVES = 30;
function isGlob(pattern) {
    return /[*?[{]/.test(pattern);
}
/**
 * Refuses patterns that can explode or hang.
 * @throws AgentReplayError `USAGE`
 */
function checkPattern(pattern) {
    const refuse = (why) => {
        throw new errors_AgentReplayError('USAGE', `the pattern "${pattern.slice(0, 200)}" ${why}`, {
            hint: 'Use a plain pattern such as replays/**/*.session.json, or several.',
        });
    };
    if (pattern.length > MAX_PATTERN_CHARS)
        refuse(`is longer than ${MAX_PATTERN_CHARS} characters`);
    if (/[?*+@!]\(/.test(pattern))
        refuse('uses an extended group such as +(a|b)');
    if (/\{[^}]*\.\./.test(pattern))
        refuse('uses a range such as {1..9}');
    const braces = pattern.match(/\{/g)?.length ?? 0;
    const alternatives = pattern.match(/,/g)?.length ?? 0;
    if (braces > MAX_BRACES || (braces > 0 && alternatives > MAX_ALTERNATIVES)) {
        refuse(`has more than ${MAX_BRACES} groups or ${MAX_ALTERNATIVES} alternatives in braces`);
    }
    const names = pattern.split('/').filter((name) => name !== '**');
    if (names.some((name) => (name.match(/\*+/g)?.length ?? 0) > MAX_WILDCARDS_PER_NAME)) {
        refuse(`has more than ${MAX_WILDCARDS_PER_NAME} wildcards in one name`);
    }
    if (pattern.split('/').filter((name) => name === '**').length > MAX_WILDCARDS_PER_NAME) {
        refuse(`has more than ${MAX_WILDCARDS_PER_NAME} times **`);
    }
}

;// CONCATENATED MODULE: ./build/src/session/place.js


/** True for a path at or below a folder; both real and absolute. */
function place_isInside(file, folder) {
    const relative = external_node_path_.relative(folder, file);
    return relative !== '..' && !relative.startsWith(`..${external_node_path_.sep}`) && !external_node_path_.isAbsolute(relative);
}
/** The path with forward slashes, as files and reports hold it on every system. */
function place_toPosix(file) {
    return external_node_path_.sep === '/' ? file : file.replaceAll(external_node_path_.sep, '/');
}
/** The refusal of a path that leaves the project folder. */
function place_outside(file, root) {
    return new errors_AgentReplayError('PIN_OUTSIDE_ROOT', `${file} lies outside of the project`, {
        evidence: [`root: ${root}`],
        location: { file },
        hint: 'Pinned sessions are read from, and written to, the project folder only.',
    });
}

;// CONCATENATED MODULE: ./build/src/session/find.js





/** Where pins are never looked for. */
const NOT_SEARCHED = ['node_modules', '.git'];
/** How many files are named to somebody whose pattern matched none. */
const SUGGESTIONS = 5;
/**
 * The files that some names and patterns mean, in order, relative to the root and with forward slashes.
 * What is wrong with one pattern keeps no other from being followed.
 */
async function findFiles(patterns, root, limits) {
    const found = new Set();
    const problems = [];
    for (const pattern of patterns) {
        try {
            const relative = relativePattern(pattern, root);
            // A name may look like a pattern: what is there under exactly that name is meant.
            if (await (0,external_node_fs_promises_.lstat)(external_node_path_.join(root, relative)).catch(() => undefined))
                found.add(place_toPosix(relative));
            else if (isGlob(relative))
                await search(relative, root, limits, found);
            else
                problems.push(missing(relative));
        }
        catch (error) {
            if (!(error instanceof errors_AgentReplayError))
                throw error;
            problems.push(error);
        }
    }
    if (found.size <= limits.files)
        return { files: [...found].sort(find_byCodeUnit), problems };
    const tooMany = new errors_AgentReplayError('TOO_MANY_SESSIONS', `more than ${limits.files} files match`, {
        evidence: patterns.slice(0, SUGGESTIONS).map((pattern) => `pattern: ${pattern}`),
        hint: 'Narrow the pattern, and run the parts one after another.',
    });
    return { files: [], problems: [...problems, tooMany] };
}
/** Pins that lie anywhere in the project, for somebody whose pattern matched none. */
async function findSomePins(root, limits) {
    const found = new Set();
    await search('**/*.session.json', root, { ...limits, files: SUGGESTIONS }, found).catch(() => undefined);
    return [...found].sort(find_byCodeUnit).slice(0, SUGGESTIONS);
}
/** Stops at one file too many. Folders that are symbolic links are not followed, so there are no loops. */
async function search(pattern, root, limits, found) {
    checkPattern(pattern);
    let visited = 0;
    let stopped = false;
    const exclude = (name) => {
        stopped ||= ++visited > limits.visited;
        return stopped || NOT_SEARCHED.includes(external_node_path_.basename(name));
    };
    for await (const file of (0,external_node_fs_promises_.glob)(pattern, { cwd: root, exclude })) {
        found.add(place_toPosix(file));
        if (found.size > limits.files)
            return;
    }
    if (stopped) {
        throw new errors_AgentReplayError('TOO_MANY_SESSIONS', `"${pattern}" looks at more than ${limits.visited} files`, {
            hint: 'Begin the pattern with the folder that the pins are in.',
        });
    }
}
/** @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `USAGE` */
function relativePattern(pattern, root) {
    if (pattern.trim() === '' || pattern.includes('\0')) {
        throw new errors_AgentReplayError('USAGE', 'a pattern for pinned sessions is empty or holds a NUL', {
            hint: 'Give files or patterns such as replays/**/*.session.json.',
        });
    }
    const relative = external_node_path_.isAbsolute(pattern) ? external_node_path_.relative(root, pattern) : pattern;
    if (external_node_path_.win32.isAbsolute(relative) || relative.split(/[\\/]/).includes('..'))
        throw place_outside(pattern, root);
    return external_node_path_.normalize(relative);
}
function missing(file) {
    return new errors_AgentReplayError('NO_SESSIONS', `there is no file ${file}`, {
        location: { file },
        hint: 'Check the name; patterns such as replays/**/*.session.json work too.',
    });
}
function find_byCodeUnit(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

// EXTERNAL MODULE: ./node_modules/jsonc-parser/lib/umd/main.js
var main = __webpack_require__(9547);
;// CONCATENATED MODULE: ./build/src/session/parse.js




/** A file is not told more mistakes than this: the first ones usually cause the rest. */
const MAX_PROBLEMS_PER_FILE = 10;
/** A syntax tree takes some 50 times its text. In longer files a mistake is located by its pointer alone. */
const MAX_LOCATABLE_CHARS = 8 * 1024 ** 2;
/** Reads the text of a pin. Each mistake becomes a problem with its place in `file`; nothing is thrown. */
function parse_parsePin(source, file) {
    const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
    const locate = (pointer) => positionOf(text, parse_pathOf(pointer));
    const problem = (code, message, location, hint) => ({
        problems: [
            new errors_AgentReplayError(code, `${file} ${message}`, {
                location: { file, ...location },
                ...(hint === undefined ? {} : { hint }),
            }),
        ],
    });
    if (text.trim() === '') {
        return problem('PIN_EMPTY', 'is empty', { line: 1, column: 1, pointer: '' }, 'Pin the session again, or delete the file.');
    }
    let value;
    try {
        value = json_parseJson(text);
    }
    catch (error) {
        if (!(error instanceof json_JsonError))
            throw error;
        const { offset, reason } = syntaxMistake(text, error);
        return problem('PIN_INVALID', `is not valid JSON: ${reason}`, positionAt(text, offset));
    }
    if (json_isJsonObject(value) && typeof value.version === 'number' && value.version > schema_PIN_VERSION) {
        return problem('PIN_NEWER_VERSION', `was made by a newer version of agent-replay (format ${value.version}, this one reads ${schema_PIN_VERSION})`, { ...locate('/version'), pointer: '/version' }, 'Update agent-replay. The file has not been touched.');
    }
    const twice = duplicateKey(text, value);
    if (twice !== undefined) {
        return problem('PIN_INVALID', `has the key ${twice.pointer} twice`, twice, 'Keep one of the two.');
    }
    const parsed = session.safeParse(value);
    if (parsed.success)
        return { session: parsed.data, locate };
    return { problems: problemsOf(parsed.error.issues, text, file) };
}
function problemsOf(issues, text, file) {
    const tree = treeOf(text);
    const problems = issues.slice(0, MAX_PROBLEMS_PER_FILE).map((issue) => {
        const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
        const mistyped = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
        const at = mistyped === undefined ? path : [...path, mistyped];
        const pointer = at.map(pointerPart).join('');
        const node = tree && nearestNode(tree, at);
        return new errors_AgentReplayError(pointer === '/turns' && issue.code === 'too_small' ? 'PIN_EMPTY' : 'PIN_INVALID', `${file} is not a valid pin: ${pointer === '' ? '' : `${pointer}: `}${issue.message}`, { location: { file, ...(node && positionAt(text, node.offset)), pointer } });
    });
    if (issues.length > MAX_PROBLEMS_PER_FILE) {
        const more = `${file} has ${issues.length - MAX_PROBLEMS_PER_FILE} more mistakes`;
        problems.push(new errors_AgentReplayError('PIN_INVALID', more, { location: { file } }));
    }
    return problems;
}
/** `JSON.parse` says what is wrong but not always where, so the place comes from a parser that does. */
function syntaxMistake(text, error) {
    if (error.message.startsWith('nested'))
        return { offset: error.offset ?? 0, reason: error.message };
    const errors = [];
    if (text.length <= MAX_LOCATABLE_CHARS)
        (0,main.parseTree)(text, errors, STRICT);
    const first = errors[0];
    if (first === undefined)
        return { offset: error.offset ?? text.length, reason: 'syntax error' };
    const words = (0,main.printParseErrorCode)(first.error)
        .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase();
    return {
        offset: first.offset,
        reason: first.offset >= text.trimEnd().length ? `${words}, the text is cut off` : words,
    };
}
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
function treeOf(text) {
    return text.length > MAX_LOCATABLE_CHARS ? undefined : (0,main.parseTree)(text, [], STRICT);
}
function positionOf(text, path) {
    const tree = treeOf(text);
    const node = tree && nodeAt(tree, path);
    return node && positionAt(text, node.offset);
}
/** The node at a path; of what is missing, its nearest parent. */
function nearestNode(tree, path) {
    for (let length = path.length; length > 0; length--) {
        const node = nodeAt(tree, path.slice(0, length));
        if (node !== undefined)
            return node;
    }
    return tree;
}
/** A property is located at its key, as a reader would point at it. */
function nodeAt(tree, path) {
    let node = tree;
    for (const part of path) {
        node = node && (0,main.findNodeAtLocation)(node, [node.type === 'array' ? Number(part) : String(part)]);
    }
    return node?.parent?.type === 'property' ? node.parent : node;
}
function parse_pathOf(pointer) {
    return pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
function positionAt(text, offset) {
    let line = 1;
    let lineStart = 0;
    for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
        line++;
        lineStart = end + 1;
    }
    return { line, column: offset - lineStart + 1 };
}
/** Of two equal keys `JSON.parse` silently keeps the last. The tree is only built when the counts tell that there are any. */
function duplicateKey(text, value) {
    if (countKeysInText(text) === countKeys(value))
        return undefined;
    const tree = treeOf(text);
    const found = tree && findDuplicate(tree, '');
    return found === undefined ? { pointer: '' } : { ...positionAt(text, found.offset), pointer: found.pointer };
}
function findDuplicate(node, pointer) {
    const seen = new Set();
    for (const [index, child] of (node.children ?? []).entries()) {
        const isProperty = child.type === 'property';
        const key = isProperty ? String(child.children?.[0]?.value) : index;
        const here = pointer + pointerPart(key);
        if (isProperty && seen.has(String(key)))
            return { offset: child.offset, pointer: here };
        seen.add(String(key));
        const value = isProperty ? child.children?.[1] : child;
        const deeper = value && findDuplicate(value, here);
        if (deeper !== undefined)
            return deeper;
    }
    return undefined;
}
/** Outside of strings a colon stands after a key and nowhere else. */
function countKeysInText(text) {
    let keys = 0;
    let inString = false;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === 0x22)
            inString = !inString;
        else if (code === 0x5c)
            i++;
        else if (code === 0x3a && !inString)
            keys++;
    }
    return keys;
}
function countKeys(value) {
    if (typeof value !== 'object' || value === null || isRawNumber(value))
        return 0;
    const children = Object.values(value);
    return children.reduce((sum, child) => sum + countKeys(child), Array.isArray(value) ? 0 : children.length);
}

;// CONCATENATED MODULE: ./build/src/session/load.js
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});








/** Far above any real project, and low enough that a mistaken pattern ends in seconds and in bounded memory. */
const DEFAULT_LIMITS = { fileBytes: 64 * 1024 ** 2, files: 10_000, visited: 1_000_000 };
/**
 * Reads pinned sessions. What is wrong with one of them is a problem in the result and keeps no other from being read.
 * Pins come in the order of their paths.
 */
async function load_loadPins(patterns, options) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const root = await (0,external_node_fs_promises_.realpath)(options.root);
    // The root may have been named through a link, and the files in it too.
    const wanted = [patterns].flat().map((name) => (external_node_path_.isAbsolute(name) ? relativeTo(options.root, name) : name));
    const { files, problems } = await findFiles(wanted, root, limits);
    const pins = new Map();
    for (const file of files) {
        const loaded = await loadPin(file, root, limits);
        if ('problems' in loaded)
            problems.push(...loaded.problems);
        else {
            const first = pins.get(loaded.session.id);
            if (first === undefined)
                pins.set(loaded.session.id, loaded);
            else
                problems.push(duplicate(loaded, first));
        }
    }
    const kept = [...pins.values()].filter((pin) => load_matches(pin, options.grep));
    if (kept.length === 0 && problems.length === 0 && !options.allowEmpty) {
        problems.push(await nothingMatched(wanted, root, limits, pins, options.grep));
    }
    return { pins: kept, problems };
}
function relativeTo(folder, file) {
    return place_isInside(file, external_node_path_.resolve(folder)) ? external_node_path_.relative(folder, file) : file;
}
async function loadPin(file, root, limits) {
    try {
        const parsed = parse_parsePin(await readPin(file, root, limits.fileBytes), file);
        if ('problems' in parsed)
            return parsed;
        return { session: parsed.session, path: file, turns: parsed.session.turns.map(replayable), locate: parsed.locate };
    }
    catch (error) {
        if (error instanceof errors_AgentReplayError)
            return { problems: [error] };
        throw error;
    }
}
/** @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `PIN_NOT_A_FILE`, `PIN_TOO_LARGE`, `PIN_INVALID` */
async function readPin(file, root, maxBytes) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const location = { file };
        const real = await (0,external_node_fs_promises_.realpath)(external_node_path_.join(root, file)).catch((cause) => {
            const why = cause.code === 'ELOOP' ? 'a loop of symbolic links' : 'a symbolic link that leads nowhere';
            throw new errors_AgentReplayError('PIN_NOT_A_FILE', `${file} is ${why}`, { location, cause });
        });
        if (!place_isInside(real, root))
            throw place_outside(file, root);
        // Without O_NONBLOCK opening a FIFO would wait for a writer.
        const flags = external_node_fs_.constants.O_RDONLY | (external_node_fs_.constants.O_NONBLOCK ?? 0) | (external_node_fs_.constants.O_NOFOLLOW ?? 0);
        const handle = __addDisposableResource(env_1, await (0,external_node_fs_promises_.open)(real, flags).catch((cause) => {
            throw new errors_AgentReplayError('PIN_NOT_A_FILE', `${file} cannot be read (${cause.code})`, { location, cause });
        }), true);
        const stats = await handle.stat();
        if (!stats.isFile()) {
            throw new errors_AgentReplayError('PIN_NOT_A_FILE', `${file} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`, {
                location,
                hint: stats.isDirectory() ? `Name the files in it: ${file}/**/*.session.json` : 'Take it out of the pattern.',
            });
        }
        if (stats.size > maxBytes) {
            throw new errors_AgentReplayError('PIN_TOO_LARGE', `${file} is larger than ${maxBytes / 1024 ** 2} MiB`, {
                location,
                hint: 'Pin fewer turns in one file.',
            });
        }
        // Into a buffer of that size, so that a file which grows meanwhile stays within the limit.
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
        try {
            return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, bytesRead));
        }
        catch (cause) {
            throw new errors_AgentReplayError('PIN_INVALID', `${file} is not UTF-8 text`, { location, cause });
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
function load_matches({ session, path }, grep) {
    if (grep === undefined)
        return true;
    const text = grep.toLowerCase();
    return [session.id, session.title ?? '', path].some((candidate) => candidate.toLowerCase().includes(text));
}
async function nothingMatched(patterns, root, limits, pins, grep) {
    if (pins.size > 0) {
        return new errors_AgentReplayError('NO_SESSIONS', `none of ${pins.size} pinned sessions contains "${grep}"`, {
            evidence: [...pins.values()].slice(0, 5).map(({ session, path }) => `${session.id} (${path})`),
            hint: '--grep looks for a text in id, title and path.',
        });
    }
    const elsewhere = await findSomePins(root, limits);
    return new errors_AgentReplayError('NO_SESSIONS', `no pinned session matches ${patterns.map((p) => `"${p}"`).join(', ')}`, {
        evidence: [`root: ${root}`, ...elsewhere.map((file) => `there is: ${file}`)],
        hint: elsewhere.length > 0 ? 'Correct the pattern.' : 'Pin recorded sessions first: agent-replay pin',
    });
}
function duplicate(pin, first) {
    return new errors_AgentReplayError('PIN_DUPLICATE', `${pin.path} pins session "${pin.session.id}" again`, {
        evidence: [`first in ${first.path}`],
        location: { file: pin.path, ...pin.locate('/id'), pointer: '/id' },
        hint: 'Delete one of the two files.',
    });
}

;// CONCATENATED MODULE: ./build/src/session/sensitive.js

/** What stands in the place of a secret: all look the same, since nothing of one may be told. */
const SECRET = '<secret>';
const SECRET_NAMES = 'pass(?:word|wd|phrase)|api[_-]?key|(?:client|app)[_-]?secret|secret(?:[_-]?(?:access[_-]?)?key)?|private[_-]?key|(?:access|refresh|id|auth)[_-]?token|authorization';
/** Under a key of such a name stands a secret, whatever it looks like. */
const SECRET_NAME = new RegExp(`^(?:${SECRET_NAMES})$`, 'i');
// Every pattern takes a whole run of the characters it is made of, and cannot start inside of one (lookbehind).
// So each character is looked at a bounded number of times, and what is left over can never match on a second pass.
/** The same in JSON that is held by a string, such as the arguments of a tool call. */
const NAMED_SECRET = new RegExp(`(["'](?:${SECRET_NAMES})\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'])([^"'\\\\<>]+)`, 'gi');
/** Keys that are known by their beginning. */
const KEY = new RegExp([
    'gh[pousr]_[A-Za-z0-9]{20,}',
    'github_pat_\\w{20,}',
    'glpat-[\\w-]{20,}',
    'xox[a-z]-[\\w-]{10,}',
    'xapp-[\\w-]{10,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    'AIza[\\w-]{35,}',
    'ya29\\.[\\w-]{20,}',
    'npm_[A-Za-z0-9]{36,}',
    'hf_[A-Za-z0-9]{30,}',
    '[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}',
    'whsec_[A-Za-z0-9+/=]{16,}',
    'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
]
    .map((shape) => `(?<![A-Za-z0-9])${shape}`)
    .concat('(?<![\\w-])eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}(?:\\.[\\w-]*)?', '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,9999}')
    .join('|'), 'g');
/** Beginnings that ordinary words have too: only with a digit is it a key. */
const LIKELY_KEY = /(?<![A-Za-z0-9])[sp]k-[\w-]{16,}|(?<=\bbearer\s)[\w.~+/=-]{16,}/gi;
/** The user information of a URL. */
const URL_CREDENTIALS = /(?<=:\/\/)[^\s/@:<>]{1,128}:[^\s/@<>]{1,256}(?=@)/g;
const EMAIL_RUN = /[\p{L}\p{N}_.+@-]{5,}/gu;
const EMAIL = /[^@]@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u;
const CARD_RUN = /(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![\w-])/g;
/** Visa, Mastercard, American Express, Discover, JCB: other digits that happen to pass the check are ids. */
const ISSUED = /^(?:4|5[1-5]|2[2-7]|3[47]|6011|65|35)/;
/** International, or grouped as in North America; bare digits are ids, amounts and times. */
const PHONE = /\+\d(?:[ .()-]{0,2}\d){7,14}(?!\w)|(?:\(\d{3}\) ?|(?<![\w.+-])\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g;
/** Replaces what is sensitive in a text, in linear time; doing it twice is doing it once. */
function redactText(text, kinds, onFound) {
    const found = (kind, replacement) => {
        onFound(kind);
        return replacement;
    };
    const pseudonym = (kind, value) => found(kind, `<${kind}:${fingerprint(value)}>`);
    const redact = {
        secret: (text) => text
            .replace(NAMED_SECRET, (_, before) => `${before}${found('secret', SECRET)}`)
            .replace(KEY, () => found('secret', SECRET))
            .replace(LIKELY_KEY, (run) => (/\d/.test(run) ? found('secret', SECRET) : run))
            .replace(URL_CREDENTIALS, () => found('secret', SECRET)),
        email: (text) => {
            if (!text.includes('@'))
                return text;
            return text.replace(EMAIL_RUN, (run) => {
                const address = run.replace(/[.+-]+$/, '');
                return EMAIL.test(address) ? pseudonym('email', address.toLowerCase()) + run.slice(address.length) : run;
            });
        },
        card: (text) => text.replace(CARD_RUN, (run) => (isCard(digitsOf(run)) ? pseudonym('card', digitsOf(run)) : run)),
        phone: (text) => text.replace(PHONE, (run) => pseudonym('phone', digitsOf(run))),
    };
    return kinds.reduce((result, kind) => redact[kind](result), text);
}
const FINGERPRINT_CHARS = 4;
/**
 * So short that many values share it and none can be found from it, long enough that two values in one conversation
 * rarely do: another e-mail address is still another one to the comparison.
 */
function fingerprint(value) {
    return (0,external_node_crypto_.createHash)('sha256').update(value).digest('hex').slice(0, FINGERPRINT_CHARS);
}
function digitsOf(text) {
    return text.replace(/\D/g, '');
}
/** Luhn's check, for numbers of the known issuers. */
function isCard(digits) {
    if (!ISSUED.test(digits) || digits.length > 19)
        return false;
    const sum = [...digits].reverse().reduce((total, digit, index) => {
        const doubled = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
        return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
    return sum % 10 === 0;
}

;// CONCATENATED MODULE: ./build/src/session/redact.js


/**
 * Makes the function that replaces secrets and personal data in a value. It is pure, idempotent and linear,
 * gives equal tokens for equal texts, so that what was equal before stays equal, and returns the very same value
 * when there is nothing to replace. Both sides of a comparison must go through it.
 */
function redactor({ personal }, counts = noCounts()) {
    const kinds = personal ? ['secret', 'email', 'card', 'phone'] : ['secret'];
    return (value) => redactValue(value, kinds, counts);
}
/** The same for a recording: ids, names and times of its observations stay as they are. */
function redact_redactRecording(recording, options, counts) {
    const redact = redactor(options, counts);
    const observations = recording.observations.map((observation) => ({
        ...observation,
        ...(observation.input === undefined ? {} : { input: redact(observation.input) }),
        ...(observation.output === undefined ? {} : { output: redact(observation.output) }),
        ...(observation.statusMessage === undefined ? {} : { statusMessage: redact(observation.statusMessage) }),
    }));
    return {
        ...recording,
        ...(recording.output === undefined ? {} : { output: redact(recording.output) }),
        observations,
    };
}
/**
 * Redacts a session before it is pinned.
 * @param options.personal replaces personal data in what was recorded; default true
 * @param options.request replaces them in the requests too, which changes what is sent; default false
 */
function redactSession(session, { personal = true, request = false } = {}) {
    const redacted = noCounts();
    const leftInRequests = noCounts();
    const turns = session.turns.map((turn) => {
        const baselines = turn.baselines?.map((baseline) => redact_redactRecording(baseline, { personal }, redacted));
        const sent = turn.request && redactor({ personal: request }, redacted)(turn.request);
        redactor({ personal: true }, leftInRequests)((sent ?? null));
        return {
            ...turn,
            ...(sent && { request: sent }),
            recorded: redact_redactRecording(turn.recorded, { personal }, redacted),
            ...(baselines && { baselines }),
        };
    });
    const title = session.title === undefined ? {} : { title: redactor({ personal })(session.title) };
    return { session: { ...session, ...title, redacted: { personal, request }, turns }, redacted, leftInRequests };
}
function noCounts() {
    return { secret: 0, email: 0, card: 0, phone: 0 };
}
/** Under these names a model's call and its result find each other. */
const CORRELATING_NAMES = new Set([
    'id',
    'call_id',
    'callId',
    'tool_call_id',
    'toolCallId',
    'tool_use_id',
    'toolUseId',
]);
function redactValue(value, kinds, counts) {
    if (typeof value === 'string')
        return redactText(value, kinds, (kind) => counts[kind]++);
    if (typeof value === 'number' || isRawNumber(value))
        return redactNumber(value, kinds, counts);
    if (Array.isArray(value)) {
        const items = value.map((item) => redactValue(item, kinds, counts));
        return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!json_isJsonObject(value))
        return value;
    let changed = false;
    const entries = Object.entries(value).map(([name, item]) => {
        const entry = [redactValue(name, kinds, counts), redactEntry(name, item, kinds, counts)];
        changed ||= entry[0] !== name || entry[1] !== item;
        return entry;
    });
    // `fromEntries` makes own keys of all names, `__proto__` included.
    return changed ? Object.fromEntries(entries) : value;
}
function redactEntry(name, value, kinds, counts) {
    if (CORRELATING_NAMES.has(name)) {
        // An id may be all digits, as a card or a phone number is: a call and its result must not be parted.
        return redactValue(value, kinds.filter((kind) => kind === 'secret' || kind === 'email'), counts);
    }
    const scalar = typeof value === 'string' || typeof value === 'number' || isRawNumber(value);
    if (!scalar || value === '' || value === SECRET || !SECRET_NAME.test(name)) {
        return redactValue(value, kinds, counts);
    }
    counts.secret++;
    return SECRET;
}
/** A card number may be written as a number; nothing else here can. */
function redactNumber(value, kinds, counts) {
    const text = JSON.stringify(value);
    const redacted = /^\d{13,19}$/.test(text) ? redactValue(text, kinds, counts) : text;
    return redacted === text ? value : redacted;
}

;// CONCATENATED MODULE: ./build/src/session/save.js
var save_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var save_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});







const EXTENSION = '.session.json';
/**
 * Writes a pinned session: the file is there entirely or not at all, whoever else writes at the same time.
 * @returns its path relative to the root, with forward slashes
 * @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `PIN_EXISTS`, `PIN_NOT_A_FILE`, `PIN_NEWER_VERSION`, `PIN_INVALID`,
 *   `INPUT_INVALID` (the name), `OUTPUT_NOT_WRITABLE`
 */
async function savePin(session, options) {
    const name = options.name === undefined ? fileNameFor(session.id) : checkedName(options.name);
    const root = await realpath(options.root);
    try {
        const dir = await makeFolder(path.resolve(root, options.dir), root);
        const file = path.join(dir, name);
        const relative = toPosix(path.relative(root, file));
        await checkTarget(file, relative, options.overwrite);
        const $schema = session.$schema ?? (await schemaReference(dir, root));
        await writeAtomically(file, textOf({ ...session, $schema }, relative), options.overwrite).catch((error) => {
            throw error.code === 'EEXIST' ? exists(relative) : error;
        });
        return relative;
    }
    catch (error) {
        throw writeError(error, toPosix(path.join(options.dir, name)));
    }
}
/**
 * Known keys stand in the order of the schema; what is free (inputs, outputs, arguments) as it was recorded.
 * A pin that could not be read again is not written.
 */
function textOf(session, file) {
    const read = parsePin(formatJson(session), file);
    if ('problems' in read)
        throw read.problems[0];
    return formatJson(read.session);
}
/** @returns the real path of the folder */
async function makeFolder(dir, root) {
    if (!isInside(dir, root) || !isInside(await nearestRealFolder(dir), root))
        throw outside(dir, root);
    await mkdir(dir, { recursive: true });
    const real = await realpath(dir);
    if (!isInside(real, root))
        throw outside(dir, root);
    return real;
}
async function nearestRealFolder(dir) {
    try {
        return await realpath(dir);
    }
    catch (error) {
        if (error.code !== 'ENOENT' || path.dirname(dir) === dir)
            throw error;
        return nearestRealFolder(path.dirname(dir));
    }
}
async function checkTarget(file, relative, overwrite) {
    const stats = await lstat(file).catch(() => undefined);
    if (stats === undefined)
        return;
    const location = { file: relative };
    if (!stats.isFile()) {
        throw new AgentReplayError('PIN_NOT_A_FILE', `${relative} is there and is not a regular file`, { location });
    }
    if (!overwrite)
        throw exists(relative);
    const present = parsePin(await readFile(file, 'utf8'), relative);
    const newer = 'problems' in present && present.problems.find(({ code }) => code === 'PIN_NEWER_VERSION');
    if (newer)
        throw newer;
}
async function writeAtomically(file, text, overwrite) {
    const temporary = path.join(path.dirname(file), `.agent-replay-${randomUUID()}.tmp`);
    try {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const handle = save_addDisposableResource(env_1, await open(temporary, 'wx'), true);
            await handle.writeFile(text);
            await handle.datasync();
            if (overwrite)
                await rename(temporary, file);
            else
                await link(temporary, file);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = save_disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    finally {
        await rm(temporary, { force: true });
    }
}
/** The schema as an editor finds it from the pin: of the installed package, or of this one when it lies in the project. */
async function schemaReference(dir, root) {
    const schema = path.join('schema', 'session.schema.json');
    const candidates = [
        ...foldersUpTo(dir, root).map((folder) => path.join(folder, 'node_modules', 'agent-replay', schema)),
        ...foldersUpTo(import.meta.dirname, root).map((folder) => path.join(folder, schema)),
    ];
    for (const candidate of candidates) {
        if (await lstat(candidate).catch(() => undefined))
            return toPosix(path.relative(dir, candidate));
    }
    return undefined;
}
function foldersUpTo(folder, root) {
    if (!isInside(folder, root))
        return [];
    return folder === root ? [root] : [folder, ...foldersUpTo(path.dirname(folder), root)];
}
/** Names that Windows keeps for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Leaves room below the 255 bytes of common file systems, also for letters of four bytes. */
const MAX_NAME_CHARS = 50;
const HASH_CHARS = 8;
/** A file name for a session id: the same for the same id, and another one for another id, however odd they are. */
function fileNameFor(id) {
    const readable = id
        .normalize('NFC')
        .replace(/[^\p{L}\p{N}._-]+/gu, '-')
        .replace(/^[.-]+|[.-]+$/g, '');
    const cut = [...readable].slice(0, MAX_NAME_CHARS).join('');
    if (cut === id && cut !== '' && !RESERVED.test(cut))
        return `${cut}${EXTENSION}`;
    const hash = (0,external_node_crypto_.createHash)('sha256').update(id, 'utf16le').digest('hex').slice(0, HASH_CHARS);
    return `${cut === '' || RESERVED.test(cut) ? 'session' : cut}-${hash}${EXTENSION}`;
}
function checkedName(name) {
    const file = name.endsWith('.json') ? name : `${name}${EXTENSION}`;
    const plain = !/[\\/:\0-\x1f]/.test(file) && !file.startsWith('.') && !RESERVED.test(file);
    if (plain && Buffer.byteLength(file) <= 255)
        return file;
    throw new AgentReplayError('INPUT_INVALID', `"${name.slice(0, 100)}" cannot be the name of a pin`, {
        hint: 'Use letters, digits, - and _; the folder is a separate setting.',
    });
}
function writeError(error, file) {
    const code = error.code;
    if (error instanceof AgentReplayError || code === undefined)
        return error;
    return new AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} could not be written (${code})`, {
        cause: error,
        location: { file },
        hint: 'Check that the disk has room and that the folder can be written to.',
    });
}
function exists(file) {
    return new AgentReplayError('PIN_EXISTS', `${file} is already there`, {
        location: { file },
        hint: 'Use --update to replace it.',
    });
}

;// CONCATENATED MODULE: ./build/src/session/index.js







;// CONCATENATED MODULE: ./build/src/replay/behaviour.js



/** What a replay did, as it is compared and pinned; undefined when there is nothing to compare. */
function behaviourOf(outcome) {
    if (outcome.kind === 'inconclusive')
        return undefined;
    const { trace, response } = outcome;
    if (trace !== null)
        return derive_recordingOf(trace);
    return response?.output === undefined ? { observations: [] } : { output: response.output, observations: [] };
}
/**
 * The same for recordings that are the same but for the ids and the times that tracing gave them. Places stand for the
 * former and ranks for the latter: what came before what, and what overlapped, counts.
 */
function behaviourDigest({ output, observations }) {
    const places = new Map(observations.map(({ id }, place) => [id, place]));
    const times = observations.flatMap(({ startTime, endTime }) => [startTime, endTime ?? startTime]).map(Date.parse);
    const ranks = new Map([...new Set(times)].sort((a, b) => a - b).map((time, rank) => [time, rank]));
    const rank = (time) => (time === null ? null : (ranks.get(Date.parse(time)) ?? null));
    const plain = observations.map(({ id, parentId, startTime, endTime, ...rest }) => ({
        ...rest,
        parent: parentId === null ? null : (places.get(parentId) ?? 'unseen'),
        start: rank(startTime),
        end: rank(endTime),
    }));
    return (0,external_node_crypto_.hash)('sha256', behaviour_canonical({ output, observations: plain }), 'hex');
}
/** JSON with sorted keys, so that equal values have equal text. */
function behaviour_canonical(value) {
    if (Array.isArray(value))
        return `[${value.map(behaviour_canonical).join(',')}]`;
    if (!json_isJsonObject(value) || isRawNumber(value))
        return JSON.stringify(value) ?? 'null';
    const entries = Object.keys(value)
        .sort()
        .flatMap((key) => (value[key] === undefined ? [] : `${JSON.stringify(key)}:${behaviour_canonical(value[key])}`));
    return `{${entries.join(',')}}`;
}

;// CONCATENATED MODULE: ./build/src/replay/journal.js







/** Version of the journal's format. A file with a higher one is not read. */
const JOURNAL_VERSION = 1;
/** First line: what the results belong to. */
const header = schemas/* object */.Ikc({
    type: schemas/* literal */.euz('journal'),
    version: schemas/* literal */.euz(JOURNAL_VERSION),
    /** Version of agent-replay. */
    tool: schemas/* string */.YjP(),
    startedAt: iso/* datetime */.w$(),
    /** The settings under which results are compared; journals with others cannot be pooled. */
    rules: jsonObject,
    /** What was to be replayed: `runs` times each of these. */
    runs: schemas/* int */.Whr().positive(),
    sessions: schemas/* array */.YOg(schemas/* object */.Ikc({ id: schemas/* string */.YjP(), turns: schemas/* array */.YOg(schemas/* int */.Whr().positive()) })),
});
/** Comes before the first result that refers to it. */
const behaviour = schemas/* object */.Ikc({ type: schemas/* literal */.euz('behaviour'), digest: schemas/* string */.YjP(), recording: recording });
const resultLine = schemas/* object */.Ikc({
    type: schemas/* literal */.euz('result'),
    session: schemas/* string */.YjP(),
    turn: schemas/* int */.Whr().positive(),
    run: schemas/* int */.Whr().positive(),
    outcome: schemas/* enum */.k5n(['replayed', 'inconclusive']),
    replayRunId: schemas/* string */.YjP(),
    attempts: schemas/* int */.Whr().positive(),
    callMs: schemas/* number */.aig().optional(),
    traceMs: schemas/* number */.aig().optional(),
    /** Of this run's own trace; the recording's is that of the first run that behaved so. */
    traceId: schemas/* string */.YjP().optional(),
    response: schemas/* object */.Ikc({ status: schemas/* int */.Whr(), digest: schemas/* string */.YjP() }).optional(),
    behaviour: schemas/* string */.YjP().optional(),
    error: schemas/* object */.Ikc({ code: schemas/* string */.YjP(), message: schemas/* string */.YjP(), evidence: schemas/* array */.YOg(schemas/* string */.YjP()), hint: schemas/* string */.YjP().optional() })
        .optional(),
});
/** Last line: nothing is missing. */
const end = schemas/* object */.Ikc({ type: schemas/* literal */.euz('end'), results: schemas/* int */.Whr().nonnegative() });
const line = schemas/* discriminatedUnion */.gMt('type', [header, behaviour, resultLine, end]);
/** Lines wait for the disk up to this many characters; then whoever writes waits too. */
const MAX_WAITING_CHARS = 4 * 1024 ** 2;
/** Starts a journal; one that is there is replaced. Never rejects: see {@link JournalOptions.onError}. */
async function openJournal(file, about, options) {
    const { redactRecording = (kept) => kept, redactText = (text) => text } = options;
    const log = await LineFile.open(file, options.onError);
    const known = new Set();
    let results = 0;
    const put = (entry) => log.add(`${redactText(JSON.stringify(entry))}\n`);
    put({ type: 'journal', version: JOURNAL_VERSION, ...about });
    return {
        write: async (result) => {
            const { session, turn, run, outcome, replayRunId, attempts, callMs, traceMs } = result;
            const full = behaviourOf(outcome);
            const kept = full && redactRecording(full, result);
            const digest = kept && behaviourDigest(kept);
            if (kept !== undefined && digest !== undefined && !known.has(digest)) {
                known.add(digest);
                put({ type: 'behaviour', digest, recording: kept });
            }
            put({
                type: 'result',
                session,
                turn,
                run,
                outcome: outcome.kind,
                replayRunId,
                attempts,
                callMs,
                traceMs,
                traceId: kept?.traceId,
                behaviour: digest,
                ...(outcome.kind === 'inconclusive'
                    ? { error: asProblem(outcome.error) }
                    : { response: outcome.response ?? undefined }),
            });
            results++;
            if (log.waitingChars > MAX_WAITING_CHARS)
                await log.flushed();
        },
        end: async () => {
            put({ type: 'end', results });
            await log.close();
        },
        [Symbol.asyncDispose]: () => log.close(),
    };
}
/**
 * Reads a journal back: its header, its results with what they did, and its end, which a journal that was cut has not.
 * A last line that is not whole is left out.
 * @throws AgentReplayError `INPUT_INVALID` with the line
 */
async function* readJournal(file) {
    const behaviours = new Map();
    let number = 0;
    for await (const text of linesOf(file)) {
        number++;
        const entry = readLine(text, { file, line: number });
        if (number === 1 && entry.type !== 'journal')
            throw invalid({ file, line: 1 }, 'it does not begin as a journal');
        if (entry.type === 'behaviour') {
            behaviours.set(entry.digest, entry.recording);
        }
        else if (entry.type === 'result') {
            const { behaviour: digest, ...rest } = entry;
            const known = digest === undefined ? undefined : behaviours.get(digest);
            if (digest !== undefined && known === undefined) {
                throw invalid({ file, line: number }, 'it refers to a behaviour that is not there');
            }
            yield { ...rest, recording: known };
        }
        else {
            yield entry;
        }
    }
}
function readLine(text, place) {
    try {
        const value = parseJson(text);
        const { data, error } = line.safeParse(value);
        if (data !== undefined)
            return data;
        if (isNewer(value))
            throw invalid(place, 'it was written by a newer version of agent-replay');
        throw invalid(place, error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '));
    }
    catch (error) {
        if (error instanceof JsonError)
            throw invalid(place, error.message);
        throw error;
    }
}
function isNewer(value) {
    const { type, version } = Object(value);
    return type === 'journal' && typeof version === 'number' && version > JOURNAL_VERSION;
}
function invalid(location, reason) {
    return new AgentReplayError('INPUT_INVALID', `${path.basename(location.file)} is not a journal that can be read.`, {
        evidence: [reason],
        hint: 'Take the journal as agent-replay wrote it, and the same version of agent-replay or a newer one.',
        location,
    });
}
/** Whole lines only. Not `readline`, which breaks lines at U+2028 as well. */
async function* linesOf(file) {
    const parts = [];
    try {
        for await (const chunk of createReadStream(file, 'utf8')) {
            let from = 0;
            for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
                parts.push(chunk.slice(from, at));
                yield parts.join('');
                parts.length = 0;
                from = at + 1;
            }
            parts.push(chunk.slice(from));
        }
    }
    catch (error) {
        if (error.code === undefined)
            throw error;
        throw invalid({ file, line: 1 }, error.message);
    }
}
function asProblem({ code, message, evidence, hint }) {
    return { code, message, evidence: [...evidence], hint };
}
/** Appends lines in order; those that come while the disk is busy go together. */
class LineFile {
    #file;
    #onError;
    #handle;
    #waiting = [];
    #flushing;
    waitingChars = 0;
    constructor(file, onError) {
        this.#file = file;
        this.#onError = onError;
    }
    static async open(file, onError) {
        const opened = new LineFile(file, onError);
        try {
            await (0,external_node_fs_promises_.mkdir)(external_node_path_.dirname(file), { recursive: true });
            opened.#handle = await (0,external_node_fs_promises_.open)(file, 'w');
        }
        catch (error) {
            opened.#fail(error);
        }
        return opened;
    }
    add(text) {
        if (this.#handle === undefined)
            return;
        this.#waiting.push(text);
        this.waitingChars += text.length;
        this.#flushing ??= this.#flush();
    }
    async flushed() {
        await this.#flushing;
    }
    async close() {
        await this.#flushing;
        const handle = this.#handle;
        this.#handle = undefined;
        await handle?.close().catch((error) => this.#fail(error));
    }
    async #flush() {
        try {
            while (this.#waiting.length > 0) {
                const text = this.#waiting.join('');
                this.#waiting = [];
                this.waitingChars = 0;
                await this.#handle?.appendFile(text);
            }
        }
        catch (error) {
            this.#fail(error);
        }
        this.#flushing = undefined;
    }
    /** A result must not depend on the disk: it is said once, and nothing more is written. */
    #fail(error) {
        const handle = this.#handle;
        this.#handle = undefined;
        this.#waiting = [];
        this.waitingChars = 0;
        handle?.close().catch(() => { });
        const { code = 'unknown error' } = error;
        this.#onError(new errors_AgentReplayError('OUTPUT_NOT_WRITABLE', `The journal ${this.#file} could not be written (${code}).`, {
            location: { file: this.#file },
            hint: 'Check that the disk has room and the folder can be written to, or choose another with --output-dir.',
            cause: error,
        }));
    }
}

// EXTERNAL MODULE: ./node_modules/undici/index.js
var undici = __webpack_require__(6752);
;// CONCATENATED MODULE: ./build/src/replay/call.js


/** A server that does not even take the connection in this time is not there. */
const call_CONNECT_MS = 10_000;
/**
 * Idle connections are left before the agent's server closes them, which would break a call that is just being sent:
 * the shortest usual time there is 2 s (gunicorn; Node and uvicorn 5 s).
 */
const KEEP_ALIVE_MS = 1_000;
/** Connections to one agent. No proxy of the environment stands between: undici's pool reads none. */
class Connections {
    #pool;
    #limits;
    #shown;
    constructor(target, { workers, ...limits }) {
        this.#limits = limits;
        this.#shown = target.shown;
        this.#pool = new undici/* Pool */.bC(target.origin, {
            connections: workers,
            connectTimeout: Math.min(call_CONNECT_MS, limits.timeoutMs),
            keepAliveTimeout: KEEP_ALIVE_MS,
            // Ours is one deadline for the whole call; these are gaps, and would only end a slow agent's call early.
            headersTimeout: 0,
            bodyTimeout: 0,
            // One call, one connection: what happens to one must not end the others.
            allowH2: false,
        });
    }
    /** Sends one request. Never rejects. */
    post(path, { body, headers }) {
        const { promise, resolve } = Promise.withResolvers();
        const call = new Call(resolve, this.#limits, this.#shown);
        try {
            this.#pool.dispatch({ path, method: 'POST', headers, body }, call);
        }
        catch (error) {
            call.onResponseError(null, error);
        }
        return promise;
    }
    /** Ends all calls with `reason`. */
    async destroy(reason) {
        await this.#pool.destroy(reason);
    }
}
/** One request on its way, as undici reports it. */
class Call {
    #resolve;
    #limits;
    #shown;
    // A plain timer: timers of equal length cost next to nothing, an AbortSignal for each call does.
    #timer;
    #controller;
    #startedAt = performance.now();
    #status;
    #headers = {};
    #chunks = [];
    #bytes = 0;
    #isOver = false;
    constructor(resolve, limits, shown) {
        this.#resolve = resolve;
        this.#limits = limits;
        this.#shown = shown;
        this.#timer = setTimeout(() => this.#fail(this.#timedOut()), limits.timeoutMs);
    }
    onRequestStart(controller) {
        // It was given up while it waited for its connection.
        if (this.#isOver)
            controller.abort(new Error('given up'));
        this.#controller = controller;
        this.#startedAt = performance.now();
    }
    onResponseStart(_, status, headers) {
        this.#status = status;
        this.#headers = headers;
        if (Number(headers['content-length']) > this.#limits.maxResponse)
            this.#fail(this.#tooLarge());
    }
    onResponseData(_, chunk) {
        this.#bytes += chunk.length;
        if (this.#bytes > this.#limits.maxResponse)
            this.#fail(this.#tooLarge());
        else if (!this.#isOver)
            this.#chunks.push(chunk);
    }
    onResponseEnd() {
        this.#end(undefined);
    }
    onResponseError(_, error) {
        const failure = error instanceof errors_AgentReplayError
            ? error
            : this.#controller === undefined
                ? unreachable(error, this.#shown)
                : this.#broken(error);
        this.#end(failure);
    }
    #fail(error) {
        this.#end(error);
        this.#controller?.abort(error);
    }
    #end(error) {
        if (this.#isOver)
            return;
        this.#isOver = true;
        clearTimeout(this.#timer);
        this.#resolve({
            status: error === undefined ? this.#status : undefined,
            headers: this.#headers,
            body: this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks),
            error,
            wasSent: this.#controller !== undefined,
            callMs: performance.now() - this.#startedAt,
        });
        this.#chunks = [];
    }
    #timedOut() {
        const { timeoutMs } = this.#limits;
        return new errors_AgentReplayError('CALL_TIMEOUT', `The agent did not answer in full: timeout after ${timeoutMs / 1_000} s.`, {
            evidence: [`target: ${this.#shown}`, `came: ${this.#came()}`],
            hint: 'Look for what the agent waits for; raise timeouts.call if it only needs longer.',
        });
    }
    #broken(error) {
        return new errors_AgentReplayError('CALL_FAILED', 'The connection broke off during the call.', {
            evidence: [`target: ${this.#shown}`, `came: ${this.#came()}`, `reason: ${reasonOf(error)}`],
            hint: 'The agent or something before it closed the connection: look into its log. Set idempotent: true if such calls may be sent again.',
            cause: error,
        });
    }
    #tooLarge() {
        const limit = `${Number((this.#limits.maxResponse / 1024 ** 2).toFixed(2))} MB`;
        return new errors_AgentReplayError('RESPONSE_TOO_LARGE', `The response is larger than ${limit}.`, {
            evidence: [`target: ${this.#shown}`, `status: ${this.#status}`],
            hint: 'Let the agent answer with less, or raise maxResponse.',
        });
    }
    #came() {
        if (this.#controller === undefined)
            return 'no connection';
        return this.#status === undefined ? 'nothing' : `status ${this.#status}, then ${this.#bytes} bytes of the body`;
    }
}
const call_UNTRUSTED_CERTIFICATE = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID)/;
function unreachable(error, shown) {
    const code = codeOf(error);
    if (call_UNTRUSTED_CERTIFICATE.test(code)) {
        return new errors_AgentReplayError('TARGET_UNREACHABLE', 'The TLS certificate of the target is not trusted.', {
            evidence: [`target: ${shown}`, `certificate: ${code}`],
            hint: 'Use an http URL, or make the certificate known with NODE_EXTRA_CA_CERTS=<file.pem> in the environment of agent-replay.',
            cause: error,
        });
    }
    return new errors_AgentReplayError('TARGET_UNREACHABLE', 'No connection to the target could be made.', {
        evidence: [`target: ${shown}`, `reason: ${reasonOf(error)}`],
        hint: code === 'ENOTFOUND'
            ? 'Correct the host name in the target URL.'
            : 'Check that the agent runs and listens where the target URL says.',
        cause: error,
    });
}
/** Errors of a connection that another try cannot mend. */
function isHopeless({ cause }) {
    const code = codeOf(cause);
    return code === 'ENOTFOUND' || call_UNTRUSTED_CERTIFICATE.test(code) || code.startsWith('UND_ERR_INVALID');
}
function reasonOf(error) {
    switch (codeOf(error)) {
        case 'ECONNREFUSED':
            return 'connection refused';
        case 'ECONNRESET':
            return 'connection reset';
        case 'UND_ERR_SOCKET':
            return 'connection closed before the response was whole';
        case 'UND_ERR_CONNECT_TIMEOUT':
            return 'no connection in time';
        default:
            return `${codeOf(error)} ${error.message}`.trim();
    }
}
function codeOf(error) {
    return String(error?.code ?? '');
}

;// CONCATENATED MODULE: ./build/src/replay/attempts.js



const FIRST_DELAY_MS = 200;
/** How long to wait before a call is tried again, in milliseconds; undefined when it is not. `attempt` counts from 1. */
function retryDelay(exchange, attempt, rules) {
    if (attempt > rules.retries || !mayTryAgain(exchange, rules))
        return undefined;
    const wanted = retryAfterMs(exchange) ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
    return wanted > rules.maxDelayMs ? undefined : wanted;
}
/** Waits; false when it was stopped meanwhile. */
async function pause(ms, signal) {
    return (0,promises_.setTimeout)(ms, true, { signal }).catch(() => false);
}
/** How many calls may be made, retries included. */
class CallBudget {
    #max;
    #made = 0;
    constructor(max) {
        this.#max = max ?? Number.POSITIVE_INFINITY;
    }
    take() {
        this.#made++;
    }
    /** Why no other call may be made; undefined while one may. */
    refusal() {
        if (this.#made < this.#max)
            return undefined;
        return new errors_AgentReplayError('CALLS_EXCEEDED', `All ${this.#max} calls that may be made were made before.`, {
            hint: 'Raise maxCalls, or replay fewer sessions or runs; --dry-run says how many calls it takes.',
        });
    }
}
/** Only what the agent cannot have worked on, unless it says that working on it twice does no harm. */
function mayTryAgain({ status, error, wasSent }, { idempotent }) {
    if (error !== undefined) {
        if (!wasSent)
            return error.code === 'TARGET_UNREACHABLE' && !isHopeless(error);
        return idempotent && (error.code === 'CALL_FAILED' || error.code === 'CALL_TIMEOUT');
    }
    return status === 429 || status === 503 || (idempotent && (status === 502 || status === 504));
}
/** Retry-After: seconds, or a date. */
function retryAfterMs({ headers }) {
    const text = headers['retry-after']?.trim();
    if (text === undefined)
        return undefined;
    if (/^\d+$/.test(text))
        return Number(text) * 1_000;
    const date = Date.parse(text);
    return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

;// CONCATENATED MODULE: ./build/src/replay/limits.js

/** What replays may do together: how many calls are in flight at once, and how many are made in all. */
class limits_ReplayLimits {
    calls;
    #waiting = [];
    #free;
    constructor({ workers, maxCalls }) {
        this.#free = workers;
        this.calls = new CallBudget(maxCalls);
    }
    /** Does something as one of the workers, once one is free; first come, first served. */
    async work(task) {
        if (this.#free > 0)
            this.#free--;
        else
            await new Promise((resolve) => this.#waiting.push(resolve));
        try {
            return await task();
        }
        finally {
            // Handed on to the next in line, so that nobody can come between.
            const next = this.#waiting.shift();
            if (next === undefined)
                this.#free++;
            else
                next();
        }
    }
}

;// CONCATENATED MODULE: ./build/src/replay/options.js


/** A timer of Node takes no more, and would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const options_milliseconds = schemas/* int */.Whr('a whole number of milliseconds')
    .positive('more than 0 milliseconds')
    .max(MAX_TIMER_MS, 'less than 25 days');
const DEFAULT_CALL_MS = 120_000;
const DEFAULT_TRACE_MS = 30_000;
const DEFAULT_MAX_RESPONSE_BYTES = 10 * 1024 ** 2;
/** What the client itself says of a message's length, form and route. */
const OWN_HEADERS = new Set([
    'accept-encoding',
    'connection',
    'content-length',
    'expect',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
]);
const headerName = schemas/* string */.YjP()
    .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'a header name')
    .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), { error: 'a header that can be set' });
const headerValue = schemas/* string */.YjP().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header value: one line');
/** The settings that say how sessions are replayed. Times in milliseconds, sizes in bytes. */
const replayOptions = schemas/* strictObject */.rej({
    runs: schemas/* int */.Whr().min(1).max(1_000).default(5).meta({ description: 'How often each session is replayed.' }),
    workers: schemas/* int */.Whr().min(1).max(1_000).default(4).meta({ description: 'How many calls are in flight at once.' }),
    retries: schemas/* int */.Whr()
        .min(0)
        .max(10)
        .default(2)
        .meta({ description: 'Further tries when the connection is refused, and on 429 and 503.' }),
    idempotent: schemas/* boolean */.zMY().default(false).meta({
        description: 'A call may be tried again after its bytes were sent: broken connections, time-outs, 502, 504.',
    }),
    carrier: carrier
        .default('both')
        .meta({ description: 'Where the metadata of a replay travels: in the body, in headers, or in both.' }),
    headers: schemas/* record */.g1P(headerName, headerValue)
        .default({})
        .meta({ description: 'Extra headers of each call, such as authorization. Never shown.' }),
    outputPointer: schemas/* string */.YjP()
        .regex(/^(\/([^~]|~[01])*)?$/, 'a JSON pointer')
        .optional()
        .meta({ description: 'JSON pointer to the output in the response, when it is under no usual name.' }),
    context: schemas/* enum */.k5n(['recorded', 'sequence']).default('recorded').meta({
        description: "What a turn is given as earlier turns: the recorded ones, or this run's own, one after another.",
    }),
    order: schemas/* enum */.k5n(['parallel', 'serial'])
        .default('parallel')
        .meta({ description: 'Whether the calls of one session go side by side or one after another.' }),
    maxCalls: schemas/* int */.Whr()
        .positive()
        .optional()
        .meta({ description: 'The most requests that are sent, retries included; what is left is not verified then.' }),
    timeouts: schemas/* strictObject */.rej({
        call: options_milliseconds
            .default(DEFAULT_CALL_MS)
            .meta({ description: 'From sending a call to the end of its response.' }),
        trace: options_milliseconds.default(DEFAULT_TRACE_MS).meta({
            description: 'From the end of the response to the complete trace; 120 s by default when traces are read from a platform.',
        }),
        total: options_milliseconds.optional().meta({ description: 'For all replays together.' }),
    })
        .prefault({}),
    maxResponse: schemas/* int */.Whr()
        .positive()
        .default(DEFAULT_MAX_RESPONSE_BYTES)
        .meta({ description: 'Largest response, in bytes.' }),
});

;// CONCATENATED MODULE: ./build/src/replay/excerpt.js
const EXCERPT_CHARS = 200;
const HIDDEN = '***';
/** A shorter one would hide ordinary words, and protects nothing. */
const MIN_SECRET_CHARS = 4;
/** Shows some of a foreign text in one line, without control characters and without `secrets`. */
class Excerpts {
    #secrets;
    constructor(secrets) {
        const forms = [...secrets].flatMap((secret) => [
            secret,
            encodeURIComponent(secret.toWellFormed()),
            JSON.stringify(secret).slice(1, -1),
        ]);
        // Longest first, so that no part of one is left of another.
        this.#secrets = [...new Set(forms)]
            .filter((secret) => secret.length >= MIN_SECRET_CHARS)
            .sort((a, b) => b.length - a.length);
    }
    /** The text, at most 200 characters of it, from `offset` in UTF-16 units. */
    of(text, offset = 0) {
        let shown = text;
        for (const secret of this.#secrets)
            shown = shown.replaceAll(secret, HIDDEN);
        // Hiding moves what follows; near enough for people.
        const part = shown.slice(Math.min(offset, shown.length), offset + EXCERPT_CHARS).toWellFormed();
        const line = part.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
        return `${offset > 0 ? '…' : ''}${line}${shown.length > offset + EXCERPT_CHARS ? '…' : ''}`;
    }
}

;// CONCATENATED MODULE: ./build/src/replay/conversation.js

/**
 * The conversation of one run in which each turn is given the replay's own answers. The first turn is sent as it was
 * recorded. Every later one is: the messages that were sent before, the replay's answer to them, and the messages of
 * its own, which are those after the last recorded answer.
 */
class Conversation {
    /** With the answer to the turn that was sent last; undefined when it had none. */
    #messages = [];
    /** The request of the next turn; undefined when the one before has no answer. */
    request(recorded) {
        if (this.#messages === undefined)
            return undefined;
        if (this.#messages.length === 0) {
            this.#messages = recorded.messages ?? ownMessages(recorded);
            return recorded;
        }
        const messages = [...this.#messages, ...ownMessages(recorded)];
        this.#messages = messages;
        return { ...recorded, messages, includesPriorContext: true };
    }
    /** Takes in what the replay answered; undefined when it did not. */
    answered(output) {
        this.#messages =
            output === undefined || this.#messages === undefined
                ? undefined
                : [...this.#messages, asMessage(output, this.#messages.findLast(conversation_isUser))];
    }
}
function ownMessages({ messages, input }) {
    if (messages === undefined)
        return [{ role: 'user', content: input ?? '' }];
    const own = messages.slice(messages.findLastIndex(conversation_isAssistant) + 1);
    return own.filter((message) => !conversation_isSystem(message));
}
/** An answer as a message of the shape that the conversation has: `content` as text, or parts. */
function asMessage(output, like) {
    if (json_isJsonObject(output) && typeof output.role === 'string')
        return output;
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    const part = Array.isArray(like?.parts) ? like.parts.find(conversation_isTextPart) : undefined;
    if (part === undefined)
        return { role: 'assistant', content: text };
    return { role: 'assistant', parts: [{ type: 'text', [Object.hasOwn(part, 'text') ? 'text' : 'content']: text }] };
}
const conversation_isUser = ({ role }) => role === 'user' || role === 'human';
const conversation_isAssistant = ({ role }) => role === 'assistant' || role === 'model' || role === 'ai';
const conversation_isSystem = ({ role }) => role === 'system' || role === 'developer';
function conversation_isTextPart(part) {
    return json_isJsonObject(part) && part.type === 'text';
}

;// CONCATENATED MODULE: ./build/src/replay/payload.js


/** A request that is written once: a call of it differs from the others in its run id alone, which is put in. */
class PreparedRequest {
    #body;
    #headers;
    /** Names of the headers that carry the run id. */
    #runIdHeaders;
    constructor({ request, originalSessionId, turnTraceId }, options) {
        // Random, so that no recorded text can hold it.
        const placeholder = (0,external_node_crypto_.randomUUID)();
        const { messages, input, model, includesPriorContext } = request;
        const { body, headers } = renderReplayRequest({
            messages,
            input,
            model,
            replayRunId: placeholder,
            originalSessionId,
            turnTraceId,
            includePriorContext: includesPriorContext,
        }, options);
        this.#body = JSON.stringify(body)
            .split(placeholder)
            .map((part) => Buffer.from(part));
        const entries = Object.entries(headers);
        this.#runIdHeaders = entries.flatMap(([name, value]) => (value === placeholder ? name : []));
        this.#headers = [
            ...options.headers,
            ...entries.flatMap(([name, value]) => {
                if (value === placeholder)
                    return [];
                if (isHeaderText(value))
                    return [name, value];
                // What no header can hold travels in the body; percent-encoded where there is no other carrier.
                return options.carrier === 'headers' ? [name, encodeURIComponent(value.toWellFormed())] : [];
            }),
        ];
    }
    /** @param runId letters, digits, `.` and `-` */
    payload(runId) {
        const id = Buffer.from(runId, 'latin1');
        const parts = this.#body.flatMap((part, index) => (index === 0 ? part : [id, part]));
        return {
            body: parts.length === 1 ? parts[0] : Buffer.concat(parts),
            headers: [...this.#headers, ...this.#runIdHeaders.flatMap((name) => [name, runId])],
        };
    }
}
function isHeaderText(text) {
    return /^[\x20-\x7e]+$/.test(text);
}

;// CONCATENATED MODULE: ./build/src/replay/plan.js


/** Makes the calls of one session. What is sent is written when its first call is near, and once where it is the same. */
function planSession(session, options) {
    const turns = new Map(session.turns.map((turn) => [turn.turn, turn]));
    const write = ({ traceId }, request) => new PreparedRequest({ request, originalSessionId: session.id, turnTraceId: traceId }, options.payload);
    const planned = options.context === 'recorded' ? withRecordedContext(write) : inSequence(session, write);
    return (call) => ({
        ...call,
        runId: `${options.uid}.t${call.turn}.r${call.run}`,
        ...planned(turns.get(call.turn), call.run),
    });
}
function withRecordedContext(write) {
    const written = new Map();
    return (turn) => ({
        prepare: () => {
            const request = written.get(turn) ?? write(turn, turn.request);
            written.set(turn, request);
            return request;
        },
        answered: () => { },
    });
}
function inSequence({ turns }, write) {
    const conversations = new Map();
    return (turn, run) => {
        const conversation = conversations.get(run) ?? new Conversation();
        if (turn === turns.at(-1))
            conversations.delete(run);
        else
            conversations.set(run, conversation);
        return {
            prepare: () => {
                const request = conversation.request(turn.request);
                return request && write(turn, request);
            },
            answered: (output) => conversation.answered(output),
        };
    };
}

// EXTERNAL MODULE: external "node:buffer"
var external_node_buffer_ = __webpack_require__(4573);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/errors.js
var errors = __webpack_require__(961);
;// CONCATENATED MODULE: ./build/src/replay/response.js





/**
 * Bodies that are kept parsed, in bytes of their text. Runs of one turn follow each other closely, so that a few of the
 * latest are enough.
 */
const REMEMBERED_BYTES = 4 * 1024 ** 2;
/** More text is not decoded for an excerpt: enough to know a secret that begins in it. */
const SHOWN_BYTES = 64 * 1024;
/** Of an excerpt, what is before the mistake that it shows. */
const CONTEXT_CHARS = 100;
/** Reads what calls came to. Bytes that are equal are parsed once. */
class ResponseReader {
    #options;
    #outputs = new Map();
    #remembered = 0;
    constructor(options) {
        this.#options = options;
    }
    read(exchange) {
        const { status, error, body } = exchange;
        if (error !== undefined || status === undefined) {
            const traced = exchange.wasSent && (error?.code === 'CALL_TIMEOUT' || error?.code === 'CALL_FAILED');
            return { response: null, error, traced: traced ? 'maybe' : 'never' };
        }
        if (status >= 300 && status < 400) {
            return { response: null, error: this.#redirected(status, exchange), traced: 'never' };
        }
        const digest = (0,external_node_crypto_.hash)('sha256', body, 'hex');
        const isSuccess = status >= 200 && status < 300;
        try {
            const response = { status, digest, output: this.#output(exchange, digest) };
            if (isSuccess)
                return { response, error: undefined, traced: 'maybe' };
            return { response, error: this.#refused(status, exchange), traced: tracedStatus(status) };
        }
        catch (failure) {
            if (!(failure instanceof errors_AgentReplayError))
                throw failure;
            if (isSuccess)
                return { response: null, error: failure, traced: 'never' };
            const response = { status, digest, output: undefined };
            return { response, error: this.#refused(status, exchange), traced: tracedStatus(status) };
        }
    }
    #output(exchange, digest) {
        const known = this.#outputs.get(digest);
        if (known !== undefined)
            return known.output;
        const output = this.#parse(exchange);
        const bytes = exchange.body.length;
        if (bytes > REMEMBERED_BYTES)
            return output;
        this.#outputs.set(digest, { output, bytes });
        this.#remembered += bytes;
        for (const [oldest, { bytes }] of this.#outputs) {
            if (this.#remembered <= REMEMBERED_BYTES)
                break;
            this.#outputs.delete(oldest);
            this.#remembered -= bytes;
        }
        return output;
    }
    #parse(exchange) {
        const { outputPointer, identifiers, needsOutput } = this.#options;
        const { body } = exchange;
        if (!(0,external_node_buffer_.isUtf8)(body))
            throw this.#notJson(exchange, 'it is not UTF-8 text');
        const text = body.toString('utf8');
        // Not JSON's own: whoever reads it strictly stumbles over it.
        if (text.charCodeAt(0) === 0xfeff)
            throw this.#notJson(exchange, 'it begins with a byte order mark', 0);
        let value;
        try {
            value = json_parseJson(text);
        }
        catch (error) {
            if (!(error instanceof json_JsonError))
                throw error;
            throw this.#notJson(exchange, error.message, error.offset);
        }
        try {
            const { output } = parseReplayResponse(value, { outputPointer, identifiers });
            if (output === undefined && (needsOutput || outputPointer !== undefined)) {
                throw this.#invalid(exchange, [
                    outputPointer === undefined ? 'the output is under no usual name' : `${outputPointer}: there is no output`,
                ]);
            }
            return output;
        }
        catch (error) {
            if (!(error instanceof errors/* ZodError */.G))
                throw error;
            throw this.#invalid(exchange, error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'the response'}: ${message}`));
        }
    }
    #notJson(exchange, reason, offset) {
        const { status, headers, body } = exchange;
        const type = this.#quoted(headers['content-type']);
        const encoding = headers['content-encoding'];
        const isOther = type !== undefined && !/json/i.test(type);
        const what = body.length === 0 ? 'is empty' : isOther ? `is not JSON but "${type}"` : 'is not JSON';
        return new errors_AgentReplayError('RESPONSE_NOT_JSON', `The response ${what}.`, {
            evidence: [
                `target: ${this.#options.target}`,
                `status: ${status}`,
                `content type: ${type === undefined ? 'none' : `"${type}"`}`,
                ...(body.length === 0
                    ? []
                    : [`${offset === undefined ? '' : `at offset ${offset}: `}${reason}`, this.#around(body, offset)]),
            ],
            hint: encoding !== undefined && encoding !== 'identity'
                ? `It is encoded as ${this.#quoted(encoding)} although identity was asked for: switch compression off.`
                : isOther
                    ? 'Something else than the replay endpoint may answer there (a login page, a web application): check the target URL.'
                    : 'Let the endpoint answer with exactly one JSON object, such as {"output": "..."}.',
        });
    }
    #invalid({ status, body }, mistakes) {
        const { target, excerpts } = this.#options;
        return new errors_AgentReplayError('RESPONSE_INVALID', 'The response is JSON, but not a replay response.', {
            evidence: [
                `target: ${target}`,
                `status: ${status}`,
                ...mistakes.map((mistake) => excerpts.of(mistake)),
                this.#begins(body),
            ],
            hint: 'Answer with an object that holds "output"; where it is under another name, set outputPointer.',
        });
    }
    #redirected(status, { headers }) {
        const location = [headers.location].flat()[0];
        const to = location === undefined ? null : URL.parse(location, this.#options.target);
        // Without credentials and query, which can hold a key or be a sign-in in flight.
        const shown = to === null ? 'no valid address' : this.#options.excerpts.of(`${to.origin}${to.pathname}`);
        return new errors_AgentReplayError('RESPONSE_REDIRECT', `The target redirects (status ${status}) to ${shown}.`, {
            evidence: [`target: ${this.#options.target}`, `location: ${shown}`],
            hint: 'Redirects are not followed, as the request may carry secrets: give the final address as target URL.',
        });
    }
    #refused(status, { headers, body }) {
        const [said, hint] = explained(status);
        const retryAfter = this.#quoted(headers['retry-after']);
        return new errors_AgentReplayError('RESPONSE_STATUS', `The agent answered with status ${status}: ${said}.`, {
            evidence: [
                `target: ${this.#options.target}`,
                ...(retryAfter === undefined ? [] : [`retry after: ${retryAfter}`]),
                ...(body.length === 0 ? ['its body is empty'] : [this.#begins(body)]),
            ],
            hint,
        });
    }
    /** The body from a little before `offset`. */
    #around(body, offset = 0) {
        const from = Math.max(0, offset - CONTEXT_CHARS);
        return from === 0 ? this.#begins(body) : `body: ${this.#options.excerpts.of(body.toString('utf8'), from)}`;
    }
    #begins(body) {
        return `body: ${this.#options.excerpts.of(body.toString('utf8', 0, SHOWN_BYTES))}`;
    }
    #quoted(value) {
        return value === undefined ? undefined : this.#options.excerpts.of(String(value));
    }
}
/** What servers answer before an agent sees the request. */
const REFUSALS = new Set([401, 403, 404, 405, 413, 415, 429]);
function tracedStatus(status) {
    return REFUSALS.has(status) ? 'seldom' : 'maybe';
}
/** What a status says, and what the user does about it. */
function explained(status) {
    switch (status) {
        case 401:
            return ['it wants other credentials', 'Give them with the setting headers, such as authorization.'];
        case 403:
            return ['it does not allow this', 'Check what the credentials in the setting headers may do.'];
        case 404:
            return ['there is nothing at this path', 'Is /replay mounted? Check the path of the target URL.'];
        case 405:
            return ['it takes no POST at this path', 'Is /replay mounted for POST? Check the path of the target URL.'];
        case 413:
            return ['the request is too large for it', "Raise the limit of the agent's server for request bodies."];
        case 415:
            return ['it does not take JSON', 'Let the endpoint accept application/json.'];
        case 422:
            return [
                'it cannot use the request',
                'Compare what the endpoint demands with the replay request: messages or input.',
            ];
        case 429:
            return ['too many requests', 'Lower workers, or raise retries; it says itself when to come again, if at all.'];
        case 503:
            return ['it is not available', 'Look into its log; lower workers if it is overloaded.'];
        default:
            if (status >= 500)
                return ['it failed', 'Look into its log for the error of this request.'];
            if (status >= 400)
                return ['it refused the request', 'Compare what the endpoint demands with the replay request.'];
            return ['this is no answer', 'Let the endpoint answer with status 200.'];
    }
}

;// CONCATENATED MODULE: ./build/src/replay/schedule.js
/**
 * Which call goes next. Sessions are opened one after another, so that the calls of one are sent, and finished,
 * together; within a session run by run. No memory but for lanes that are open.
 */
class Schedule {
    #lanes;
    #open = [];
    constructor(lanes) {
        this.#lanes = lanes;
    }
    /** The call that may go now; undefined when there is none until another is over, or none at all. */
    next() {
        for (;;) {
            const lane = this.#open.shift() ?? this.#lanes.next().value;
            if (lane === undefined)
                return undefined;
            const step = lane.next();
            if (!step.done)
                return { call: step.value, lane };
        }
    }
    /** The call is over: the next of its lane may go. */
    release({ lane }) {
        this.#open.push(lane);
    }
}
/**
 * The lanes of all sessions: one a session where its calls go one after another; one a run where its turns do;
 * otherwise one a call.
 * @param open makes what belongs to a session when its first call is near, and is asked for each of its calls
 */
function* lanesOf(sessions, { runs, order, context }, open) {
    for (const session of sessions) {
        const planned = open(session);
        const turnsOf = function* (run) {
            for (const { turn } of session.turns)
                yield planned({ session: session.id, turn, run });
        };
        const allOf = function* () {
            for (let run = 1; run <= runs; run++)
                yield* turnsOf(run);
        };
        if (order === 'serial')
            yield allOf();
        else if (context === 'sequence')
            for (let run = 1; run <= runs; run++)
                yield turnsOf(run);
        else
            for (const call of allOf())
                yield [call].values();
    }
}

;// CONCATENATED MODULE: ./build/src/replay/target.js

/**
 * Reads a target URL: one that ends in `/replay`, or a base URL, whose `/replay` is tried before the URL itself.
 * @throws AgentReplayError `TARGET_INVALID`
 */
function parseTarget(text) {
    const url = URL.parse(text);
    if (url === null) {
        // It is not shown: where a credential begins in something that is no URL, nobody knows.
        throw new errors_AgentReplayError('TARGET_INVALID', 'The target URL is not a URL.', {
            hint: 'Give a full one, such as http://127.0.0.1:3000/replay.',
        });
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new errors_AgentReplayError('TARGET_INVALID', `The target URL has the scheme ${url.protocol.slice(0, -1)}.`, {
            hint: 'Give an http or https URL, such as http://127.0.0.1:3000/replay.',
        });
    }
    const { origin, pathname, search } = url;
    const isEndpoint = /\/replay\/?$/.test(pathname);
    const base = pathname.replace(/\/$/, '');
    const username = decoded(url.username);
    const password = decoded(url.password);
    const credentials = Buffer.from(`${username}:${password}`).toString('base64');
    const hasCredentials = username !== '' || password !== '';
    return {
        origin,
        paths: isEndpoint ? [pathname + search] : [`${base}/replay${search}`, pathname + search],
        shown: origin + pathname,
        authorization: hasCredentials ? `Basic ${credentials}` : undefined,
        secrets: [
            ...(hasCredentials ? [credentials, password, url.password] : []),
            ...[...url.searchParams.values()],
        ].filter((secret) => secret !== ''),
    };
}
/** Remembers which of a target's paths is the endpoint, once a call has found out. */
class Route {
    #paths;
    #known;
    #discovery;
    constructor({ paths }) {
        this.#paths = paths;
        if (paths.length === 1)
            this.#known = paths[0];
    }
    /**
     * Sends one call, to the next path as well when there is nothing at the first. Only one call finds out at a time;
     * the others wait for it.
     * @param send resolves with the status, or undefined when there was no answer: then nothing is known yet
     */
    async send(send) {
        while (this.#known === undefined && this.#discovery !== undefined)
            await this.#discovery;
        if (this.#known !== undefined)
            return send(this.#known);
        const discovery = this.#discover(send);
        this.#discovery = discovery.then(() => undefined, () => undefined);
        try {
            return await discovery;
        }
        finally {
            this.#discovery = undefined;
        }
    }
    async #discover(send) {
        const [first, second] = this.#paths;
        const met = await send(first);
        if (met.status === undefined)
            return met;
        if (!isNothingThere(met.status)) {
            this.#known = first;
            return met;
        }
        const other = await send(second);
        if (other.status === undefined)
            return other;
        const isElsewhere = !isNothingThere(other.status);
        this.#known = isElsewhere ? second : first;
        return isElsewhere ? other : met;
    }
}
function isNothingThere(status) {
    return status === 404 || status === 405;
}
function decoded(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}

;// CONCATENATED MODULE: ./build/src/replay/trace-watch.js

/** Waits for the replay trace of one call, from before the call is sent: its spans may come first. */
class TraceWatch {
    #trace;
    #deadline = new AbortController();
    #call = Promise.withResolvers();
    #isOver = false;
    constructor(source, replayRunId) {
        // Handled where it is awaited, which may be later than it fails.
        this.#call.promise.catch(() => { });
        this.#trace = source.waitFor(replayRunId, { signal: this.#deadline.signal, responded: this.#call.promise });
        const over = () => {
            this.#isOver = true;
        };
        this.#trace.then(over, over);
    }
    /**
     * Says that the call is over, and resolves with the trace.
     * @param call whether its response came
     * @param limitMs from now
     * @throws AgentReplayError of the source, or the reason of {@link stop}
     */
    async complete(call, limitMs) {
        if (call === 'answered')
            this.#call.resolve();
        else
            this.#call.reject(new Error('the call broke off'));
        const timer = setTimeout(() => this.#deadline.abort(), limitMs);
        return this.#trace.finally(() => clearTimeout(timer));
    }
    /** Ends the waiting, if it is not over: an attempt that does not count, or a response that cannot be used. */
    abandon() {
        if (!this.#isOver)
            this.stop(new errors_AgentReplayError('INTERRUPTED', 'The trace is not needed any more.'));
    }
    /** Ends the waiting with `reason`. */
    stop(reason) {
        this.#deadline.abort(reason);
    }
}

;// CONCATENATED MODULE: ./build/src/replay/replay.js
var replay_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var replay_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});












/** Results that nobody has taken yet hold back further calls, for each worker. */
const UNTAKEN_PER_WORKER = 2;
/** Calls that wait for their traces; each holds its response. More are only met when traces come seconds late. */
const MAX_UNFINISHED = 1_000;
/** After a refusal a trace is not likely; one that is there comes soon. */
const REFUSAL_TRACE_MS = 1_000;
/**
 * Replays sessions: all turns, `runs` times, over `workers` calls at once. Every call has exactly one result, failures
 * too, given as it finishes. A consumer that leaves early ends what is in flight.
 * @throws AgentReplayError `TARGET_INVALID`
 */
function replaySessions(sessions, options) {
    const target = parseTarget(options.target);
    return { [Symbol.asyncIterator]: () => new Replay(target, options).results(sessions) };
}
/** How many calls a replay makes, without retries. */
function callCount(sessions, { settings, turns = () => true }) {
    return (sessions.reduce((sum, session) => sum + session.turns.filter(({ turn }) => turns(turn)).length, 0) * settings.runs);
}
class Replay {
    #options;
    #settings;
    #identifiers;
    #connections;
    #route;
    #reader;
    #limits;
    #payload;
    #uid;
    #stop = new AbortController();
    #watches = new Set();
    constructor(target, options) {
        const { settings, source } = options;
        const { timeouts, maxResponse, workers } = settings;
        this.#options = options;
        this.#settings = settings;
        this.#identifiers = options.identifiers ?? identifiers_identifiers.parse({});
        this.#connections = new Connections(target, { timeoutMs: timeouts.call, maxResponse, workers });
        this.#route = new Route(target);
        this.#reader = new ResponseReader({
            outputPointer: settings.outputPointer,
            identifiers: this.#identifiers,
            needsOutput: source === null,
            excerpts: new Excerpts([...target.secrets, ...Object.values(settings.headers)]),
            target: target.shown,
        });
        this.#limits = options.limits ?? new limits_ReplayLimits(settings);
        this.#payload = {
            carrier: settings.carrier,
            identifiers: this.#identifiers,
            headers: ownHeaders(target, settings.headers),
        };
        // The letter keeps it from looking like a number, which platforms turn into one.
        this.#uid = options.uid ?? `r${(0,external_node_crypto_.randomBytes)(6).toString('hex')}`;
    }
    async *results(sessions) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { runs, order, context, workers } = this.#settings;
            const { skip = () => false, turns = () => true } = this.#options;
            const chosen = sessions.map((session, index) => ({
                ...session,
                index,
                turns: session.turns.filter(({ turn }) => turns(turn)),
            }));
            const schedule = new Schedule(lanesOf(chosen, { runs, order, context }, (session) => planSession(session, { context, payload: this.#payload, uid: `${this.#uid}-${session.index + 1}` })));
            const finished = [];
            let sending = 0;
            let unfinished = 0;
            let news = Promise.withResolvers();
            let defect;
            let isOver = false;
            const start = async (slot) => {
                sending++;
                unfinished++;
                try {
                    const attempted = await this.#limits.work(() => this.#attempt(slot.call));
                    release(slot);
                    const result = await this.#conclude(slot.call, attempted);
                    finished.push(result);
                }
                catch (error) {
                    // Not a call's failure: the caller's own `skip` or a defect.
                    defect ??= { error };
                }
                unfinished--;
                news.resolve();
            };
            const release = (slot) => {
                sending--;
                schedule.release(slot);
                fill();
            };
            const fill = () => {
                if (isOver)
                    return;
                while (sending < workers && unfinished < MAX_UNFINISHED && finished.length < workers * UNTAKEN_PER_WORKER) {
                    const slot = schedule.next();
                    if (slot === undefined)
                        return;
                    if (skip(slot.call))
                        schedule.release(slot);
                    else
                        void start(slot);
                }
            };
            const _ = replay_addDisposableResource(env_1, this.#endings(), false);
            try {
                for (;;) {
                    fill();
                    if (defect !== undefined)
                        throw defect.error;
                    const result = finished.shift();
                    if (result !== undefined) {
                        yield result;
                    }
                    else if (unfinished === 0) {
                        return;
                    }
                    else {
                        await news.promise;
                        news = Promise.withResolvers();
                    }
                }
            }
            finally {
                // Also when the consumer leaves: nothing stays in flight.
                isOver = true;
                this.#end(interrupted());
                await this.#connections.destroy(this.#stop.signal.reason);
            }
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            replay_disposeResources(env_1);
        }
    }
    /** Sends a call until it is answered or must not be tried again. */
    async #attempt(call) {
        const { retries, idempotent, timeouts } = this.#settings;
        const { signal } = this.#stop;
        const request = call.prepare();
        const unsent = this.#stopped ?? (request === undefined ? withoutContext(call) : this.#limits.calls.refusal());
        if (unsent !== undefined || request === undefined) {
            call.answered(undefined);
            return { replayRunId: call.runId, attempts: 1, came: unsent ?? withoutContext(call) };
        }
        for (let attempt = 1;; attempt++) {
            this.#limits.calls.take();
            const replayRunId = attempt === 1 ? call.runId : `${call.runId}.a${attempt}`;
            const watch = this.#watch(replayRunId);
            const exchange = await this.#route.send((path) => this.#connections.post(path, request.payload(replayRunId)));
            const delay = retryDelay(exchange, attempt, { retries, idempotent, maxDelayMs: timeouts.call });
            const isLast = delay === undefined || this.#limits.calls.refusal() !== undefined || !(await pause(delay, signal));
            if (!isLast) {
                this.#unwatch(watch);
                continue;
            }
            const reading = this.#reader.read(exchange);
            call.answered(reading.error === undefined ? reading.response?.output : undefined);
            return { replayRunId, attempts: attempt, callMs: exchange.callMs, came: { reading, watch } };
        }
    }
    async #conclude({ session, turn, run }, attempted) {
        const { came, ...rest } = attempted;
        const startedAt = performance.now();
        const known = came instanceof errors_AgentReplayError ? { kind: 'inconclusive', error: came } : await this.#outcome(came);
        const outcome = known.kind === 'inconclusive' && rest.attempts > 1
            ? { kind: 'inconclusive', error: withEvidence(known.error, `attempts: ${rest.attempts}`) }
            : known;
        const hasTrace = outcome.kind === 'replayed' && outcome.trace !== null;
        return { session, turn, run, outcome, ...rest, ...(hasTrace ? { traceMs: performance.now() - startedAt } : {}) };
    }
    async #outcome({ reading, watch }) {
        const { response, error, traced } = reading;
        try {
            if (error !== undefined && (watch === undefined || traced === 'never'))
                throw error;
            if (watch === undefined)
                return { kind: 'replayed', response, trace: null };
            const { trace: traceMs } = this.#settings.timeouts;
            const limitMs = traced === 'seldom' ? Math.min(REFUSAL_TRACE_MS, traceMs) : traceMs;
            const trace = await watch.complete(error === undefined ? 'answered' : 'broken', limitMs);
            return { kind: 'replayed', response, trace };
        }
        catch (failure) {
            // Whatever broke while everything was being ended broke for that reason.
            const missing = this.#stopped ?? asAgentReplayError(failure);
            const isCall = error === undefined || missing === error || missing === this.#stopped;
            return { kind: 'inconclusive', error: isCall ? missing : withEvidence(error, `trace: ${missing.message}`) };
        }
        finally {
            this.#unwatch(watch);
        }
    }
    /** Why everything was ended, once it was. */
    get #stopped() {
        const { signal } = this.#stop;
        return signal.aborted ? signal.reason : undefined;
    }
    #watch(replayRunId) {
        if (this.#options.source === null)
            return undefined;
        const watch = new TraceWatch(this.#options.source, replayRunId);
        this.#watches.add(watch);
        return watch;
    }
    #unwatch(watch) {
        if (watch === undefined)
            return;
        this.#watches.delete(watch);
        watch.abandon();
    }
    /** Everything that can end the replay before its time. */
    #endings() {
        const { signal, crashed } = this.#options;
        const { total } = this.#settings.timeouts;
        const listeners = [signal, crashed].flatMap((one) => {
            if (one === undefined)
                return [];
            const onAbort = () => this.#end(one.reason instanceof errors_AgentReplayError ? one.reason : interrupted(one.reason));
            if (one.aborted)
                onAbort();
            one.addEventListener('abort', onAbort, { once: true });
            return [() => one.removeEventListener('abort', onAbort)];
        });
        const timer = total === undefined ? undefined : setTimeout(() => this.#end(totalTimeout(total)), total);
        return {
            [Symbol.dispose]: () => {
                clearTimeout(timer);
                for (const remove of listeners)
                    remove();
            },
        };
    }
    /** Ends everything that is in flight; what was not sent yet fails with the same reason. The first reason stays. */
    #end(reason) {
        if (this.#stop.signal.aborted)
            return;
        this.#stop.abort(reason);
        void this.#connections.destroy(reason);
        for (const watch of this.#watches)
            watch.stop(reason);
    }
}
/** Headers of every call, alternating with their values; the customer's own win. */
function ownHeaders(target, extra) {
    const headers = new Map([
        ['content-type', 'application/json'],
        ['accept', 'application/json'],
        // Nothing to unpack: a small response cannot become a large one.
        ['accept-encoding', 'identity'],
    ]);
    if (target.authorization !== undefined)
        headers.set('authorization', target.authorization);
    for (const [name, value] of Object.entries(extra))
        headers.set(name.toLowerCase(), value);
    return [...headers].flat();
}
function interrupted(cause) {
    return new errors_AgentReplayError('INTERRUPTED', 'The replay was ended before it was over.', { cause });
}
function totalTimeout(ms) {
    return new errors_AgentReplayError('TOTAL_TIMEOUT', `The replays were not over after ${ms / 1_000} s.`, {
        hint: 'Raise timeouts.total or workers, or replay fewer sessions or runs.',
    });
}
function withoutContext({ turn, run }) {
    return new errors_AgentReplayError('CALL_FAILED', `Turn ${turn} of run ${run} was not sent: the turn before it has no answer to go on from.`, { hint: 'See why the earlier turn failed, or replay with context: "recorded".' });
}
function withEvidence(error, line) {
    const { code, message, hint, location, cause } = error;
    return new errors_AgentReplayError(code, message, { hint, location, cause, evidence: [...error.evidence, line] });
}

;// CONCATENATED MODULE: ./build/src/replay/index.js





;// CONCATENATED MODULE: ./build/src/report/schema.js


/** Version of `report.json`. A higher one is refused, never guessed at. */
const schema_REPORT_VERSION = 1;
/** Of the whole run. `failed` = diverged, `error` = could not tell. */
const schema_status = schemas/* enum */.k5n(['passed', 'failed', 'error', 'interrupted']);
/** What can interrupt a run. */
const signal = schemas/* enum */.k5n(['SIGINT', 'SIGTERM']);
/** A failure as data: what a report says of an error. Redacted and bounded like every text of a report. */
const problem = schemas/* object */.Ikc({
    code: schemas/* string */.YjP(),
    message: schemas/* string */.YjP(),
    evidence: schemas/* array */.YOg(schemas/* string */.YjP()).default([]),
    hint: schemas/* string */.YjP().optional(),
    location: schemas/* object */.Ikc({
        file: schemas/* string */.YjP(),
        line: schemas/* int */.Whr().positive().optional(),
        column: schemas/* int */.Whr().positive().optional(),
        pointer: schemas/* string */.YjP().optional(),
    })
        .optional(),
});
/** Tokens and cost summed from the replay traces that carry them. */
const usage = schemas/* object */.Ikc({
    calls: schemas/* int */.Whr().nonnegative(),
    retries: schemas/* int */.Whr().nonnegative(),
    inputTokens: schemas/* number */.aig().nonnegative().nullable(),
    outputTokens: schemas/* number */.aig().nonnegative().nullable(),
    /** US dollars. */
    cost: schemas/* number */.aig().nonnegative().nullable(),
});
/** What the policy makes of a verdict: it fails the run, it is only said, or it is let pass. */
const level = schemas/* enum */.k5n(['error', 'warn', 'off']);
const turnResult = schemas/* object */.Ikc({
    /** From 1. */
    turn: schemas/* int */.Whr().positive(),
    level,
    comparison: turnComparison,
    /** Why runs of this turn could not be compared, one entry per kind of failure. */
    problems: schemas/* array */.YOg(problem.extend({ runs: schemas/* array */.YOg(schemas/* int */.Whr().positive()) })),
});
const sessionResult = schemas/* object */.Ikc({
    id: schemas/* string */.YjP(),
    /** The pin's path from the project's root. */
    pin: schemas/* string */.YjP(),
    title: schemas/* string */.YjP().optional(),
    agentId: schemas/* string */.YjP().optional(),
    /** The worst of its turns. */
    verdict: verdict,
    /** The worst of its turns: a turn may fail the run although another one gives the session its verdict. */
    level,
    turns: schemas/* array */.YOg(turnResult),
    /** Why the session as a whole could not be replayed (not replayable, agent crashed before it); empty otherwise. */
    problems: schemas/* array */.YOg(problem),
});
/** What one replay left behind: ids, times and places. Never part of `results`. */
const runEvidence = schemas/* object */.Ikc({
    session: schemas/* string */.YjP(),
    turn: schemas/* int */.Whr().positive(),
    run: schemas/* int */.Whr().positive(),
    replayRunId: schemas/* string */.YjP(),
    traceId: schemas/* string */.YjP().optional(),
    attempts: schemas/* int */.Whr().positive(),
    /** From the first byte sent to the response's end, of the last attempt. */
    callMs: schemas/* number */.aig().nonnegative().optional(),
    /** From the response's end to the complete trace. */
    traceMs: schemas/* number */.aig().nonnegative().optional(),
    outcome: schemas/* enum */.k5n(['replayed', 'inconclusive']),
});
/** One whole run, as in `report.json`. Every other output is a rendering of it. */
const schema_report = schemas/* object */.Ikc({
    version: schemas/* literal */.euz(schema_REPORT_VERSION),
    /** Byte-identical for the same behaviours, whatever the ids, times, order of arrival and number of workers. */
    results: schemas/* object */.Ikc({
        status: schema_status,
        /** One line for people: `2 of 8 sessions diverged`. */
        title: schemas/* string */.YjP(),
        /** What that means and what to do next, in a few sentences. */
        message: schemas/* string */.YjP(),
        runs: schemas/* int */.Whr().positive(),
        strictness: schemas/* string */.YjP(),
        sessions: schemas/* array */.YOg(sessionResult),
        /** Failures that belong to no session: unreadable pins, an agent that did not start. */
        problems: schemas/* array */.YOg(problem),
    }),
    evidence: schemas/* object */.Ikc({
        tool: schemas/* object */.Ikc({ name: schemas/* literal */.euz('agent-replay'), version: schemas/* string */.YjP() }),
        startedAt: iso/* datetime */.w$(),
        durationMs: schemas/* number */.aig().nonnegative(),
        command: schemas/* string */.YjP(),
        /** The configuration, when it was named by hand: a rerun has to name it too. */
        config: schemas/* string */.YjP().optional(),
        /** Set when the run did not get to its end. */
        interruptedBy: signal.optional(),
        target: schemas/* string */.YjP().optional(),
        traceSource: schemas/* string */.YjP(),
        usage,
        /** Tail of the agent's log, one entry a line. */
        agentLog: schemas/* array */.YOg(schemas/* string */.YjP()),
        runs: schemas/* array */.YOg(runEvidence),
        environment: schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* string */.YjP()),
    }),
});

;// CONCATENATED MODULE: ./build/src/report/gate.js



const softLevel = level.exclude(['off']);
const levels = schemas/* strictObject */.rej({
    changed: level.default('error').meta({ description: 'What a changed turn makes of the run.' }),
    unsettled: level.default('error').meta({ description: 'What an unsettled turn makes of the run.' }),
    flaky: level.default('error').meta({ description: 'What a flaky turn makes of the run.' }),
    inconclusive: softLevel
        .default('error')
        .meta({ description: 'What "could not tell" makes of the run: it may be forgiven, but never be kept quiet.' }),
    cause: schemas/* partialRecord */.jgl(causeKind, level)
        .default({})
        .meta({ description: 'Decides instead of the verdict where the first divergence has this cause.' }),
});
const SOFT = { changed: 'warn', unsettled: 'warn', flaky: 'warn', inconclusive: 'error', cause: {} };
/** A list names the verdicts that fail a run. Others are only said, but doubt fails closed unless it is forgiven by name. */
const failing = schemas/* array */.YOg(verdict.exclude(['reproduced']))
    .transform((verdicts) => ({ ...SOFT, ...Object.fromEntries(verdicts.map((name) => [name, 'error'])) }));
/** What fails a run, as in the configuration at its top. */
const gatePolicy = schemas/* strictObject */.rej({
    failOn: schemas/* union */.KCZ([failing, levels])
        .prefault({})
        .meta({ description: 'Verdicts that fail the run: a list, or a level (error, warn, off) for each.' }),
    minAgreement: schemas/* number */.aig()
        .min(0)
        .max(1)
        .optional()
        .meta({ description: 'The least share of conclusive runs as recorded with which a flaky turn still passes.' }),
});
/**
 * What the policy makes of one turn. The cause of a divergence decides before the verdict does; of several
 * divergences the hardest counts, so that a turn is softened only when every one of them is.
 */
function levelOf(comparison, { failOn, minAgreement }) {
    const { verdict, clusters, divergence, figures } = comparison;
    if (verdict === 'reproduced')
        return 'off';
    if (verdict === 'inconclusive')
        return failOn.inconclusive;
    if (verdict === 'flaky' && minAgreement !== undefined && figures.n > 0) {
        if (figures.asRecorded / figures.n >= minAgreement)
            return 'off';
    }
    const diverged = clusters.filter((cluster) => !cluster.recorded && cluster.runs.length > 0);
    const explained = diverged.map((cluster) => cluster.divergence).concat(divergence ?? []);
    if (explained.length === 0)
        return failOn[verdict];
    return hardest(explained.map((each) => failOn.cause[each?.cause.kind ?? 'unknown'] ?? failOn[verdict]));
}
const HARDEST_FIRST = ['error', 'warn', 'off'];
function hardest(levels) {
    return HARDEST_FIRST.find((level) => levels.includes(level)) ?? 'off';
}
/** The decision on a whole run. Pure; diverged and could-not-tell are never mixed, and doubt never passes. */
function gate({ sessions, problems, interruptedBy }) {
    const count = countStandings(sessions);
    const status = statusOf(count, problems.length, interruptedBy);
    return {
        status,
        title: gate_titleOf(status, count, problems.length),
        message: messageOf(status, count),
        exitCode: exitCodeOf(status, interruptedBy),
    };
}
/** The same from a report: whatever a file says of itself, its verdicts decide. */
function gateOf({ results, evidence }) {
    return gate({ ...results, interruptedBy: evidence.interruptedBy });
}
const EXIT_CODES = { passed: 0, failed: 1, error: 2 };
/** 128 + the number of the signal, as a shell says it. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };
/** 0 passed, 1 diverged, 2 could not tell, 130 or 143 interrupted. */
function exitCodeOf(status, interruptedBy) {
    return status === 'interrupted' ? SIGNAL_EXIT_CODES[interruptedBy ?? 'SIGINT'] : EXIT_CODES[status];
}
function standingOf({ verdict, level, turns, problems }) {
    const doubts = turns.filter(({ comparison }) => comparison.verdict === 'inconclusive');
    if (turns.some((turn) => turn.level === 'error' && !doubts.includes(turn)))
        return 'diverged';
    if (verdict === 'inconclusive' || doubts.length > 0 || problems.length > 0) {
        return level === 'error' ? 'doubtful' : 'unverified';
    }
    return verdict === 'reproduced' ? 'reproduced' : 'tolerated';
}
function countStandings(sessions) {
    const standings = sessions.map(standingOf);
    const count = (standing) => standings.filter((each) => each === standing).length;
    return {
        diverged: count('diverged'),
        doubtful: count('doubtful'),
        unverified: count('unverified'),
        tolerated: count('tolerated'),
        reproduced: count('reproduced'),
        total: sessions.length,
        verified: sessions.filter(({ turns }) => turns.some(({ comparison }) => comparison.verdict !== 'inconclusive'))
            .length,
    };
}
function statusOf(count, problems, interruptedBy) {
    if (interruptedBy !== undefined)
        return 'interrupted';
    if (count.diverged > 0)
        return 'failed';
    return count.doubtful > 0 || problems > 0 || count.verified === 0 ? 'error' : 'passed';
}
function gate_titleOf(status, count, problems) {
    const unverified = count.doubtful + count.unverified;
    const of = (part) => `${part} of ${plural(count.total, 'session')}`;
    const also = (part, text) => (part > 0 ? [`${part} ${text}`] : []);
    const diverged = also(count.diverged, 'diverged');
    const tolerated = also(count.tolerated, 'diverged within the policy');
    const notVerified = also(unverified, 'not verified');
    const failures = problems > 0 ? [plural(problems, 'problem')] : [];
    switch (status) {
        case 'passed':
            return [`${of(count.reproduced)} reproduced`, ...tolerated, ...notVerified].join(', ');
        case 'failed':
            return [`${of(count.diverged)} diverged`, ...tolerated, ...notVerified, ...failures].join(', ');
        case 'error': {
            const first = count.verified === 0 ? 'no session was verified' : `${of(unverified)} not verified`;
            return [first, ...tolerated, ...failures].join(', ');
        }
        case 'interrupted':
            return [
                `${of(count.reproduced)} reproduced`,
                ...diverged,
                ...tolerated,
                ...notVerified,
                ...failures,
                'then interrupted',
            ].join(', ');
    }
}
function messageOf(status, count) {
    switch (status) {
        case 'passed':
            return count.tolerated + count.unverified > 0
                ? 'What is not as recorded is let pass by the policy.'
                : 'The agent behaved as recorded in every run.';
        case 'failed':
            return 'The agent does not behave as recorded. Look at the first divergence of each session; if the new behaviour is wanted, make it the original with `agent-replay accept`.';
        case 'error':
            return 'What was not verified is neither as recorded nor diverged: it could not be told. Each problem says what to do next; then run again.';
        case 'interrupted':
            return 'The report holds what had finished by then. What is missing is not verified; run again for a verdict.';
    }
}
/** `1 session`, `2 sessions`. */
function plural(count, one, many = `${one}s`) {
    return `${count} ${count === 1 ? one : many}`;
}

;// CONCATENATED MODULE: ./build/src/report/build.js



/** Assembles a report and decides its status. `results` does not depend on the order in which anything came. */
function buildReport(parts, policy) {
    const sessions = parts.sessions
        .map((session) => build_sessionResult(session, policy))
        .sort((a, b) => compareText(a.pin, b.pin) || compareText(a.id, b.id));
    const problems = sortProblems(parts.problems.map(toProblem));
    const { status, title, message } = gate({ sessions, problems, interruptedBy: parts.evidence.interruptedBy });
    return {
        version: schema_REPORT_VERSION,
        results: { status, title, message, runs: parts.runs, strictness: parts.strictness, sessions, problems },
        evidence: { ...parts.evidence, runs: [...parts.evidence.runs].sort(compareRuns) },
    };
}
function build_sessionResult(session, policy) {
    const turns = session.turns
        .map(({ turn, comparison, failures }) => ({
        turn,
        level: levelOf(comparison, policy),
        comparison,
        problems: groupFailures(failures),
    }))
        .sort((a, b) => a.turn - b.turn);
    const doubtful = turns.length === 0 || session.problems.length > 0;
    return {
        id: session.id,
        pin: session.pin,
        ...(session.title !== undefined && { title: session.title }),
        ...(session.agentId !== undefined && { agentId: session.agentId }),
        verdict: sessionVerdict([
            ...turns.map(({ comparison }) => comparison.verdict),
            ...(doubtful ? ['inconclusive'] : []),
        ]),
        level: hardest([...turns.map(({ level }) => level), ...(doubtful ? [policy.failOn.inconclusive] : [])]),
        turns,
        problems: sortProblems(session.problems.map(toProblem)),
    };
}
/** One entry for each kind of failure, told in the words of its first run. */
function groupFailures(failures) {
    const byCode = Map.groupBy([...failures].sort((a, b) => a.run - b.run), ({ error }) => error.code);
    return [...byCode.values()]
        .map((group) => ({ ...toProblem(group[0].error), runs: group.map(({ run }) => run) }))
        .sort((a, b) => compareText(a.code, b.code));
}
/** A failure in the shape of a report, with bounded texts. */
function toProblem({ code, message, evidence, hint, location }) {
    return {
        code,
        message: cut(message, MAX_MESSAGE_CHARS),
        evidence: evidence.slice(0, MAX_EVIDENCE_LINES).map((line) => cut(line, MAX_LINE_CHARS)),
        ...(hint !== undefined && { hint: cut(hint, MAX_MESSAGE_CHARS) }),
        ...(location !== undefined && { location: { ...location } }),
    };
}
/** A message is a sentence; one that carries an agent's whole answer is cut. */
const MAX_MESSAGE_CHARS = 2_000;
/** The tail of a log says why; the log itself is elsewhere. */
const MAX_EVIDENCE_LINES = 50;
const MAX_LINE_CHARS = 1_000;
/** Cuts at a character's border and says so with an ellipsis. */
function cut(text, maxChars) {
    return text.length <= maxChars
        ? text
        : `${text
            .slice(0, maxChars - 1)
            .toWellFormed()
            .replace(/\ufffd$/, '')}…`;
}
function sortProblems(problems) {
    const place = ({ location }) => location?.file ?? '';
    return [...problems].sort((a, b) => compareText(place(a), place(b)) ||
        compareText(a.code, b.code) ||
        compareText(a.location?.pointer ?? '', b.location?.pointer ?? '') ||
        compareText(a.message, b.message));
}
function compareRuns(a, b) {
    return compareText(a.session, b.session) || a.turn - b.turn || a.run - b.run;
}
/** By code units: the same on every machine, whatever its language. */
function compareText(a, b) {
    return a < b ? -1 : Number(a > b);
}

;// CONCATENATED MODULE: ./build/src/report/json.js


/** Fields whose keys are not fixed by the schema: they are sorted. */
const FREE = new Set(['recorded', 'replayed', 'earlier', 'environment']);
/**
 * The text of `report.json`: keys in the order of the schema, and sorted where it knows none, so that equal
 * behaviours give equal bytes of `results`.
 */
function renderJson(report) {
    const ordered = schema_report.parse(report);
    return `${JSON.stringify(ordered, (name, value) => (FREE.has(name) ? sorted(value) : value), 2)}\n`;
}
function sorted(value) {
    if (Array.isArray(value))
        return value.map(sorted);
    if (typeof value !== 'object' || value === null || isRawNumber(value))
        return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    // `fromEntries` makes own keys of all names, `__proto__` included.
    return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

;// CONCATENATED MODULE: ./build/src/report/untrusted.js

/**
 * The one door for text that an agent, a model, a tool, a platform or a file name brought: every such text goes
 * through one of these before it stands in an output, whatever it is believed to be.
 */
/**
 * What must not act unseen: control, bidirectional and zero-width characters, tags, line separators, the blank
 * Braille cell. Tab and line feed are left to the caller, and the mark that makes an emoji of a sign is kept.
 */
const INVISIBLE = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\t\n\ufe0f]]/gv;
/** ANSI sequences removed, lone surrogates replaced, CR and CRLF made LF, and everything invisible written out (`\u202e`). */
function visible(text) {
    return (0,external_node_util_.stripVTControlCharacters)(text.toWellFormed().replace(/\r\n?/g, '\n')).replace(INVISIBLE, escaped);
}
function escaped(character) {
    const code = character.codePointAt(0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
/** Stands for a line break where there can be none. */
const LINE_BREAK_SIGN = '⏎';
function untrusted_oneLine(text) {
    return visible(text).replaceAll('\n', LINE_BREAK_SIGN).replaceAll('\t', ' ');
}
/**
 * One line for a terminal. The log of a CI job is standard output, and a line of it can be a command
 * (`::error::` at its start, `##[add-mask]` anywhere): both are broken by a visible backslash.
 */
function untrusted_forTerminal(text) {
    return untrusted_oneLine(text)
        .replaceAll('##[', '##\\[')
        .replace(/^\s*:(?=:)/, (start) => `${start}\\`);
}
/** Any number of lines for a terminal. */
function linesForTerminal(text) {
    return visible(text)
        .split('\n')
        .map((line) => untrusted_forTerminal(line));
}
/**
 * All that Markdown, GitHub's extensions of it (mentions, references, emoji, formulas, links) and HTML act on.
 * An underscore inside of a word and a colon before a blank do nothing, and are left as they read best.
 */
const MARKDOWN_ACTIVE = /[&<>|@#`*~[\]!\\$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?! )|(?<=www)\./giu;
/** A table cell, or a piece of a paragraph: code of one line, in which every active character is written as an entity. */
function forMarkdownCell(text) {
    const inert = untrusted_oneLine(text).replace(MARKDOWN_ACTIVE, (character) => `&#${character.charCodeAt(0)};`);
    return inert.trim() === '' ? '' : `<code>${inert}</code>`;
}
/** A fenced block, whose fence is longer than any run of backticks in it. */
function forMarkdownBlock(text, language = 'text') {
    const shown = visible(text);
    const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
    const fence = '`'.repeat(Math.max(3, longest + 1));
    return `${fence}${language}\n${shown}\n${fence}`;
}
/** Not allowed in XML 1.0 at all, not even as a reference; the rest of such characters is made visible before. */
const NOT_XML = /[\ufffe\uffff]/g;
/** Text of an element or a value of an attribute, in quotes of either kind. */
function forXml(text) {
    return visible(text)
        .replace(NOT_XML, '\ufffd')
        .replace(/[&<>"'\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

;// CONCATENATED MODULE: ./build/src/report/words.js

/** What every output says in the same words. None of it is safe to print yet, see untrusted.ts. */
/** One sign for each verdict, always beside its word: no output speaks by colour or sign alone. */
const VERDICT_SIGNS = {
    reproduced: '✔',
    changed: '✘',
    flaky: '~',
    unsettled: '≈',
    inconclusive: '?',
};
const STATUS_SIGNS = {
    passed: '✔',
    failed: '✘',
    error: '?',
    interrupted: '!',
};
/** The pin's file name, which people call a session by. */
function words_sessionName({ pin }) {
    return pin.replace(/^.*[/\\]/, '').replace(/\.session\.json$/, '');
}
/** The verdict, and whether the policy lets it pass. */
function verdictWord({ verdict, level }) {
    return verdict === 'reproduced' || level === 'error'
        ? verdict
        : `${verdict} (${level === 'warn' ? 'warning' : 'allowed'})`;
}
/** The turn that gave the session its verdict; undefined for a session without turns. */
function decisiveTurn({ turns, verdict }) {
    return turns.find(({ comparison }) => comparison.verdict === verdict) ?? turns[0];
}
/** Runs as recorded, of those that were asked for: `4/5`; of a session, at its decisive turn. */
function asRecorded(turn) {
    if (turn === undefined)
        return '–';
    const { figures, requested, stoppedAfter } = turn.comparison;
    return stoppedAfter === null ? `${figures.asRecorded}/${requested}` : `stopped after ${stoppedAfter}/${requested}`;
}
/** How much the replays agree with each other: `60 %`. */
function agreement(turn) {
    const share = turn?.comparison.stoppedAfter === null ? turn.comparison.figures.agreement : null;
    // 100 % says that all of them agree, and nothing less does.
    return share === null ? '–' : `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))} %`;
}
/** Why a session is not reproduced, in the few words that fit a table. */
function summary(session) {
    const turn = decisiveTurn(session);
    const divergence = turn?.comparison.divergence;
    // The sentence begins with the place and what is different: as much of it as fits. Its turn goes without saying in a session of one.
    if (divergence)
        return session.turns.length > 1 ? divergence.sentence : divergence.sentence.replace(/^turn \d+, /, '');
    const problem = session.problems[0] ?? turn?.problems[0];
    return problem ? `${problem.code}: ${problem.message}` : (turn?.comparison.note ?? '');
}
/** The worst verdicts first, otherwise in the order of the report. */
function bySeverity(sessions) {
    const rank = ({ verdict: each }) => verdict.options.indexOf(each);
    return [...sessions].sort((a, b) => rank(a) - rank(b));
}
/** Where a problem is: `file:line:column /pointer`. */
function placeOf({ file, line, column, pointer }) {
    const position = [line, column].filter((part) => part !== undefined).map((part) => `:${part}`);
    return `${file}${position.join('')}${pointer ? ` ${pointer}` : ''}`;
}
/** The places where the replays of a turn part; where they all leave the recording, the sentence says so already. */
function words_forksOf({ comparison }) {
    return comparison.forks.filter(({ branches }) => branches.filter(({ runs }) => runs.length > 0).length > 1);
}
/** The same in words: `step 4: 7 of 10 calls search (as recorded), 3 of 10 calls get_user`. */
function forkLines(turn) {
    return words_forksOf(turn).map(({ step, branches }) => {
        const total = branches.reduce((sum, { runs }) => sum + runs.length, 0);
        const shares = branches.map(({ label, runs, recorded }) => `${runs.length} of ${total} ${label}${recorded ? ' (as recorded)' : ''}`);
        return `step ${step}: ${shares.join(', ')}`;
    });
}
/** The shell command that replays just this session as this run did. */
function rerunCommand({ pin }, { results, evidence }) {
    const config = evidence.config === undefined ? [] : ['--config', evidence.config];
    const file = pin.startsWith('-') ? `./${pin}` : pin;
    return ['npx', 'agent-replay', 'run', file, ...config, '--runs', String(results.runs)].map(words_quoted).join(' ');
}
/** A word of a shell command, in quotes where a shell would read more into it than its text. */
function words_quoted(word) {
    return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
/** `60 calls, 2 retries, 12,345 tokens in, 2,345 out, $0.0123`, as far as it is known. */
function usageLine({ evidence: { usage, durationMs } }) {
    const { calls, retries, inputTokens, outputTokens, cost } = usage;
    return [
        `${number(calls)} ${calls === 1 ? 'call' : 'calls'}`,
        ...(retries > 0 ? [`${number(retries)} ${retries === 1 ? 'retry' : 'retries'}`] : []),
        ...(inputTokens === null ? [] : [`${number(inputTokens)} tokens in`]),
        ...(outputTokens === null ? [] : [`${number(outputTokens)} tokens out`]),
        ...(cost === null ? [] : [`$${cost.toFixed(cost < 1 ? 4 : 2)}`]),
        words_duration(durationMs),
    ].join(', ');
}
function number(value) {
    return value.toLocaleString('en-US');
}
/** `840 ms`, `12.3 s`, `12 s`, `2 min 5 s`, `1 h 2 min`. */
function words_duration(ms) {
    if (ms < 1_000)
        return `${Math.floor(ms)} ms`;
    if (ms < 60_000)
        return `${Math.floor(ms / 100) / 10} s`;
    const minutes = Math.floor(ms / 60_000);
    if (minutes < 60)
        return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
/** `run 3`, `runs 1, 2, 5`, `runs 1-40`. */
function runNumbers(runs) {
    const ranges = [];
    for (const run of runs) {
        const last = ranges.at(-1);
        if (last !== undefined && last[1] === run - 1)
            last[1] = run;
        else
            ranges.push([run, run]);
    }
    return `${runs.length === 1 ? 'run' : 'runs'} ${ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ')}`;
}

;// CONCATENATED MODULE: ./build/src/report/junit.js


/**
 * The report as JUnit XML: a suite a session, a case a turn. A divergence is a `<failure>`, what could not be verified
 * an `<error>`. What the policy lets pass fails nothing: a divergence is then said in `<system-out>`, a doubt is `<skipped>`.
 */
function renderJunit(report) {
    const { sessions, problems } = report.results;
    const suites = [
        ...sessions.map((session) => suite(session.pin, sessionCases(session, report))),
        ...(problems.length > 0 ? [suite('agent-replay', problems.map(problemCase))] : []),
    ];
    const root = junit_parent('testsuites', { name: 'agent-replay', ...totals(suites.flatMap(({ cases }) => cases)), time: report.evidence.durationMs / 1_000 }, suites.map(({ xml }) => xml));
    return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}
function sessionCases(session, report) {
    const rerun = `rerun: ${rerunCommand(session, report)}`;
    return [
        ...session.turns.map((turn) => turnCase(turn, rerun)),
        ...session.problems.map((problem) => {
            const outcome = session.level === 'error' ? 'error' : 'skipped';
            return testCase('session', outcome, problem.code, problem.message, [...problemLines(problem), rerun]);
        }),
    ];
}
function turnCase(turn, rerun) {
    const { verdict, divergence, note } = turn.comparison;
    const message = divergence?.sentence ?? turn.problems[0]?.message ?? note ?? verdict;
    const lines = [
        ...(divergence ? [divergence.sentence] : []),
        ...forkLines(turn),
        ...(note === null ? [] : [note]),
        ...turn.problems.flatMap((problem) => [runNumbers(problem.runs), ...problemLines(problem)]),
        ...(verdict === 'reproduced' ? [] : [rerun]),
    ];
    return testCase(`turn ${turn.turn}`, junit_outcomeOf(turn), verdict, message, lines);
}
function junit_outcomeOf({ level, comparison: { verdict } }) {
    if (verdict === 'reproduced')
        return 'passed';
    if (verdict === 'inconclusive')
        return level === 'error' ? 'error' : 'skipped';
    return level === 'error' ? 'failure' : 'passed';
}
function problemCase(problem) {
    return testCase(problem.location?.file ?? problem.code, 'error', problem.code, problem.message, problemLines(problem));
}
function problemLines({ code, message, evidence, hint, location }) {
    return [
        `${code}: ${message}`,
        ...(location === undefined ? [] : [`at ${placeOf(location)}`]),
        ...evidence,
        ...(hint === undefined ? [] : [hint]),
    ];
}
function testCase(name, outcome, type, message, lines) {
    const text = lines.map(forXml).join('\n');
    const children = {
        passed: () => (lines.length > 0 ? [junit_element('system-out', {}, [text])] : []),
        failure: () => [junit_element('failure', { type, message }, [text])],
        error: () => [junit_element('error', { type, message }, [text])],
        skipped: () => [junit_element('skipped', { message }), junit_element('system-out', {}, [text])],
    };
    return { outcome, xml: (suite) => junit_element('testcase', { classname: suite, name }, children[outcome]()) };
}
function suite(name, cases) {
    const xml = junit_element('testsuite', { name, ...totals(cases) }, cases.map((each) => each.xml(name)));
    return { cases, xml };
}
function totals(cases) {
    const count = (outcome) => cases.filter((each) => each.outcome === outcome).length;
    return { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
}
/** With its children on lines of their own. */
function junit_parent(name, attributes, children) {
    return junit_element(name, attributes, children.length === 0 ? [] : ['\n', ...children.map((child) => `${child}\n`)]);
}
/** @param children XML already: what is text has been through {@link forXml} */
function junit_element(name, attributes, children = []) {
    const start = Object.entries(attributes).map(([key, value]) => ` ${key}="${forXml(String(value))}"`);
    return children.length === 0
        ? `<${name}${start.join('')}/>`
        : `<${name}${start.join('')}>${children.join('')}</${name}>`;
}

;// CONCATENATED MODULE: ./build/src/report/learned.js



/**
 * Rules that may be written to the ignore file: places that are proposed as volatile, of turns that would have been
 * reproduced without them. Nothing is learned of an interrupted run, of a turn that lost a run or was stopped early,
 * or where anything else that counts differs as well.
 */
function learnedRules({ results, evidence }) {
    if (evidence.interruptedBy !== undefined)
        return [];
    const learned = new Map();
    for (const session of results.sessions) {
        for (const turn of session.turns) {
            const paths = learnablePaths(turn);
            for (const { path, runs, examples } of turn.comparison.noise) {
                if (!paths.has(path) || learned.has(path))
                    continue;
                const values = examples.map((each) => JSON.stringify(each)).join(', ');
                learned.set(path, forTerminal(`${runs} runs of ${sessionName(session)}, turn ${turn.turn}, among them ${values}`));
            }
        }
    }
    return [...learned].map(([path, evidence]) => ({ path, evidence }));
}
/** Of a turn's proposals those that explain all of its divergences together; none when something else is left. */
function learnablePaths({ comparison }) {
    const { noise, clusters, requested, conclusive, stoppedAfter } = comparison;
    const proposed = new Set(noise.filter(({ kind }) => kind === 'volatile').map(({ path }) => path));
    const replayed = clusters.filter(({ runs }) => runs.length > 0);
    const isComplete = conclusive === requested && stoppedAfter === null;
    const isListed = replayed.every(({ differences }) => differences.length < MAX_DIFFERENCES);
    if (!isComplete || !isListed)
        return new Set();
    const counting = replayed.flatMap(({ differences }) => differences.filter(({ severity }) => severity === 'behaviour'));
    const isExplained = counting.every((each) => {
        const path = learned_placeOf(each);
        return path !== undefined && proposed.has(path);
    });
    return isExplained ? proposed : new Set();
}
/** Places that vary from run to run: `tool:search/result/id varies in 5 runs ("a1", "b2"), looks generated`. */
function noiseLines(turn) {
    const learnable = learnablePaths(turn);
    return turn.comparison.noise.map(({ path, kind, runs, examples }) => {
        const values = examples.map((each) => JSON.stringify(each)).join(', ');
        const advice = learnable.has(path)
            ? 'it looks generated: --write-ignore ignores it'
            : kind === 'volatile'
                ? 'it looks generated, and other things differ too'
                : 'it does not look generated: ignore it only if it means nothing';
        return `${path} varies in ${runs} runs (${values}); ${advice}`;
    });
}
/**
 * The rule that would ignore a difference. What tools and their keys are called is not ours: a name that would make
 * the rule a wider one, or more lines than one, has none.
 */
function learned_placeOf({ kind, tool, pointer = '' }) {
    const isAnswer = kind === 'final-structure';
    if (!isAnswer && (kind !== 'result' || tool === undefined))
        return undefined;
    if (tool?.includes('/') || tool === '*' || pointer.split('/').includes('*'))
        return undefined;
    const path = pathOf(isAnswer ? { kind: 'final' } : { kind: 'result', name: tool }, pointer);
    return /\p{C}|\s$/u.test(path) ? undefined : path;
}

// EXTERNAL MODULE: ./node_modules/markdown-table/index.js
var markdown_table = __webpack_require__(3116);
// EXTERNAL MODULE: ./node_modules/string-width/index.js + 6 modules
var string_width = __webpack_require__(4668);
;// CONCATENATED MODULE: ./build/src/report/layout.js

/** Text in columns of a terminal. Widths count columns: a CJK character or an emoji takes two. */
/** Longest text that is measured; nothing on a terminal is read beyond it. */
const MAX_CHARS = 8_000;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The text, cut with an ellipsis where it is wider than `width`. */
function layout_fit(text, width) {
    const bounded = text.slice(0, MAX_CHARS);
    return bounded.length === text.length && (0,string_width/* default */.A)(text) <= width ? text : `${head(bounded, width - 1)}…`;
}
/** The text, filled up with blanks to `width`. */
function layout_pad(text, width) {
    return text + ' '.repeat(Math.max(0, width - (0,string_width/* default */.A)(text)));
}
/** The widest of some texts, within a limit. */
function widest(texts, limit) {
    return texts.reduce((most, text) => Math.max(most, Math.min(limit, (0,string_width/* default */.A)(text))), 0);
}
/** Lines of at most `width`, broken between words, and inside of a word only when it is longer than a line. */
function layout_wrap(text, width) {
    const bounded = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
    const lines = [];
    let line = '';
    for (const word of bounded.split(/ +/)) {
        let rest = line === '' ? word : `${line} ${word}`;
        if (line !== '' && isWider(rest, width)) {
            lines.push(line);
            rest = word;
        }
        while (isWider(rest, width)) {
            // A single character can be wider than the line: it is taken all the same, to get to an end.
            const part = head(rest, width) || [...rest][0];
            lines.push(part);
            rest = rest.slice(part.length);
        }
        line = rest;
    }
    return line === '' ? lines : [...lines, line];
}
/** A column rarely takes more units than this (an accent, an emoji of several): longer texts are not measured as a whole. */
const MAX_UNITS_PER_COLUMN = 4;
const MAX_COLUMNS_PER_UNIT = 2;
function isWider(text, width) {
    if (text.length * MAX_COLUMNS_PER_UNIT <= width)
        return false;
    return text.length > width * MAX_UNITS_PER_COLUMN || (0,string_width/* default */.A)(text) > width;
}
/** As many whole characters as fit. */
function head(text, width) {
    // `toWellFormed` finds out whether the cut went through a character.
    const bounded = text
        .slice(0, Math.max(1, width) * MAX_UNITS_PER_COLUMN)
        .toWellFormed()
        .replace(/\ufffd$/, '');
    let used = 0;
    let end = 0;
    for (const { segment } of graphemes.segment(bounded)) {
        used += (0,string_width/* default */.A)(segment);
        if (used > width)
            break;
        end += segment.length;
    }
    return text.slice(0, end);
}

;// CONCATENATED MODULE: ./build/src/report/markdown.js





const markdown_MAX_CHARS = 60_000;
const MAX_BYTES = 900 * 1024;
/** Kept free for the last lines: what was left out, and the figures. */
const TAIL_CHARS = 500;
/** The table is an overview; what happened is below it and needs room too. */
const TABLE_SHARE = 0.5;
/** Fold, name and rerun command alone take as much. */
const MIN_STORY_CHARS = 150;
/** Longest summary of a session in the table. */
const MAX_SUMMARY_CHARS = 120;
/** Width of wrapped text in a block: what a browser shows without a scroll bar. */
const BLOCK_COLUMNS = 100;
const markdown_MAX_EVIDENCE_LINES = 20;
const ALERTS = { passed: 'TIP', failed: 'CAUTION', error: 'WARNING', interrupted: 'WARNING' };
/**
 * The report for a pull request or a job summary: one sentence, a table, and a folded story of each session that is
 * not reproduced. Within its budget it is always whole: rows and stories that do not fit are counted, not cut.
 */
function renderMarkdown(report, { maxChars = markdown_MAX_CHARS, maxBytes = MAX_BYTES } = {}) {
    const page = new Page(maxChars - TAIL_CHARS, maxBytes - TAIL_CHARS);
    const { status, title, message } = gateOf(report);
    page.add(`> [!${ALERTS[status]}]\n> **${title}.** ${message}`);
    const sessions = bySeverity(report.results.sessions);
    const problems = report.results.problems.filter((problem) => !page.add(problemBlock(problem)));
    const rows = page.addTable(sessions.map(sessionRow));
    const told = sessions.filter((session) => session.verdict !== 'reproduced' || session.problems.length > 0);
    const untold = told.filter((session) => page.isFull || !page.add(sessionBlock(session, report)));
    const left = [
        ...(problems.length > 0 ? [plural(problems.length, 'problem')] : []),
        ...(rows > 0 ? [plural(rows, 'row')] : []),
        ...(untold.length > 0 ? [plural(untold.length, 'story', 'stories')] : []),
    ];
    return page.end([
        ...(left.length > 0 ? [`${left.join(', ')} more, see the report.`] : []),
        `<sub>${usageLine(report)}</sub>`,
    ]);
}
/** Whole blocks, as long as there is room for them. */
class Page {
    #blocks = [];
    #chars;
    #bytes;
    constructor(chars, bytes) {
        this.#chars = chars;
        this.#bytes = bytes;
    }
    /** No story is as short as what is left: none needs to be made any more. */
    get isFull() {
        return Math.min(this.#chars, this.#bytes) < MIN_STORY_CHARS;
    }
    /** @returns false when there is no room for the block */
    add(block) {
        const chars = block.length + SEPARATOR.length;
        const bytes = Buffer.byteLength(block) + SEPARATOR.length;
        if (chars > this.#chars || bytes > this.#bytes)
            return false;
        this.#blocks.push(block);
        this.#chars -= chars;
        this.#bytes -= bytes;
        return true;
    }
    /** @returns how many rows there was no room for */
    addTable(rows) {
        if (rows.length === 0)
            return 0;
        const [head, line, ...lines] = (0,markdown_table/* markdownTable */.Q)([HEADS, ...rows], { alignDelimiters: false }).split('\n');
        const room = { chars: this.#chars * TABLE_SHARE, bytes: this.#bytes * TABLE_SHARE };
        const table = [head, line];
        let chars = head.length + line.length + 2;
        let bytes = chars;
        for (const row of lines) {
            chars += row.length + 1;
            bytes += Buffer.byteLength(row) + 1;
            if (chars > room.chars || bytes > room.bytes)
                break;
            table.push(row);
        }
        const shown = table.length - 2;
        return shown > 0 && this.add(table.join('\n')) ? rows.length - shown : rows.length;
    }
    /** The last blocks, for which room was kept. */
    end(blocks) {
        return `${[...this.#blocks, ...blocks].join(SEPARATOR)}\n`;
    }
}
const SEPARATOR = '\n\n';
const HEADS = ['', 'session', 'verdict', 'as recorded', 'agreement', 'first divergence'];
function sessionRow(session) {
    const turn = decisiveTurn(session);
    const short = summary(session);
    return [
        VERDICT_SIGNS[session.verdict],
        forMarkdownCell(words_sessionName(session)),
        verdictWord(session),
        asRecorded(turn),
        agreement(turn),
        forMarkdownCell(short.length > MAX_SUMMARY_CHARS ? `${short.slice(0, MAX_SUMMARY_CHARS)}…` : short),
    ];
}
function sessionBlock(session, report) {
    const name = forMarkdownCell(words_sessionName(session));
    return details(`${VERDICT_SIGNS[session.verdict]} ${name}: ${verdictWord(session)}`, [
        ...(session.title === undefined ? [] : [forMarkdownCell(session.title)]),
        ...session.turns.flatMap(turnBlocks),
        ...session.problems.map((problem) => problemBlock(problem)),
        'Replay just this session:',
        forMarkdownBlock(rerunCommand(session, report)),
    ]);
}
function details(summary, blocks) {
    return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join(SEPARATOR);
}
function turnBlocks(turn) {
    const { divergence, note, verdict, suggestedRuns } = turn.comparison;
    const where = `Turn ${turn.turn}`;
    return [
        ...(divergence
            ? [
                forMarkdownBlock(layout_wrap(divergence.sentence, BLOCK_COLUMNS).join('\n')),
                ...valueBlock('Recorded', divergence.recorded),
                ...valueBlock('Replayed', divergence.replayed),
            ]
            : []),
        ...words_forksOf(turn).map(markdown_forkTable),
        ...(note === null || verdict === 'reproduced' ? [] : [`${where}: ${forMarkdownCell(note)}`]),
        ...(suggestedRuns === null ? [] : [`${where}: ${suggestedRuns} runs could settle it.`]),
        ...turn.problems.map(({ runs, ...problem }) => problemBlock(problem, `${where}, ${runNumbers(runs)}: `)),
    ];
}
function valueBlock(label, value) {
    if (value === undefined)
        return [];
    const block = typeof value === 'string' ? forMarkdownBlock(value) : forMarkdownBlock(JSON.stringify(value, null, 2), 'json');
    return [`${label}:`, block];
}
function markdown_forkTable({ step, branches }) {
    const total = branches.reduce((sum, { runs }) => sum + runs.length, 0);
    const rows = branches.map(({ label, runs, recorded }) => [
        `${runs.length} of ${total}`,
        forMarkdownCell(label),
        recorded ? 'as recorded' : '',
    ]);
    return (0,markdown_table/* markdownTable */.Q)([['runs', `step ${step}`, ''], ...rows], { alignDelimiters: false });
}
/** @param where put before the message */
function problemBlock({ code, message, evidence, hint, location }, where = '') {
    const facts = [
        ...(location === undefined ? [] : [`at ${placeOf(location)}`]),
        ...evidence.slice(-markdown_MAX_EVIDENCE_LINES),
    ];
    return [
        `${where}${forMarkdownCell(`${code}: ${message}`)}`,
        ...(facts.length > 0 ? [forMarkdownBlock(facts.join('\n'))] : []),
        ...(hint === undefined ? [] : [`→ ${forMarkdownCell(hint)}`]),
    ].join(SEPARATOR);
}

;// CONCATENATED MODULE: ./build/src/report/parse.js




/** Shown of a report's mistakes: the first ones usually cause the rest. */
const MAX_MISTAKES = 5;
/**
 * Reads the text of a `report.json`.
 * @param file where it came from, for the message
 * @throws AgentReplayError `INPUT_INVALID` when it is no report, or one of a newer version
 */
function parseReport(text, file = 'report.json') {
    const value = parse(text, file);
    if (isJsonObject(value) && typeof value.version === 'number' && value.version > REPORT_VERSION) {
        throw new AgentReplayError('INPUT_INVALID', `${file} was made by a newer version of agent-replay (report ${value.version}, this one reads ${REPORT_VERSION}).`, { location: { file, pointer: '/version' }, hint: 'Update agent-replay.' });
    }
    const parsed = report.safeParse(value);
    if (parsed.success)
        return parsed.data;
    throw new AgentReplayError('INPUT_INVALID', `${file} is not a report of agent-replay.`, {
        location: { file },
        evidence: parsed.error.issues
            .slice(0, MAX_MISTAKES)
            .map(({ path, message }) => `${z.core.toDotPath(path) || 'the whole file'}: ${message}`),
        hint: 'Give the report.json that a run has written, unchanged.',
    });
}
function parse(text, file) {
    try {
        return parseJson(text);
    }
    catch (error) {
        if (!(error instanceof JsonError))
            throw error;
        throw new AgentReplayError('INPUT_INVALID', `${file} is not valid JSON: ${error.message}.`, { location: { file } });
    }
}

;// CONCATENATED MODULE: ./build/src/report/progress.js



/** Fewer finished runs than this say little about the rest. */
const MIN_RUNS_FOR_ETA = 3;
/** The live line of a run, at most `columns` wide: `3/8 sessions, 12/40 runs, 4 waiting for traces, about 12 s left`. */
function progressLine(progress, columns = Number.POSITIVE_INFINITY) {
    const { sessionsDone, sessions, runsDone, runs, waitingForTraces, note } = progress;
    const left = remainingMs(progress);
    const parts = [
        ...(note === undefined ? [] : [forTerminal(note)]),
        `${sessionsDone}/${sessions} sessions`,
        `${runsDone}/${runs} runs`,
        ...(waitingForTraces > 0 ? [`${waitingForTraces} waiting for traces`] : []),
        ...(left === undefined ? [] : [`about ${duration(left)} left`]),
    ];
    return fit(parts.join(', '), columns);
}
/** As if the runs that are left took as long as those that are done. */
function remainingMs({ runsDone, runs, elapsedMs }) {
    if (runsDone < MIN_RUNS_FOR_ETA || runsDone >= runs)
        return undefined;
    const ms = (elapsedMs / runsDone) * (runs - runsDone);
    // Tenths of a second would pretend to know.
    return Math.max(1, Math.round(ms / 1_000)) * 1_000;
}

;// CONCATENATED MODULE: ./build/src/report/redact.js


/** Fields with a vocabulary of our own. A secret that happens to be such a word must not break the report. */
const OWN_WORDS = new Set([
    'version',
    'status',
    'strictness',
    'verdict',
    'level',
    'kind',
    'severity',
    'change',
    'code',
    'outcome',
    'startedAt',
    'traceSource',
    'interruptedBy',
]);
/** Fields with a JSON value from outside: nothing in it is ours, its keys included. */
const FOREIGN = new Set(['recorded', 'replayed', 'environment']);
/**
 * Takes secrets out of a report, wherever they stand.
 * @param redact replaces the secrets that this run knows, see `secretsRedactor`; what has the shape of a key goes anyway
 */
function redact_redactReport(report, redact) {
    const shapes = redactor({ personal: false });
    const text = (value) => shapes(redact(value));
    const lines = (values) => {
        // A secret can be split over the lines of a log. The number of lines stays, so that each finds its place again.
        const redacted = redact(values.join('\n')).split('\n');
        return values.map((value) => text(redacted.splice(0, value.split('\n').length).join('\n')));
    };
    const foreign = (value) => {
        if (typeof value === 'string')
            return redact(value);
        if (Array.isArray(value))
            return value.map(foreign);
        if (typeof value !== 'object' || value === null || isRawNumber(value))
            return value;
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), foreign(item)]));
    };
    const own = (value) => {
        if (typeof value === 'string')
            return text(value);
        if (Array.isArray(value))
            return value.every(isText) ? lines(value) : value.map(own);
        if (typeof value !== 'object' || value === null)
            return value;
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, field(name, item)]));
    };
    const field = (name, value) => {
        if (FOREIGN.has(name) && typeof value !== 'boolean')
            return shapes(foreign(value));
        return OWN_WORDS.has(name) && !Array.isArray(value) ? value : own(value);
    };
    const redacted = own(report);
    return { ...redacted, evidence: { ...redacted.evidence, tool: report.evidence.tool } };
}
function isText(value) {
    return typeof value === 'string';
}

;// CONCATENATED MODULE: ./build/src/report/secrets.js
/** What stands in the place of a secret. */
const MASK = '***';
/** Shorter values are words and numbers: replacing them everywhere would garble every text and hide nothing. */
const secrets_MIN_SECRET_CHARS = 4;
/** A line of a secret of many lines is one too, unless it is as short as a brace or a word. */
const MIN_LINE_CHARS = 8;
/** Less of a secret than this, before an ellipsis, is too likely to be something else. */
const MIN_CUT_CHARS = 8;
/** All forms begin with as many characters, by which they are found. */
const KEY_CHARS = secrets_MIN_SECRET_CHARS;
/**
 * Makes the function that replaces known secret values in a text by {@link MASK}: as they are, base64 at any offset,
 * URL-encoded, JSON-escaped (twice too), in hex, and split over lines. The number of lines stays as it was.
 * Linear in the text; a value under 4 characters is never replaced.
 */
function secrets_secretsRedactor(secrets) {
    const forms = indexForms(secrets);
    if (forms.size === 0)
        return (text) => text;
    return (text) => LINE_BREAKS.reduce((result, lineBreak) => mask(result, forms, lineBreak), text);
}
function mask(text, forms, lineBreak) {
    const joined = withoutBreaks(text, lineBreak);
    const found = findForms(joined.text, forms);
    return found.length === 0
        ? text
        : maskRanges(text, found.map(([start, end]) => joined.range(start, end)));
}
function indexForms(secrets) {
    const values = secrets.flatMap((secret) => [
        secret,
        secret.trim(),
        ...secret.split(/\r\n?|\n/).filter((line) => line.trim().length >= MIN_LINE_CHARS),
    ]);
    const forms = values
        .filter((value) => value.trim().length >= secrets_MIN_SECRET_CHARS)
        .flatMap(formsOf)
        .flatMap((form) => LINE_BREAKS.map((lineBreak) => withoutBreaks(form, lineBreak).text))
        .filter((form) => form.length >= KEY_CHARS);
    const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
    return Map.groupBy(longestFirst, (form) => form.slice(0, KEY_CHARS));
}
function formsOf(secret) {
    const bytes = Buffer.from(secret, 'utf8');
    const escaped = JSON.stringify(secret).slice(1, -1);
    const url = encodeURIComponent(secret.toWellFormed());
    const hex = bytes.toString('hex');
    return [
        secret,
        // A text is wrapped at its blanks, and the break takes the blank away.
        ...Array.from(secret.matchAll(/[ \t]+/g), ({ 0: blanks, index }) => secret.slice(0, index) + secret.slice(index + blanks.length)),
        escaped,
        JSON.stringify(escaped).slice(1, -1),
        escaped.replaceAll('/', '\\/'),
        url,
        url.replaceAll('%20', '+'),
        url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
        encodeURI(secret.toWellFormed()),
        hex,
        hex.toUpperCase(),
        ...base64Forms(bytes),
    ];
}
/**
 * The characters of a base64 text that a value alone decides, at each of the three offsets that it can have
 * in what was encoded. Those at its borders depend on its neighbours too.
 */
function base64Forms(bytes) {
    return [0, 1, 2].flatMap((offset) => {
        const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
        const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
        return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
    });
}
/** Non-overlapping places of the forms, in order. */
function findForms(text, forms) {
    const firsts = new Set(Array.from(forms.keys(), (key) => key.charCodeAt(0)));
    const found = [];
    let ellipsis = text.indexOf('…');
    for (let at = 0; at + KEY_CHARS <= text.length; at++) {
        if (!firsts.has(text.charCodeAt(at)))
            continue;
        const candidates = forms.get(text.slice(at, at + KEY_CHARS));
        if (candidates === undefined)
            continue;
        if (ellipsis !== -1 && ellipsis < at)
            ellipsis = text.indexOf('…', at);
        const length = lengthOfSecret(text, at, candidates, ellipsis);
        if (length === 0)
            continue;
        found.push([at, at + length]);
        at += length - 1;
    }
    return found;
}
/** How much of a secret begins at a place: all of it, or what an ellipsis has left of it when a text was cut. */
function lengthOfSecret(text, at, candidates, ellipsis) {
    const whole = candidates.find((form) => text.startsWith(form, at));
    if (whole !== undefined)
        return whole.length;
    const left = ellipsis - at;
    if (left < MIN_CUT_CHARS)
        return 0;
    return candidates.some((form) => left < form.length && form.startsWith(text.slice(at, ellipsis))) ? left : 0;
}
// With the blanks around them that a wrapped text has. A run of blanks is only tried from its start: linear.
const WRITTEN = /(?<![ \t])[ \t]*(?:\r\n?|\n)[ \t]*/g;
const ESCAPED = /(?<![ \t])[ \t]*(?:\r\n?|\n|(?:\\{1,2}r)?\\{1,2}n)[ \t]*/g;
/**
 * What a secret may be split by: line breaks, then also those that JSON has escaped. The second alone would miss
 * a secret that begins with an n and comes after a backslash.
 */
const LINE_BREAKS = [WRITTEN, ESCAPED];
function withoutBreaks(text, lineBreak) {
    /** Where the pieces begin, in the joined text and in the one before. */
    const pieces = [{ joined: 0, original: 0 }];
    let joined = '';
    let from = 0;
    for (const { 0: found, index } of text.matchAll(lineBreak)) {
        joined += text.slice(from, index);
        from = index + found.length;
        pieces.push({ joined: joined.length, original: from });
    }
    joined += text.slice(from);
    const original = (position) => {
        let low = 0;
        for (let high = pieces.length - 1; low < high;) {
            const middle = Math.ceil((low + high) / 2);
            if (pieces[middle].joined <= position)
                low = middle;
            else
                high = middle - 1;
        }
        return pieces[low].original + position - pieces[low].joined;
    };
    return { text: joined, range: (start, end) => [original(start), original(end - 1) + 1] };
}
/** Puts the mask in place of each range, once for each line of it. */
function maskRanges(text, ranges) {
    let masked = '';
    let from = 0;
    for (const [start, end] of ranges) {
        const breaks = text.slice(start, end).match(/\r\n?|\n/g) ?? [];
        masked += text.slice(from, start) + [MASK, ...breaks.map((lineBreak) => lineBreak + MASK)].join('');
        from = end;
    }
    return masked + text.slice(from);
}

;// CONCATENATED MODULE: ./build/src/report/side-by-side.js



/** Narrower terminals have no room for two columns: the sides stand one above the other. */
const MIN_TWO_COLUMNS = 80;
const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;
/** Longest value of a step, in characters of JSON; what differs in it is told below in full. */
const MAX_STEP_CHARS = 300;
/** Longest value of a difference. */
const side_by_side_MAX_VALUE_CHARS = 600;
const GAP = ' │ ';
const SEVERITY_STYLES = {
    noise: 'dim',
    wording: 'dim',
    minor: 'yellow',
    behaviour: 'red',
};
/** Two runs for people at a terminal: the steps that both share are folded, what differs stands side by side. */
function renderPair({ comparison, rows }, labels, { colour = false, columns = DEFAULT_COLUMNS } = {}) {
    const width = Math.max(columns, MIN_COLUMNS);
    const paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
    const lines = sides(labels.recorded, labels.replayed, width).map((line) => paint('bold', line));
    for (const part of folded(rows)) {
        if ('from' in part) {
            lines.push(paint('dim', `  ${part.from === part.to ? `step ${part.from}` : `steps ${part.from}-${part.to}`}: the same`));
            continue;
        }
        lines.push(...sides(side_by_side_shown(part.recorded), side_by_side_shown(part.replayed), width));
        for (const difference of part.differences) {
            const [first = '', ...rest] = wrapped(told(difference), width - 4);
            lines.push(paint(SEVERITY_STYLES[difference.severity], `  ≠ ${first}`), ...rest.map((line) => `    ${line}`));
        }
    }
    const { divergence } = comparison;
    lines.push('', ...wrapped(divergence === null ? 'no meaningful difference' : divergence.sentence, width));
    return `${lines.join('\n')}\n`;
}
/** Rows that differ, and runs of those that do not as one. */
function folded(rows) {
    const parts = [];
    for (const row of rows) {
        const last = parts.at(-1);
        if (!row.same || row.differences.length > 0 || row.recorded === null)
            parts.push(row);
        else if (last !== undefined && 'from' in last)
            parts[parts.length - 1] = { ...last, to: row.recorded.number };
        else
            parts.push({ from: row.recorded.number, to: row.recorded.number });
    }
    return parts;
}
/** Both texts beside each other, or below each other where there is no room. */
function sides(left, right, width) {
    if (width < MIN_TWO_COLUMNS) {
        const side = (sign, text) => wrapped(text, width - 2).map((line, index) => `${index === 0 ? sign : ' '} ${line}`);
        return [...(left === '' ? [] : side('-', left)), ...(right === '' ? [] : side('+', right))];
    }
    const column = Math.floor((width - GAP.length) / 2);
    const [a, b] = [wrapped(left, column), wrapped(right, column)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => `${pad(a[index] ?? '', column)}${GAP}${b[index] ?? ''}`.trimEnd());
}
function wrapped(text, width) {
    // A break can bring `::` to the start of a line, so each of them goes through the door once more.
    return wrap(forTerminal(text), width).map(forTerminal);
}
function side_by_side_shown(step) {
    if (step === null)
        return '';
    const { number, kind, name, value } = step;
    const text = value === undefined ? '' : side_by_side_cut(typeof value === 'string' ? value : JSON.stringify(value), MAX_STEP_CHARS);
    return `${number} ${kind}${name === undefined ? '' : ` ${name}`} ${text}`.trimEnd();
}
function told({ kind, severity, pointer, change, recorded, replayed, downstream }) {
    const what = [kind, pointer, ...(change === undefined || change === 'value' ? [] : [change])]
        .filter(Boolean)
        .join(' ');
    const value = (side) => side === undefined ? 'nothing' : side_by_side_cut(JSON.stringify(side), side_by_side_MAX_VALUE_CHARS);
    const follows = downstream === true ? ', follows from an earlier difference' : '';
    return `${what} (${severity}${follows}): ${value(recorded)} → ${value(replayed)}`;
}
function side_by_side_cut(text, length) {
    return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

;// CONCATENATED MODULE: ./build/src/report/significance.js


/** Below this a difference between recordings and replays is rarely chance. */
const significance_SIGNIFICANT = 0.05;
/**
 * What the permutation tests of turns with several recordings say, and how many recordings it would take for them to
 * say anything. Told, never a gate.
 */
function significanceLines({ results }) {
    const tests = results.sessions.flatMap((session) => session.turns.flatMap(({ turn, comparison: { permutation } }) => permutation === null ? [] : [{ place: `${words_sessionName(session)}, turn ${turn}`, permutation }]));
    const adjusted = holm(tests.map(({ permutation }) => permutation.p));
    const lines = tests.map(({ place, permutation: { p, baselines, replays } }, index) => {
        const among = tests.length > 1 ? `, ${adjusted[index]} among ${tests.length} tests (Holm)` : '';
        return `${place}: p = ${p}${among}: ${baselines} recordings against ${replays} replays`;
    });
    return [...lines, ...hintFor(tests.map(({ permutation }) => permutation))];
}
function hintFor(tests) {
    const weak = tests.filter(({ smallest }) => smallest * tests.length > significance_SIGNIFICANT);
    const replays = Math.max(...weak.map((each) => each.replays));
    const needed = weak.length === 0 ? null : baselinesNeeded(replays, tests.length);
    if (needed === null)
        return [];
    const which = weak.length === tests.length ? 'no test can' : `${weak.length} of ${tests.length} tests cannot`;
    return [`${which} reach p = ${significance_SIGNIFICANT}: with ${replays} replays that takes ${needed} recordings of a turn`];
}

;// CONCATENATED MODULE: ./build/src/report/terminal.js







const VERDICT_STYLES = {
    reproduced: 'green',
    changed: 'red',
    flaky: 'red',
    unsettled: 'red',
    inconclusive: 'yellow',
};
const STATUS_STYLES = {
    passed: 'green',
    failed: 'red',
    error: 'yellow',
    interrupted: 'yellow',
};
const terminal_DEFAULT_COLUMNS = 100;
/** Narrower ones are written as if they were this wide: the terminal breaks the lines then. */
const terminal_MIN_COLUMNS = 40;
/** The evidence shown under a problem; the report has all of it. */
const terminal_MAX_EVIDENCE_LINES = 8;
/** Longest name of a session in the table, so that there is room for what happened to it. */
const MAX_NAME_WIDTH = 40;
/** The report for people at a terminal and readers of a CI log: a table, what is not reproduced, and the status last. */
function renderTerminal(report, { colour = false, columns = terminal_DEFAULT_COLUMNS } = {}) {
    const paint = colour ? (style, text) => (0,external_node_util_.styleText)(style, text, { validateStream: false }) : (_, text) => text;
    const page = new terminal_Page(Math.max(columns, terminal_MIN_COLUMNS), paint);
    const { sessions, problems } = report.results;
    page.table(sessions);
    for (const session of sessions.filter(isWorthTelling))
        page.session(session, report);
    for (const problem of problems)
        page.problem(problem, '');
    page.significance(report);
    page.closing(report);
    return page.text();
}
function isWorthTelling({ verdict, problems }) {
    return verdict !== 'reproduced' || problems.length > 0;
}
const terminal_INDENT = '  ';
const terminal_GAP = '  ';
const GUTTER = '  ';
/** With less room than this a column says nothing, and is left out. */
const MIN_COLUMN = 12;
/** The lines of the output. Each text gets in through {@link forTerminal}, whoever wrote it. */
class terminal_Page {
    #lines = [];
    #columns;
    #paint;
    constructor(columns, paint) {
        this.#columns = columns;
        this.#paint = paint;
    }
    text() {
        return `${this.#lines.join('\n')}\n`;
    }
    /** One row a session; the last column takes what is left of the width, and is cut there. */
    table(sessions) {
        if (sessions.length === 0)
            return;
        const rows = sessions.map((session) => {
            const turn = decisiveTurn(session);
            const verdict = session.verdict;
            const cells = [words_sessionName(session), verdictWord(session), asRecorded(turn), agreement(turn), summary(session)];
            return { verdict, cells: cells.map(untrusted_forTerminal) };
        });
        const heads = ['session', 'verdict', 'as recorded', 'agreement', 'first divergence'];
        const widths = heads
            .slice(0, -1)
            .map((head, column) => widest([head, ...rows.map(({ cells }) => cells[column])], column === 0 ? MAX_NAME_WIDTH : this.#columns));
        const row = (cells) => cells.map((cell, column) => layout_pad(layout_fit(cell, widths[column] ?? this.#columns), widths[column] ?? 0));
        this.#row(' ', row(heads), () => 'dim');
        for (const { verdict, cells } of rows) {
            const style = VERDICT_STYLES[verdict];
            this.#row(VERDICT_SIGNS[verdict], row(cells), (column) => (column === 1 ? style : undefined), style);
        }
    }
    #row(sign, cells, styleOf, signStyle) {
        let left = this.#columns - GUTTER.length;
        const shown = cells.map((cell, column) => {
            const text = left >= Math.min(MIN_COLUMN, widest([cell], MIN_COLUMN)) ? layout_fit(cell, left) : '';
            left -= widest([text], this.#columns) + terminal_GAP.length;
            const style = styleOf(column);
            return style === undefined ? text : this.#paint(style, text);
        });
        const start = signStyle === undefined ? sign : this.#paint(signStyle, sign);
        this.#lines.push(`${start} ${shown.join(terminal_GAP)}`.trimEnd());
    }
    session(session, report) {
        const { verdict } = session;
        this.#blank();
        this.#line(`${VERDICT_SIGNS[verdict]} ${words_sessionName(session)}: ${verdictWord(session)}`, '', [
            VERDICT_STYLES[verdict],
            'bold',
        ]);
        if (session.title !== undefined)
            this.#line(session.title, terminal_INDENT, 'dim');
        for (const turn of session.turns)
            this.#turn(turn);
        for (const problem of session.problems)
            this.problem(problem, terminal_INDENT);
        this.#line(`rerun: ${rerunCommand(session, report)}`, terminal_INDENT, 'dim', false);
    }
    #turn(turn) {
        const { divergence, note, verdict, suggestedRuns } = turn.comparison;
        if (divergence)
            this.#line(divergence.sentence, terminal_INDENT);
        for (const fork of forkLines(turn))
            this.#line(fork, terminal_INDENT, 'dim');
        for (const noise of noiseLines(turn))
            this.#line(noise, terminal_INDENT, 'dim');
        if (verdict !== 'reproduced' && note !== null)
            this.#line(`turn ${turn.turn}: ${note}`, terminal_INDENT, 'dim');
        if (suggestedRuns !== null)
            this.#line(`${suggestedRuns} runs could settle it: --runs ${suggestedRuns}`, terminal_INDENT, 'dim');
        for (const { runs, ...problem } of turn.problems) {
            this.problem(problem, terminal_INDENT, `turn ${turn.turn}, ${runNumbers(runs)}: `);
        }
    }
    /** @param where put before the message */
    problem({ code, message, evidence, hint, location }, indent, where = '') {
        if (indent === '')
            this.#blank();
        this.#line(`${code} ${where}${message}`, indent, 'yellow');
        if (location !== undefined)
            this.#line(`at ${placeOf(location)}`, indent + terminal_INDENT, 'dim', false);
        const left = evidence.length - terminal_MAX_EVIDENCE_LINES;
        for (const text of evidence.slice(-terminal_MAX_EVIDENCE_LINES)) {
            for (const line of linesForTerminal(text))
                this.#line(line, `${indent}  │ `, 'dim', false);
        }
        if (left > 0)
            this.#line(`${left} earlier lines are in the report`, `${indent}  │ `, 'dim');
        if (hint !== undefined)
            this.#line(`→ ${hint}`, indent + terminal_INDENT);
    }
    significance(report) {
        const lines = significanceLines(report);
        if (lines.length > 0)
            this.#blank();
        for (const line of lines)
            this.#line(line, '', 'dim');
    }
    closing(report) {
        const { status, title, message } = gateOf(report);
        this.#blank();
        this.#line(`${STATUS_SIGNS[status]} ${status}: ${title}`, '', [STATUS_STYLES[status], 'bold']);
        this.#line(message, terminal_INDENT);
        this.#line(usageLine(report), terminal_INDENT, 'dim');
    }
    #blank() {
        if (this.#lines.length > 0)
            this.#lines.push('');
    }
    /** @param wrapped false for what is to be copied as it is, or cut off by the terminal itself */
    #line(text, indent, style, wrapped = true) {
        const safe = untrusted_forTerminal(text);
        const lines = wrapped ? layout_wrap(safe, this.#columns - indent.length) : [safe];
        // A break can bring `::` to the start of a line, so each of them goes through the door once more.
        for (const line of lines.map(untrusted_forTerminal))
            this.#lines.push(indent + (style === undefined ? line : this.#paint(style, line)));
    }
}

;// CONCATENATED MODULE: ./build/src/report/index.js
















;// CONCATENATED MODULE: ./build/src/config/mistakes.js
/** Each mistake in one line: the path of the setting, and what is wrong with it. */
function mistakesIn(error) {
    return error.issues.flatMap((issue) => mistakes_described(issue, []));
}
function mistakes_described(issue, above) {
    const at = [...above, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
        return issue.keys.map((key) => `${mistakes_shown([...at, key])}: there is no such setting`);
    }
    if (issue.code === 'invalid_union') {
        const meant = meantBranch(issue.errors);
        if (meant !== undefined)
            return meant.flatMap((inner) => mistakes_described(inner, at));
    }
    return [`${mistakes_shown(at)}: ${issue.message}`];
}
/** Of a setting that can be written in several ways, the one that the user had begun: the mistake is inside, or of value. */
function meantBranch(branches) {
    const begun = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
    const ofType = branches.filter((issues) => issues.every(({ code }) => code !== 'invalid_type'));
    return [begun, ofType].find(({ length }) => length === 1)?.[0];
}
function mistakes_shown(path) {
    return path.map(String).join('.') || 'the configuration';
}

;// CONCATENATED MODULE: ./build/src/config/schema.js









const source = schemas/* enum */.k5n(['embedded', 'platform', 'none']).meta({
    description: 'Where replay traces are read from: embedded (a receiver of ours), platform (host and keys from the environment) or none (responses only).',
});
/** A receiver that the agent cannot be told of needs a fixed address and fixed keys. */
const receiver = schemas/* strictObject */.rej({
    host: schemas/* string */.YjP()
        .min(1)
        .optional()
        .meta({ description: 'Address that the receiver listens on; 127.0.0.1 by default.' }),
    port: schemas/* int */.Whr().min(1).max(65_535).optional().meta({ description: 'Port of the receiver; a free one by default.' }),
    publicKey: schemas/* string */.YjP()
        .min(1)
        .optional()
        .meta({ description: 'Public key of the receiver; made for the run by default.' }),
    secretKey: schemas/* string */.YjP()
        .min(1)
        .optional()
        .meta({ description: 'Secret key of the receiver; made for the run by default.' }),
});
const tracing = schemas/* union */.KCZ([
    source.transform((name) => ({ source: name, receiver: {} })),
    schemas/* strictObject */.rej({ source: source.default('embedded'), receiver: receiver.prefault({}) }),
])
    .meta({ description: 'Where replay traces are read from; with a fixed receiver in parts.' });
const request = schemas/* strictObject */.rej({
    system: schemas/* enum */.k5n(['drop', 'keep'])
        .default('drop')
        .meta({ description: 'Whether recorded system messages are sent again; the agent under test brings its own.' }),
});
const redact = schemas/* strictObject */.rej({
    personal: schemas/* boolean */.zMY().default(true).meta({ description: 'Replace personal data in what was recorded.' }),
    request: schemas/* boolean */.zMY()
        .default(false)
        .meta({ description: 'Replace personal data in requests too, which changes what is sent.' }),
});
/** The configuration, as a user writes it in `agent-replay.config.ts`. */
const schema_config = schemas/* strictObject */.rej({
    $schema: schemas/* string */.YjP().optional(),
    root: schemas/* string */.YjP()
        .min(1)
        .default('.')
        .meta({ description: 'Folder that all paths are relative to, from the folder of this file.' }),
    agent: agentOptions.optional(),
    agents: schemas/* record */.g1P(schemas/* string */.YjP().min(1), agentOptions)
        .refine((agents) => Object.keys(agents).length > 0, { error: 'at least one agent is required' })
        .optional()
        .meta({ description: 'Several agents by id; a session runs against the one that it was recorded with.' }),
    sessions: schemas/* union */.KCZ([schemas/* string */.YjP().min(1), schemas/* array */.YOg(schemas/* string */.YjP().min(1)).min(1)])
        .default('replays/**/*.session.json')
        .meta({ description: 'Files or patterns of the pinned sessions.' }),
    allowEmpty: schemas/* boolean */.zMY().default(false).meta({ description: 'No session at all is then not an error.' }),
    ...replayOptions.shape,
    tracing: tracing.prefault('embedded'),
    request: request.prefault({}),
    compare: compareRules.prefault({}),
    ...gatePolicy.shape,
    redact: redact.prefault({}),
    identifiers: identifiers_identifiers.prefault({}),
})
    .refine(({ agent, agents }) => agent === undefined || agents === undefined, {
    error: 'give either agent or agents',
    path: ['agents'],
});
/** Gives a configuration its type, so that the editor completes and checks it. */
function defineConfig(input) {
    return input;
}
/**
 * Checks a configuration and fills in its defaults.
 * @param options.folder what `root` is relative to
 * @param options.file named in the error
 * @throws AgentReplayError `CONFIG_INVALID` with the path of every mistake
 */
function parseConfig(input, { folder, file }) {
    const { data, error } = schema_config.safeParse(input);
    if (data !== undefined) {
        const { timeouts, tracing } = data;
        const isPatient = tracing.source === 'platform' && !saysTraceTimeout(input);
        return {
            ...data,
            root: external_node_path_.resolve(folder, data.root),
            timeouts: isPatient ? { ...timeouts, trace: PLATFORM_TRACE_MS } : timeouts,
        };
    }
    throw new errors_AgentReplayError('CONFIG_INVALID', 'The configuration is not valid.', {
        evidence: mistakesIn(error),
        hint: 'Correct these settings.',
        ...(file === undefined ? {} : { location: { file } }),
    });
}
/** On a platform a trace becomes visible seconds after it was sent, and its reads may be limited to a few a minute. */
const PLATFORM_TRACE_MS = 120_000;
function saysTraceTimeout(input) {
    const { timeouts } = input;
    return timeouts?.trace !== undefined;
}

;// CONCATENATED MODULE: ./build/src/config/options.js


const SHORT_NAMES = {
    'agent.command': 'start',
    'agent.url': 'url',
    'compare.strictness': 'strictness',
};
/** Settings that are for a file only. */
const NOT_OPTIONS = new Set(['$schema', 'agents']);
/** Every setting that can be given as an option, read from the schema: nothing is listed twice. */
function configOptions() {
    return optionsOf(config, []);
}
/**
 * The configuration as it is written, with some settings replaced. `tracing: 'none'` is spelled out when only a part
 * of it is replaced.
 * @throws AgentReplayError `USAGE` when a setting is given as a whole and a part of it by an option
 */
function withOptions(written, values) {
    if (!isPlainObject(written))
        return written;
    let result = written;
    for (const [path, value] of values)
        result = replaced(result, path.split('.'), value);
    return result;
}
/**
 * What the text of an option means as a setting.
 * @throws AgentReplayError `USAGE`
 */
function readOption({ flag, kind }, text) {
    if (kind === 'boolean')
        return text === true || text === 'true';
    if (kind === 'pairs')
        return Object.fromEntries([text].flat().map((pair) => readPair(flag, String(pair))));
    if (kind === 'list')
        return String(text)
            .split(',')
            .map((part) => part.trim());
    if (kind === 'text')
        return String(text);
    if (kind === 'numbers')
        return String(text)
            .split(',')
            .map((part) => readNumber(flag, part));
    return readNumber(flag, String(text));
}
function readNumber(flag, text) {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number))
        return number;
    throw new AgentReplayError('USAGE', `--${flag} takes a number, not "${text}".`);
}
function readPair(flag, pair) {
    const at = pair.indexOf('=');
    if (at > 0)
        return [pair.slice(0, at), pair.slice(at + 1)];
    throw new AgentReplayError('USAGE', `--${flag} takes NAME=VALUE.`, { hint: 'Give the option once for each name.' });
}
function optionsOf(schema, path) {
    if (NOT_OPTIONS.has(path.join('.')))
        return [];
    const inner = unwrapped(schema);
    const ways = inner.def.type === 'union' ? inner.options.map(unwrapped) : [inner];
    const kind = ways.map(kindOf).find((known) => known !== undefined);
    const name = path.join('.');
    const whole = {
        path: name,
        flag: SHORT_NAMES[name] ?? path.map(kebabCase).join('-'),
        kind: kind ?? 'text',
        choices: ways.flatMap((way) => (way.def.type === 'enum' ? way.options.map(String) : [])),
        default: defaultOf(schema),
        description: descriptionOf(schema),
    };
    const parts = ways
        .filter((way) => way.def.type === 'object')
        .flatMap((way) => Object.entries(way.shape))
        .flatMap(([key, part]) => optionsOf(part, [...path, key]));
    // What can be written short or in parts has an option for the short form and one for each part.
    return kind === undefined ? parts : [whole, ...parts];
}
/** What can stand behind `NAME=` on a command line. */
const PAIRED = new Set(['string', 'enum']);
function kindOf(schema) {
    switch (schema.def.type) {
        case 'string':
        case 'enum':
        case 'literal':
            return 'text';
        case 'number':
        case 'int':
            return 'number';
        case 'boolean':
            return 'boolean';
        case 'array':
            return kindOf(unwrapped(schema.element)) === 'number' ? 'numbers' : 'list';
        case 'record':
            return PAIRED.has(unwrapped(schema.def.valueType).def.type) ? 'pairs' : undefined;
        default:
            return undefined;
    }
}
/** Below defaults and transformations, what is written. */
function unwrapped(schema) {
    const def = schema.def;
    const inner = def.innerType ?? def.in;
    return inner === undefined ? schema : unwrapped(inner);
}
function descriptionOf(schema) {
    const { description } = schema;
    const inner = schema.def.innerType;
    return description ?? (inner === undefined ? '' : descriptionOf(inner));
}
function defaultOf(schema) {
    const { type, defaultValue } = schema.def;
    const isWord = typeof defaultValue === 'string' || typeof defaultValue === 'number' || typeof defaultValue === 'boolean';
    return (type === 'default' || type === 'prefault') && isWord ? defaultValue : undefined;
}
function kebabCase(key) {
    return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
function replaced(written, [key, ...rest], value, above = []) {
    if (key === undefined)
        return written;
    if (rest.length === 0)
        return { ...written, [key]: value };
    const path = [...above, key];
    return { ...written, [key]: replaced(inParts(written[key], path.join('.')), rest, value, path) };
}
/** A setting of which only a part is to be replaced, spelled out. */
function inParts(present, path) {
    if (present === undefined)
        return {};
    if (isPlainObject(present))
        return present;
    if (path === 'tracing')
        return { source: present };
    throw new errors_AgentReplayError('USAGE', `${path} is set as a whole, so that no part of it can be set by an option.`, {
        hint: `Give --${kebabCase(path)} as a whole, or write ${path} in parts in the configuration.`,
    });
}
function isPlainObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

;// CONCATENATED MODULE: ./build/src/config/load.js
var __rewriteRelativeImportExtension = (undefined && undefined.__rewriteRelativeImportExtension) || function (path, preserveJsx) {
    if (typeof path === "string" && /^\.\.?\//.test(path)) {
        return path.replace(/\.(tsx)$|((?:\.d)?)((?:\.[^./]+?)?)\.([cm]?)ts$/i, function (m, tsx, d, ext, cm) {
            return tsx ? preserveJsx ? ".jsx" : ".js" : d && (!ext || !cm) ? m : (d + ext + "." + cm.toLowerCase() + "js");
        });
    }
    return path;
};








/** In this order, when a folder has several. */
const NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `agent-replay.config.${extension}`);
/**
 * Finds, reads and checks the configuration.
 * @throws AgentReplayError `CONFIG_NOT_FOUND`, `CONFIG_INVALID` with the path of every mistake
 */
async function loadConfig({ cwd, file, options = new Map() }) {
    const found = file === undefined ? await findUpwards(external_node_path_.resolve(cwd)) : await existing(external_node_path_.resolve(cwd, file), cwd);
    if (found === undefined && !options.has('agent.url')) {
        throw new errors_AgentReplayError('CONFIG_NOT_FOUND', 'There is no agent-replay.config.ts here or in a folder above.', {
            evidence: [`searched from ${cwd}`],
            hint: 'Write one (see the README), name it with --config, or give --url and --start.',
        });
    }
    const written = found === undefined ? {} : await read(found);
    const folder = found === undefined ? cwd : external_node_path_.dirname(found);
    const parsed = parseConfig(withOptions(written, options), { folder, file: found && shownPath(found, cwd) });
    const ignoreFile = await readIgnoreFile(folder);
    const ignore = [...parsed.compare.ignore, ...ignoreFile.rules];
    return { ...parsed, compare: { ...parsed.compare, ignore }, ignoreFile };
}
async function findUpwards(folder) {
    for (const name of NAMES) {
        const file = external_node_path_.join(folder, name);
        if (await isThere(file))
            return file;
    }
    const above = external_node_path_.dirname(folder);
    return above === folder ? undefined : findUpwards(above);
}
async function existing(file, cwd) {
    if (await isThere(file))
        return file;
    const shown = shownPath(file, cwd);
    throw new errors_AgentReplayError('CONFIG_NOT_FOUND', `There is no configuration ${shown}.`, {
        evidence: [`looked for ${file}`],
        hint: 'Correct --config, which is relative to the current folder.',
        location: { file: shown },
    });
}
async function read(file) {
    try {
        if (external_node_path_.extname(file) === '.json')
            return json_parseJson((await (0,external_node_fs_promises_.readFile)(file, 'utf8')).replace(/^\ufeff/, ''));
        return (await import(__rewriteRelativeImportExtension(/* webpackIgnore: true */ (0,external_node_url_.pathToFileURL)(file).href))).default;
    }
    catch (error) {
        throw new errors_AgentReplayError('CONFIG_INVALID', `${external_node_path_.basename(file)} could not be read.`, {
            evidence: evidenceOf(error),
            hint: load_hintFor(error),
            location: { file },
            cause: error,
        });
    }
}
/** A syntax error shows its line before its message; of any other error the message is enough. */
function evidenceOf(error) {
    if (!(error instanceof Error))
        return [String(error)];
    const shown = error instanceof SyntaxError && error.stack !== undefined ? error.stack.split('\n    at ')[0] : undefined;
    return (shown ?? error.message).split('\n').filter((line) => line.trim() !== '');
}
function load_hintFor(error) {
    if (error instanceof json_JsonError)
        return 'Correct the JSON.';
    const { code, message = '' } = Object(error);
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'agent-replay'")) {
        return 'Install the package (npm install --save-dev agent-replay), or export a plain object.';
    }
    if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
        return 'Node strips types only: use no enums or parameter properties.';
    return 'The file must load as it is: run it with node to see the error.';
}
function shownPath(file, cwd) {
    const relative = external_node_path_.relative(cwd, file);
    return relative.startsWith('..') ? file : relative;
}
async function isThere(file) {
    return (0,external_node_fs_promises_.access)(file).then(() => true, () => false);
}

;// CONCATENATED MODULE: ./build/src/config/index.js





;// CONCATENATED MODULE: ./build/src/job/accept.js



/**
 * Makes what the replays of a session did its new original. Pure: nothing is written.
 * @param result what the report says of it
 * @param behaviours what the run has kept of it
 */
function accept(session, result, behaviours, options = {}) {
    const refused = [];
    const accepted = [];
    const turns = [...session.turns];
    if (result.turns.length === 0)
        refused.push(refusal(result, undefined, 'none of its replays could be compared'));
    for (const turnResult of result.turns) {
        const { turn } = turnResult;
        try {
            const pinned = turns[turn - 1];
            if (pinned === undefined)
                throw refusal(result, turn, 'the pin has no such turn any more');
            const recordings = meantClusters(turnResult, result, options).map((cluster) => accept_recordingOf(behaviours, result, { turn, cluster }));
            for (const recording of recordings)
                check(recording, pinned, result, turn, options);
            const redacted = recordings.map((each) => session.redacted === undefined ? each : redactRecording(each, session.redacted));
            turns[turn - 1] = options.asBaseline ? withBaselines(pinned, redacted) : withOriginal(pinned, redacted);
            const as = options.asBaseline ? 'baseline' : 'original';
            accepted.push(...redacted.map((after) => ({ turn, as, before: pinned.recorded, after })));
        }
        catch (error) {
            if (!(error instanceof AgentReplayError))
                throw error;
            refused.push(error);
        }
    }
    return refused.length > 0
        ? { session, accepted: [], refused }
        : { session: { ...session, turns }, accepted, refused };
}
/** Clusters whose behaviour is taken over; none when all of it is recorded already. */
function meantClusters({ turn, comparison }, result, options) {
    const { run, asBaseline } = options;
    const ways = comparison.clusters.filter(({ runs }) => runs.length > 0);
    if (ways.length === 0)
        throw refusal(result, turn, 'none of its replays could be compared');
    const meant = run === undefined ? ways : ways.filter(({ runs }) => runs.includes(run));
    if (meant.length === 0)
        throw refusal(result, turn, `run ${run} could not be compared, or was not made`);
    if (meant.length > 1 && !asBaseline) {
        throw refusal(result, turn, `its replays do not agree: ${ways.length} behaviours in ${comparison.conclusive} runs`, 'Choose one with --run K, or take all of them as recorded with --as-baseline.');
    }
    return meant.filter(({ recorded }) => !recorded).map(({ id }) => id);
}
function accept_recordingOf(behaviours, result, { turn, cluster }) {
    const own = behaviours.find((each) => each.session === result.id && each.turn === turn && each.cluster === cluster);
    if (own !== undefined)
        return own.recording;
    throw refusal(result, turn, 'what its replays did is not in the output folder', 'Run it again with --output-dir.');
}
function check(recording, { request, recorded }, result, turn, { responsesOnly }) {
    if (responsesOnly && recorded.observations.length > 0) {
        throw refusal(result, turn, 'the run had no traces, and the pin would lose its steps', 'Run it again with tracing: embedded.');
    }
    const difference = request && inputDiffers(request, recording);
    if (difference !== undefined) {
        throw refusal(result, turn, `the replay was given another request than the pin now holds: ${difference}`);
    }
}
/** Where it came from, and further recordings of what it no longer does, go with the old original. */
function withOriginal(turn, [recorded]) {
    if (recorded === undefined)
        return turn;
    const { metadata: _, baselines: __, ...rest } = turn;
    return { ...rest, recorded };
}
function withBaselines(turn, added) {
    return added.length === 0 ? turn : { ...turn, baselines: [...(turn.baselines ?? []), ...added] };
}
function refusal({ pin }, turn, reason, hint = 'Run the session again, then accept that run.') {
    const place = turn === undefined ? pin : `${pin}, turn ${turn}`;
    return new AgentReplayError('USAGE', `${place} is left as it is: ${reason}.`, { location: { file: pin }, hint });
}

;// CONCATENATED MODULE: ./build/src/job/files.js





/** How a report can be written, and to which file of the output folder. */
const FORMATS = {
    json: { file: 'report.json', render: renderJson },
    junit: { file: 'junit.xml', render: renderJunit },
    markdown: { file: 'report.md', render: renderMarkdown },
};
const outputFormats = Object.keys(FORMATS);
/**
 * Writes a report into a folder, once in each format.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
async function writeReport(report, { dir, formats }) {
    for (const format of formats) {
        const { file, render } = FORMATS[format];
        await writeOutput(external_node_path_.join(dir, file), render(report));
    }
}
/**
 * Writes a file of the output folder: it is there entirely or not at all.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
async function writeOutput(file, text) {
    const temporary = external_node_path_.join(external_node_path_.dirname(file), `.${(0,external_node_crypto_.randomUUID)()}.tmp`);
    try {
        await (0,external_node_fs_promises_.mkdir)(external_node_path_.dirname(file), { recursive: true });
        await (0,external_node_fs_promises_.writeFile)(temporary, text, { flag: 'wx' });
        await (0,external_node_fs_promises_.rename)(temporary, file);
    }
    catch (error) {
        throw notWritable(file, error);
    }
    finally {
        // The folder itself may be what is not there.
        await (0,external_node_fs_promises_.rm)(temporary, { force: true }).catch(() => { });
    }
}
/** What to report when the output folder does not take a file. */
function notWritable(file, error) {
    const { code = 'unknown error' } = error;
    return new errors_AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} could not be written (${code}).`, {
        location: { file },
        hint: 'Check that the disk has room and the folder can be written to, or choose another with --output-dir.',
        cause: error,
    });
}

;// CONCATENATED MODULE: ./build/src/job/interruption.js

/** Why a run ended before its end: give it to `abort()`. */
class Interruption extends errors_AgentReplayError {
    by;
    constructor(by) {
        super('INTERRUPTED', `The run was interrupted by ${by}.`, { hint: 'What had finished by then is in the report.' });
        this.by = by;
    }
}

;// CONCATENATED MODULE: ./build/src/job/lifetime.js


/** What a shell expects of a process that ended because of a signal. */
const lifetime_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };
/** CI gives a cancelled job 7.5 s for everything; what has not ended by then is killed with this process. */
const LAST_MOMENT_MS = 6_000;
/**
 * Listens for what ends this process. The first signal asks for an orderly end, the second one ends at once: what we
 * started is killed on exit.
 * @param onError takes an error that nobody caught
 */
function startLifetime(onError) {
    const controller = new AbortController();
    let exitCode;
    const end = (code, reason) => {
        if (exitCode !== undefined)
            process.exit(exitCode);
        exitCode = code;
        setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref();
        controller.abort(reason);
    };
    const onSignal = (name) => {
        const signal = name;
        end(lifetime_EXIT_CODES[signal], new Interruption(signal));
    };
    const onUncaught = (error) => {
        onError(error);
        end(2, asAgentReplayError(error));
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
    return {
        signal: controller.signal,
        get exitCode() {
            return exitCode;
        },
        [Symbol.dispose]: () => {
            process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
            process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
        },
    };
}

;// CONCATENATED MODULE: ./build/src/job/plan.js



/** Reads the pinned sessions and says what will be replayed. What is wrong with one pin does not stop the others. */
async function plan_planJob(config, selection = {}) {
    const { pins, problems } = await load_loadPins(plan_patternsOf(config, selection), {
        root: config.root,
        grep: selection.grep,
        allowEmpty: config.allowEmpty,
    });
    const agents = configuredAgents(config);
    const { turn } = selection;
    const meant = pins.filter((pin) => turn === undefined || turn <= pin.turns.length);
    const planned = meant.map((pin) => ({ ...plannedSession(pin, turn), agent: agentFor(pin, agents) }));
    const groups = agents.map((agent) => ({
        ...agent,
        sessions: planned.filter((session) => session.agent === agent && session.turns.length > 0),
    }));
    const notReplayed = planned
        .filter(({ agent, turns }) => agent === undefined || turns.length === 0)
        .map((session) => session.agent === undefined
        ? { ...session, turns: [], problems: [...session.problems, noAgentFor(session.pin, agents)] }
        : session);
    const replayed = groups.flatMap(({ sessions }) => sessions);
    return {
        agents: groups.filter(({ sessions }) => sessions.length > 0),
        notReplayed,
        problems: meant.length < pins.length && meant.length === 0 ? [...problems, noSuchTurn(turn)] : problems,
        calls: replayed.reduce((sum, { turns }) => sum + turns.length, 0) * config.runs,
        mutatingCalls: mutatingCallsIn(replayed, config),
    };
}
/** The files or patterns of the pins that are meant. */
function plan_patternsOf({ sessions }, { patterns }) {
    return patterns?.length ? patterns : sessions;
}
/** The sessions that are replayed, of all agents. */
function plan_plannedSessions({ agents }) {
    return agents.flatMap(({ sessions }) => sessions);
}
/** @throws AgentReplayError `CONFIG_INVALID` when there is none */
function configuredAgents({ agent, agents, root }) {
    const named = agents !== undefined ? Object.entries(agents) : agent !== undefined ? [[agent.id, agent]] : [];
    if (named.length === 0) {
        throw new errors_AgentReplayError('CONFIG_INVALID', 'No agent is configured.', {
            hint: 'Set agent.url, and agent.command to have it started (--url, --start).',
        });
    }
    return named.map(([id, options]) => ({
        id,
        options: { ...options, id, cwd: external_node_path_.resolve(root, options.cwd ?? '.') },
    }));
}
function agentFor({ session }, agents) {
    const [only, ...others] = agents;
    if (others.length === 0 && (only?.id === undefined || session.agentId === undefined))
        return only;
    return agents.find(({ id }) => id === session.agentId);
}
function noAgentFor({ session, path: file, locate }, agents) {
    const pointer = '/agentId';
    const recordedWith = session.agentId === undefined
        ? 'does not say with which agent'
        : `was recorded with the agent "${session.agentId}"`;
    return new errors_AgentReplayError('PIN_NOT_REPLAYABLE', `The session ${recordedWith}, and the configuration has ${agents.map(({ id }) => `"${id}"`).join(', ')}.`, {
        location: { file, ...locate(pointer), pointer },
        hint: 'Add that agent under agents, or correct agentId in the pin.',
    });
}
function plannedSession(pin, only) {
    const wanted = pin.turns.map((_, index) => index + 1).filter((turn) => only === undefined || turn === only);
    const problems = wanted.flatMap((turn) => {
        const status = pin.turns[turn - 1];
        return status?.ok === false ? [notReplayable(pin, turn, status.reason)] : [];
    });
    return { pin, turns: wanted.filter((turn) => pin.turns[turn - 1]?.ok), problems };
}
function noSuchTurn(turn) {
    return new errors_AgentReplayError('NO_SESSIONS', `No session has a turn ${turn}.`, {
        hint: 'Turns count from 1; correct --turn.',
    });
}
function notReplayable({ path: file, locate }, turn, reason) {
    const pointer = `/turns/${turn - 1}`;
    return new errors_AgentReplayError('PIN_NOT_REPLAYABLE', `Turn ${turn} cannot be replayed: ${reason}.`, {
        location: { file, ...locate(pointer), pointer },
        hint: 'Pin the session again from a trace that holds the request, or take the pin out.',
    });
}
function mutatingCallsIn(sessions, { compare }) {
    const counts = new Map();
    for (const { pin, turns } of sessions) {
        for (const turn of turns) {
            for (const { type, name } of pin.session.turns[turn - 1]?.recorded.observations ?? []) {
                if (type !== 'tool' || !Object.hasOwn(compare.tools, name) || !compare.tools[name]?.mutating)
                    continue;
                counts.set(name, (counts.get(name) ?? 0) + 1);
            }
        }
    }
    return counts;
}

;// CONCATENATED MODULE: ./build/src/job/behaviours.js





/**
 * Writes each distinct behaviour to `<session>.<turn>.<cluster>.json`, so that it can be looked at and pinned without
 * the tracing platform.
 * @throws AgentReplayError `OUTPUT_NOT_WRITABLE`
 */
async function writeBehaviours(behaviours, { dir, redact }) {
    for (const behaviour of behaviours) {
        const name = fileNameFor(behaviour.session).replace(/\.session\.json$/, '');
        const file = external_node_path_.join(dir, `${name}.${behaviour.turn}.${behaviour.cluster}.json`);
        await writeOutput(file, format_formatJson(behaviours_redactTexts(behaviour, redact)));
    }
}
/** Removes what an earlier run left; only files that {@link writeBehaviours} could have written. */
async function removeBehaviours(dir) {
    const files = await (0,external_node_fs_promises_.readdir)(dir).catch(() => []);
    await Promise.all(files.filter((file) => /\.\d+\.\d+\.json$/.test(file)).map((file) => (0,external_node_fs_promises_.rm)(external_node_path_.join(dir, file), { force: true })));
}
/** Every text of a value, keys included. */
function behaviours_redactTexts(value, redact) {
    if (typeof value === 'string')
        return redact(value);
    if (Array.isArray(value))
        return value.map((item) => behaviours_redactTexts(item, redact));
    if (!json_isJsonObject(value) || isRawNumber(value))
        return value;
    // `fromEntries` makes own keys of all names, `__proto__` included.
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), behaviours_redactTexts(item, redact)]));
}

// EXTERNAL MODULE: external "node:module"
var external_node_module_ = __webpack_require__(8995);
;// CONCATENATED MODULE: ./build/src/version.js

/** Version of this package. It refers to itself by name: wherever this file was built to, that is the same place. */
const VERSION = (0,external_node_module_.createRequire)(import.meta.url)('agent-replay/package.json').version;

;// CONCATENATED MODULE: ./build/src/job/session-progress.js



/** Collects the replays of one session: what one did goes into the comparison of its turn, and is not kept. */
class SessionProgress {
    #session;
    #turns;
    constructor(session, rules) {
        this.#session = session;
        this.#turns = new Map(session.turns.map((turn) => [turn, new TurnProgress(session.pin, turn, rules)]));
    }
    take(result) {
        this.#turns.get(result.turn)?.take(result);
    }
    /** Whether every replay has come. */
    get isOver() {
        return [...this.#turns.values()].every(({ pending }) => pending.size === 0);
    }
    /** What was found out. Replays that never came failed for the reason `missing`. */
    conclude(missing) {
        const { pin, problems } = this.#session;
        const { id, title, agentId } = pin.session;
        const turns = [...this.#turns].map(([turn, progress]) => ({ turn, ...progress.conclude(missing) }));
        return {
            outcome: { id, pin: pin.path, title, agentId, problems, turns },
            behaviours: turns.flatMap(({ turn, comparison, behaviourOf }) => comparison.clusters.flatMap(({ id: cluster, runs }) => {
                const recording = runs.length > 0 ? behaviourOf(cluster) : undefined;
                return recording === undefined ? [] : { session: id, turn, cluster, runs, recording };
            })),
        };
    }
}
class TurnProgress {
    /** Runs that have not come yet. */
    pending;
    #pin;
    #turn;
    #comparison;
    #failures = [];
    constructor(pin, number, { compare, runs, hasTraces }) {
        this.#pin = pin;
        this.#turn = pin.session.turns[number - 1];
        const { recorded, baselines = [], request } = this.#turn;
        const recordings = [recorded, ...baselines].map((one) => (hasTraces ? one : session_progress_responseOnly(one.output)));
        this.#comparison = turn_startTurnComparison(recordings, compare, { requested: runs, turn: number, request });
        this.pending = new Set(Array.from({ length: runs }, (_, index) => index + 1));
    }
    take({ run, outcome }) {
        if (!this.pending.delete(run))
            return;
        if (outcome.kind === 'inconclusive') {
            this.#failures.push({ run, error: outcome.error });
            return;
        }
        const { trace, response } = outcome;
        const recording = trace === null ? session_progress_responseOnly(response?.output) : derive_recordingOf(trace);
        const otherInput = trace === null ? undefined : this.#otherInput(recording);
        if (otherInput !== undefined)
            this.#failures.push({ run, error: otherInput });
        else
            this.#comparison.add(run, this.#redacted(recording));
    }
    conclude(missing) {
        for (const run of this.pending)
            this.#failures.push({ run, error: missing });
        this.pending.clear();
        return {
            comparison: this.#comparison.result(),
            failures: this.#failures,
            behaviourOf: (cluster) => this.#comparison.behaviour(cluster)?.recording,
        };
    }
    /** Both sides alike: the pin was redacted when it was made. */
    #redacted(recording) {
        const { redacted } = this.#pin.session;
        return redacted === undefined ? recording : redact_redactRecording(recording, redacted);
    }
    #otherInput(recording) {
        const { request } = this.#turn;
        const difference = request && input_inputDiffers(request, recording);
        if (difference === undefined)
            return undefined;
        return new errors_AgentReplayError('TRACE_INPUT_DIFFERS', 'The agent did not work on the messages that were sent.', {
            evidence: [difference],
            hint: 'The endpoint must pass the recorded messages on unchanged; `messages` win over `input`.',
        });
    }
}
/** A turn as it is compared without traces. */
function session_progress_responseOnly(output) {
    return output === undefined ? { observations: [] } : { output, observations: [] };
}

;// CONCATENATED MODULE: ./build/src/job/ledger.js






/** What a run has found out so far. It grows with the distinct behaviours and with one short line for each replay. */
class ledger_Ledger {
    #config;
    #plan;
    #startedAt = new Date();
    #open;
    #concluded = [];
    #problems;
    /** Why the replays of a session never came, where that is known. */
    #missing = new Map();
    #runs = [];
    #agentLog = [];
    #usage = new UsageSum();
    constructor(config, plan) {
        this.#config = config;
        this.#plan = plan;
        this.#problems = [...plan.problems];
        const rules = { compare: config.compare, runs: config.runs, hasTraces: config.tracing.source !== 'none' };
        const planned = [...plan.agents.flatMap(({ sessions }) => sessions), ...plan.notReplayed];
        this.#open = new Map(planned.map((session) => [session.pin.session.id, new SessionProgress(session, rules)]));
    }
    /** Takes one replay. @returns the distinct behaviours of its session when that is over */
    take(result) {
        const { session, turn, run, outcome, replayRunId, attempts, callMs, traceMs } = result;
        const progress = this.#open.get(session);
        progress?.take(result);
        const trace = outcome.kind === 'replayed' ? outcome.trace : null;
        // What was given up before it was sent took no time, and costs nothing.
        if (callMs !== undefined)
            this.#usage.add(attempts, trace);
        this.#runs.push({
            session,
            turn,
            run,
            replayRunId,
            ...(trace === null ? {} : { traceId: trace.id }),
            attempts,
            ...(callMs === undefined ? {} : { callMs }),
            ...(traceMs === undefined ? {} : { traceMs }),
            outcome: outcome.kind,
        });
        return progress?.isOver ? this.#conclude(session, progress, neverCame()) : undefined;
    }
    /** Concludes the sessions that are not over, as they are. @returns their distinct behaviours */
    close(signal) {
        const interruption = interruptionOf(signal);
        return [...this.#open].flatMap(([id, progress]) => this.#conclude(id, progress, this.#missing.get(id) ?? interruption ?? neverCame()));
    }
    /** Notes a failure that keeps some sessions from being replayed. It is told in full once. */
    fail(error, sessions) {
        this.#problems.push(error);
        const reason = new errors_AgentReplayError(error.code, error.message, { hint: 'See the problem of the whole run.' });
        for (const { pin } of sessions)
            this.#missing.set(pin.session.id, reason);
    }
    log(lines) {
        this.#agentLog.push(...lines);
    }
    report(context) {
        const interruption = interruptionOf(context.signal);
        const { runs, compare, tracing } = this.#config;
        const evidence = {
            tool: { name: 'agent-replay', version: VERSION },
            startedAt: this.#startedAt.toISOString(),
            durationMs: Date.now() - this.#startedAt.getTime(),
            command: context.command ?? '',
            ...(context.configFile === undefined ? {} : { config: context.configFile }),
            ...(interruption === undefined ? {} : { interruptedBy: interruption.by }),
            target: this.#plan.agents.map(({ options }) => shownTarget(options.url)).join(', '),
            traceSource: tracing.source,
            usage: this.#usage.sum(),
            agentLog: this.#agentLog,
            runs: this.#runs,
            environment: { node: process.version, platform: `${process.platform} ${process.arch}`, os: (0,external_node_os_.release)() },
        };
        return buildReport({ sessions: this.#concluded, problems: this.#problems, runs, strictness: compare.strictness, evidence }, this.#config);
    }
    #conclude(id, progress, missing) {
        const { outcome, behaviours } = progress.conclude(missing);
        this.#open.delete(id);
        this.#concluded.push(outcome);
        return behaviours;
    }
}
function interruptionOf(signal) {
    return signal?.aborted && signal.reason instanceof Interruption ? signal.reason : undefined;
}
function neverCame() {
    return new errors_AgentReplayError('INTERNAL', 'The replay was never made.', {
        hint: 'See the other problems of the run; if there are none, this is a defect in agent-replay.',
    });
}
/** Without credentials. */
function shownTarget(target) {
    if (target === undefined)
        return '';
    const url = new URL(target);
    url.username = '';
    url.password = '';
    url.search = '';
    return url.href;
}
/** Tokens and cost of the generations that say them. */
class UsageSum {
    #calls = 0;
    #retries = 0;
    #known = { inputTokens: null, outputTokens: null, cost: null };
    add(attempts, trace) {
        this.#calls += attempts;
        this.#retries += Math.max(0, attempts - 1);
        for (const { type, usage, cost } of trace?.observations ?? []) {
            if (type !== 'generation')
                continue;
            this.#note('inputTokens', usage?.input);
            this.#note('outputTokens', usage?.output);
            this.#note('cost', cost && (cost.total ?? Object.values(cost).reduce((sum, part) => sum + part, 0)));
        }
    }
    sum() {
        return { calls: this.#calls, retries: this.#retries, ...this.#known };
    }
    #note(name, amount) {
        if (amount !== undefined && Number.isFinite(amount))
            this.#known[name] = (this.#known[name] ?? 0) + Math.max(0, amount);
    }
}

;// CONCATENATED MODULE: ./build/src/job/started.js
/** What was started, to be ended in reverse order: an AsyncDisposableStack, which Node 22 does not have. */
class started_Started {
    #stack = [];
    use(one) {
        this.#stack.push(one);
        return one;
    }
    /** Hands everything over, so that disposing of this one ends nothing any more. */
    move() {
        const moved = new started_Started();
        moved.#stack = this.#stack;
        this.#stack = [];
        return moved;
    }
    /** One that cannot be ended keeps no other from being ended. */
    async [Symbol.asyncDispose]() {
        const failures = [];
        for (const one of this.#stack.splice(0).reverse()) {
            try {
                await one[Symbol.asyncDispose]();
            }
            catch (error) {
                failures.push(error);
            }
        }
        if (failures.length > 0)
            throw failures[0];
    }
}

;// CONCATENATED MODULE: ./build/src/tracing/attributes.js

/** The first of some attributes that is set to something. */
function firstText(attributes, keys) {
    for (const key of keys) {
        const value = attributes.get(key);
        if (value === undefined || value === null || value === '' || value === false)
            continue;
        return typeof value === 'string' ? value : JSON.stringify(value);
    }
    return undefined;
}
const STRUCTURED = /^\s*[[{]/;
function structured(value) {
    if (typeof value !== 'string' || !STRUCTURED.test(value))
        return value;
    try {
        return json_parseJson(value);
    }
    catch (error) {
        if (error instanceof json_JsonError)
            return value;
        throw error;
    }
}

;// CONCATENATED MODULE: ./build/src/tracing/model-call.js


/** Where the model's name stands. */
const MODEL = [
    'langfuse.observation.model.name',
    'gen_ai.response.model',
    'ai.model.id',
    'gen_ai.request.model',
    'llm.response.model',
    'llm.model_name',
    'model',
];
/** Attributes whose presence makes a span a model call. `ai.model.id` is not one: the AI SDK sets it on outer spans too. */
const MODEL_OF_A_CALL = MODEL.filter((key) => key !== 'ai.model.id');
/** Spans around several model calls: their model, usage and cost would be counted twice. */
const AGGREGATING = new Set(['invoke_agent', 'agent_step']);
/** What a span says of a model call: the model, its parameters, tokens and cost. */
function modelCallFields(span) {
    const { attributes } = span;
    const fields = {};
    const modelParameters = modelParametersOf(span);
    if (modelParameters !== undefined)
        fields.modelParameters = modelParameters;
    if (AGGREGATING.has(String(attributes.get('gen_ai.operation.name'))))
        return fields;
    const model = firstText(attributes, MODEL);
    if (model !== undefined)
        fields.model = model;
    const usage = usageOf(span);
    if (usage !== undefined)
        fields.usage = usage;
    const cost = costOf(attributes);
    if (cost !== undefined)
        fields.cost = cost;
    return fields;
}
function usageOf({ attributes, scope }) {
    const given = model_call_numbersIn(structured(attributes.get('langfuse.observation.usage_details')));
    if (given !== undefined)
        return given;
    const usage = new Map();
    for (const [key, value] of attributes) {
        const prefix = USAGE_PREFIXES.find((candidate) => key.startsWith(candidate));
        if (prefix === undefined || key === 'gen_ai.usage.cost')
            continue;
        const kind = key.slice(prefix.length);
        const count = Number(value);
        if (Number.isFinite(count))
            usage.set(USAGE_NAMES.get(kind) ?? kind, count);
    }
    if (usage.size === 0)
        return undefined;
    if (scope.name === 'ai') {
        const cached = Number(attributes.get('ai.usage.cachedInputTokens') ?? 0);
        const reasoning = Number(attributes.get('ai.usage.reasoningTokens') ?? 0);
        usage.set('input', Math.max((usage.get('input') ?? 0) - cached, 0));
        usage.set('output', Math.max((usage.get('output') ?? 0) - reasoning, 0));
        if (attributes.has('ai.usage.cachedInputTokens'))
            usage.set('input_cached_tokens', cached);
        if (attributes.has('ai.usage.reasoningTokens'))
            usage.set('output_reasoning_tokens', reasoning);
    }
    return Object.fromEntries(usage);
}
const USAGE_PREFIXES = ['gen_ai.usage.', 'llm.token_count.'];
const USAGE_NAMES = new Map([
    ['prompt_tokens', 'input'],
    ['input_tokens', 'input'],
    ['prompt', 'input'],
    ['completion_tokens', 'output'],
    ['output_tokens', 'output'],
    ['completion', 'output'],
    ['total_tokens', 'total'],
    ['cache_read.input_tokens', 'input_cached_tokens'],
    ['cache_creation.input_tokens', 'input_cache_creation'],
]);
function costOf(attributes) {
    const given = model_call_numbersIn(structured(attributes.get('langfuse.observation.cost_details')));
    if (given !== undefined)
        return given;
    const total = attributes.get('gen_ai.usage.cost') ?? attributes.get('llm.cost.total');
    return total === undefined || !Number.isFinite(Number(total)) ? undefined : { total: Number(total) };
}
/** The members of an object that are numbers; undefined when none is. */
function model_call_numbersIn(value) {
    if (!json_isJsonObject(value))
        return undefined;
    const numbers = Object.entries(value).filter(([, count]) => typeof count === 'number');
    return numbers.length === 0 ? undefined : Object.fromEntries(numbers);
}
const REQUEST_PARAMETER = 'gen_ai.request.';
/** What the AI SDK up to version 6 says of a call, under the names by which the platform keeps it. */
const AI_SDK_PARAMETERS = [
    ['maxSteps', ['ai.settings.maxSteps']],
    ['toolChoice', ['ai.prompt.toolChoice']],
    ['maxTokens', ['gen_ai.request.max_tokens']],
    ['finishReason', ['gen_ai.response.finish_reasons', 'gen_ai.finishReason']],
    ['system', ['gen_ai.system', 'ai.model.provider']],
    ['maxRetries', ['ai.settings.maxRetries']],
    ['mode', ['ai.settings.mode']],
    ['temperature', ['gen_ai.request.temperature']],
];
/** As on the platform: flat, other values than text and numbers as JSON text. What was not set is absent, not null. */
function modelParametersOf({ attributes, scope }) {
    const entries = [];
    const given = ['langfuse.observation.model.parameters', 'llm.invocation_parameters', 'model_config']
        .map((key) => structured(attributes.get(key)))
        .find(json_isJsonObject);
    if (given !== undefined) {
        entries.push(...Object.entries(given).map(([key, value]) => [key, flat(value)]));
    }
    else if (scope.name === 'ai') {
        for (const [name, keys] of AI_SDK_PARAMETERS) {
            const value = keys.map((key) => attributes.get(key)).find((candidate) => candidate !== undefined);
            if (value !== undefined && value !== null)
                entries.push([name, String(value)]);
        }
    }
    else {
        for (const [key, value] of attributes) {
            if (!key.startsWith(REQUEST_PARAMETER) || key === 'gen_ai.request.model')
                continue;
            entries.push([key.slice(REQUEST_PARAMETER.length), flat(value)]);
        }
    }
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
function flat(value) {
    return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}

;// CONCATENATED MODULE: ./build/src/tracing/payload.js


/**
 * Finds a span's input and output where the many instrumentations put them. The order is the platform's, and the
 * first source that has either is the only one used, even where a later one would have said more.
 */
function inputAndOutput(span) {
    const { attributes } = span;
    const given = pair(attributes, 'langfuse.observation.input', 'langfuse.observation.output');
    const found = given ??
        (span.scope.name === 'ai'
            ? aiSdk(attributes)
            : (messageEvents(span.events) ?? contentEvents(span.events) ?? byAttributes(attributes) ?? {}));
    if (given !== undefined)
        return given;
    const tools = toolDefinitions(attributes);
    if (tools !== undefined && Array.isArray(found.input))
        found.input = { messages: found.input, tools };
    return found;
}
function payload(input, output) {
    const result = {};
    if (input !== undefined)
        result.input = structured(input);
    if (output !== undefined)
        result.output = structured(output);
    return result;
}
/** Undefined unless one of the two is set to something. */
function pair(attributes, input, output) {
    const [from, to] = [attributes.get(input), attributes.get(output)];
    return isSet(from) || isSet(to) ? payload(from, to) : undefined;
}
function isSet(value) {
    return value !== undefined && value !== null && value !== '';
}
/** The Vercel AI SDK up to version 6. */
function aiSdk(attributes) {
    const input = firstOf(attributes, ['ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args']);
    const text = attributes.get('ai.response.text');
    const toolCalls = attributes.get('ai.response.toolCalls');
    if (text !== undefined && toolCalls !== undefined) {
        const message = { role: 'assistant', content: text, tool_calls: structured(toolCalls) };
        return { ...payload(input, undefined), output: message };
    }
    const output = isSet(text)
        ? text
        : firstOf(attributes, [
            'ai.result.text',
            'ai.toolCall.result',
            'ai.response.object',
            'ai.result.object',
            'ai.response.toolCalls',
            'ai.result.toolCalls',
        ]);
    return payload(input, output);
}
function firstOf(attributes, keys) {
    const key = keys.find((candidate) => attributes.has(candidate));
    return key === undefined ? undefined : attributes.get(key);
}
const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
/** The older GenAI convention: one event per message. */
function messageEvents(events) {
    const inputs = events.filter(({ name }) => MESSAGE_EVENT.test(name));
    const choices = events.filter(({ name }) => name === 'gen_ai.choice').map(({ attributes }) => objectOf(attributes));
    if (inputs.length === 0 && choices.length === 0)
        return undefined;
    const result = {};
    if (inputs.length > 0) {
        result.input = inputs.map(({ name, attributes }) => ({
            role: MESSAGE_EVENT.exec(name)?.[1] ?? '',
            ...objectOf(attributes),
        }));
    }
    if (choices.length > 0)
        result.output = choices.length === 1 ? choices[0] : choices;
    return result;
}
function contentEvents(events) {
    const prompt = events.find(({ name }) => name === 'gen_ai.content.prompt');
    const completion = events.find(({ name }) => name === 'gen_ai.content.completion');
    if (prompt === undefined && completion === undefined)
        return undefined;
    const side = (event, pick) => event === undefined ? undefined : (pick(byAttributes(event.attributes) ?? {}) ?? objectOf(event.attributes));
    return payload(side(prompt, ({ input }) => input), side(completion, ({ output }) => output));
}
function objectOf(attributes) {
    return Object.fromEntries([...attributes].map(([key, value]) => [key, structured(value)]));
}
/** Attribute pairs of the instrumentations, in the platform's order: those before and those after flattened messages. */
const PAIRS = [
    ['prompt', 'all_messages_events'],
    ['mlflow.spanInputs', 'mlflow.spanOutputs'],
    ['traceloop.entity.input', 'traceloop.entity.output'],
    ['input.value', 'output.value'],
    ['input', 'output'],
    ['pydantic_ai.all_messages', 'final_result'],
    ['tool_arguments', 'tool_response'],
];
const FLATTENED = [
    ['gen_ai.prompt.', 'gen_ai.completion.'],
    ['llm.input_messages.', 'llm.output_messages.'],
];
function byAttributes(attributes) {
    const vertex = vertexAgent(attributes);
    if (vertex !== undefined)
        return vertex;
    for (const [input, output] of PAIRS) {
        const found = pair(attributes, input, output);
        if (found !== undefined)
            return found;
    }
    for (const [input, output] of FLATTENED) {
        const [from, to] = [unflattened(attributes, input), unflattened(attributes, output)];
        if (from !== undefined || to !== undefined)
            return payload(from, to);
    }
    return genAiMessages(attributes) ?? pair(attributes, 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result');
}
/** Google's agent kit writes `{}` for the pair that does not apply. */
function vertexAgent(attributes) {
    const side = (call, tool) => {
        const value = attributes.get(`gcp.vertex.agent.${call}`);
        return isSet(value) && value !== '{}' ? value : attributes.get(`gcp.vertex.agent.${tool}`);
    };
    const [input, output] = [side('llm_request', 'tool_call_args'), side('llm_response', 'tool_response')];
    return isSet(input) || isSet(output) ? payload(input, output) : undefined;
}
function genAiMessages(attributes) {
    const found = pair(attributes, 'gen_ai.input.messages', 'gen_ai.output.messages');
    const system = structured(attributes.get('gen_ai.system_instructions'));
    if (found === undefined || system === undefined || !Array.isArray(found.input))
        return found;
    return { ...found, input: [{ role: 'system', content: plainText(system) }, ...found.input] };
}
/** Instructions that are text parts only become that text. */
function plainText(parts) {
    if (!Array.isArray(parts))
        return parts;
    const texts = parts.map((part) => (json_isJsonObject(part) && part.type === 'text' ? part.content : undefined));
    return texts.every((text) => typeof text === 'string') ? texts.join('\n') : parts;
}
/** Tool definitions stand beside the messages that they were given with, as in a chat request. */
function toolDefinitions(attributes) {
    const value = structured(attributes.get('gen_ai.tool.definitions') ?? attributes.get('ai.prompt.tools'));
    return Array.isArray(value) && value.length > 0 ? value.map((tool) => structured(tool)) : undefined;
}
/** Deepest path and highest index that `a.0.b` style keys may build. */
const MAX_PATH = 20;
const MAX_INDEX = 10_000;
/** Rebuilds `prefix.0.role`, `prefix.0.content`, ... to an array or object. Undefined when no key has the prefix. */
function unflattened(attributes, prefix) {
    const root = new Map();
    for (const [key, value] of attributes) {
        if (!key.startsWith(prefix))
            continue;
        const path = key.slice(prefix.length).split('.');
        if (path.length > MAX_PATH)
            continue;
        let branch = root;
        for (const part of path.slice(0, -1)) {
            const next = branch.get(part);
            const inner = next instanceof Map ? next : new Map();
            branch.set(part, inner);
            branch = inner;
        }
        branch.set(path.at(-1) ?? '', structured(value));
    }
    return root.size === 0 ? undefined : grown(root);
}
function grown(branch) {
    const entries = [...branch].map(([key, value]) => [key, value instanceof Map ? grown(value) : value]);
    const isList = entries.every(([key]) => /^\d+$/.test(key) && Number(key) < MAX_INDEX);
    if (!isList)
        return Object.fromEntries(entries);
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

;// CONCATENATED MODULE: ./build/src/tracing/trace-fields.js


const OBSERVATION_METADATA = 'langfuse.observation.metadata';
const TRACE_METADATA = 'langfuse.trace.metadata';
const AI_METADATA = 'ai.telemetry.metadata';
function metadataPlace(key) {
    return { key, prefix: `${key}.` };
}
const OWN_METADATA = [OBSERVATION_METADATA].map(metadataPlace);
const SHARED_METADATA = [TRACE_METADATA, 'langfuse.metadata', AI_METADATA].map(metadataPlace);
const ALL_METADATA = [...SHARED_METADATA, ...OWN_METADATA];
/** What a span says of its trace. */
function traceFields({ attributes, resource }) {
    const fields = { metadata: metadataOf(attributes, SHARED_METADATA) };
    const name = firstText(attributes, ['langfuse.trace.name']);
    if (name !== undefined)
        fields.name = name;
    const sessionId = firstText(attributes, [
        'langfuse.session.id',
        'session.id',
        'gen_ai.conversation.id',
        `${OBSERVATION_METADATA}.langfuse_session_id`,
        `${TRACE_METADATA}.langfuse_session_id`,
        `${AI_METADATA}.sessionId`,
    ]);
    if (sessionId !== undefined)
        fields.sessionId = sessionId;
    const userId = firstText(attributes, [
        'langfuse.user.id',
        'user.id',
        `${OBSERVATION_METADATA}.langfuse_user_id`,
        `${TRACE_METADATA}.langfuse_user_id`,
        `${AI_METADATA}.userId`,
    ]);
    if (userId !== undefined)
        fields.userId = userId;
    const tags = tagsOf(attributes);
    if (tags.length > 0)
        fields.tags = tags;
    const environment = ['langfuse.environment', 'deployment.environment.name', 'deployment.environment']
        .map((key) => firstText(attributes, [key]) ?? firstText(resource, [key]))
        .find((value) => value !== undefined);
    if (environment !== undefined)
        fields.environment = environment.toLowerCase().replace(/^langfuse/, '');
    const release = firstText(attributes, ['langfuse.release']) ?? firstText(resource, ['langfuse.release']);
    if (release !== undefined)
        fields.release = release;
    const version = firstText(attributes, ['langfuse.version']) ?? firstText(resource, ['service.version']);
    if (version !== undefined)
        fields.version = version;
    const input = attributes.get('langfuse.trace.input');
    if (input !== undefined)
        fields.input = structured(input);
    const output = attributes.get('langfuse.trace.output');
    if (output !== undefined)
        fields.output = structured(output);
    return fields;
}
const TAGS = [
    'langfuse.trace.tags',
    'langfuse.tags',
    `${OBSERVATION_METADATA}.langfuse_tags`,
    `${TRACE_METADATA}.langfuse_tags`,
    `${AI_METADATA}.tags`,
    'tag.tags',
];
/** Tags come as an array, as a JSON array in text, or as a comma list. */
function tagsOf(attributes) {
    const key = TAGS.find((candidate) => attributes.get(candidate));
    if (key === undefined)
        return [];
    const value = structured(attributes.get(key));
    const list = Array.isArray(value) ? value : String(value).split(',');
    return list.map((tag) => String(tag).trim()).filter((tag) => tag !== '');
}
/** Keys below the AI SDK's metadata that are not metadata. */
const NOT_METADATA = new Set(['userId', 'sessionId', 'tags', 'langfusePrompt'].map((key) => `${AI_METADATA}.${key}`));
/** Metadata of the observation alone. */
function ownMetadata(attributes) {
    return metadataOf(attributes, OWN_METADATA);
}
function metadataOf(attributes, places) {
    const entries = [];
    for (const { key } of places) {
        const whole = structured(attributes.get(key));
        if (json_isJsonObject(whole))
            entries.push(...Object.entries(whole));
    }
    for (const [key, value] of attributes) {
        const place = places.find(({ prefix }) => key.startsWith(prefix));
        if (place === undefined || NOT_METADATA.has(key))
            continue;
        entries.push([key.slice(place.prefix.length), structured(value)]);
    }
    return Object.fromEntries(entries);
}
/** Finds the replay run id on a span at any level, also where a platform would not look for it. */
function replayRunIdFinder(options) {
    const key = identifiers_wireNames(options.identifiers).keys.replayRunId;
    const attributeKeys = [...ALL_METADATA.map(({ prefix }) => `${prefix}${key}`), key];
    return ({ attributes, resource }) => {
        let value;
        for (const attributeKey of attributeKeys)
            value ??= attributes.get(attributeKey);
        for (const place of ALL_METADATA)
            value ??= property(structured(attributes.get(place.key)), key);
        value ??= resource.get(key);
        return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    };
}
function property(value, key) {
    return json_isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

;// CONCATENATED MODULE: ./build/src/tracing/mapping.js





/**
 * Maps spans as the platform's own server does (v4.16.0), so that a recording read from the platform and a replay
 * read from the receiver agree. First match wins in every list of attributes.
 */
function mapping_spanMapper(options = {}) {
    const { keys } = identifiers_wireNames(options.identifiers);
    // Metadata of the contract that an agent may have set as bare attributes: kept, so that it can be told so.
    const contractKeys = [...Object.values(keys), 'agent_id', 'session_id', 'run_id'];
    const findRunId = replayRunIdFinder(options);
    return (span) => {
        // The span's attributes are let go once they are mapped.
        let unmapped = span;
        let mapped;
        return {
            traceId: span.traceId,
            id: span.spanId,
            replayRunId: findRunId(span),
            record: () => {
                if (unmapped !== undefined)
                    mapped = mapSpan(unmapped, contractKeys);
                unmapped = undefined;
                return mapped;
            },
        };
    };
}
function mapSpan(span, contractKeys) {
    const { attributes } = span;
    const type = mapping_typeOf(span);
    const trace = traceFields(span);
    const own = ownMetadata(attributes);
    const misplaced = contractKeys.filter((key) => attributes.has(key));
    const observation = {
        id: span.spanId,
        parentId: span.parentSpanId,
        type,
        name: nameOf(span),
        startTime: new Date(span.startMs).toISOString(),
        endTime: new Date(span.endMs).toISOString(),
        ...inputAndOutput(span),
        ...modelCallFields(span),
        level: mapping_levelOf(span),
    };
    const statusMessage = firstText(attributes, ['langfuse.observation.status_message']) ?? span.statusMessage;
    if (statusMessage !== undefined)
        observation.statusMessage = statusMessage;
    // Not every sender has a type for tools: spans with a call id are tool calls too.
    if (type === 'tool' || type === 'span') {
        const callId = firstText(attributes, mapping_CALL_ID) ?? callIdIn(own) ?? (type === 'tool' ? callIdIn(observation.output) : undefined);
        if (callId !== undefined)
            observation.callId = callId;
    }
    if (misplaced.length > 0) {
        own.attributes = Object.fromEntries(misplaced.map((key) => [key, attributes.get(key) ?? null]));
    }
    if (Object.keys(own).length > 0)
        observation.metadata = own;
    return {
        traceId: span.traceId,
        observation,
        trace,
        isRoot: span.parentSpanId === null || ROOT_MARKS.some((mark) => String(attributes.get(mark)) === 'true'),
        isModelCall: type === 'generation' || type === 'embedding' || MODEL_LIBRARIES.has(span.scope.name),
    };
}
const ROOT_MARKS = ['langfuse.internal.is_app_root', 'langfuse.internal.as_root'];
/** Instrumentation scopes of the Vercel AI SDK, up to 6 and from 7 on. */
const MODEL_LIBRARIES = new Set(['ai', 'gen_ai']);
const mapping_CALL_ID = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool_call.id'];
const OPERATION_TYPES = new Map([
    ['chat', 'generation'],
    ['completion', 'generation'],
    ['text_completion', 'generation'],
    ['generate_content', 'generation'],
    ['generate', 'generation'],
    ['embeddings', 'embedding'],
    ['invoke_agent', 'agent'],
    ['create_agent', 'agent'],
    ['execute_tool', 'tool'],
]);
function mapping_typeOf({ attributes }) {
    const named = firstText(attributes, ['langfuse.observation.type', 'openinference.span.kind'])?.toLowerCase();
    const known = observationType.options.find((option) => option === (named === 'llm' ? 'generation' : named));
    if (known !== undefined)
        return known;
    const byOperation = OPERATION_TYPES.get(String(attributes.get('gen_ai.operation.name')));
    if (byOperation !== undefined)
        return byOperation;
    const aiOperation = firstText(attributes, ['ai.operationId']) ?? '';
    if (/\.do(Generate|Stream)/.test(aiOperation) && firstText(attributes, MODEL) !== undefined)
        return 'generation';
    if (aiOperation.includes('.doEmbed'))
        return 'embedding';
    if (aiOperation === 'ai.toolCall')
        return 'tool';
    if (attributes.has('gen_ai.tool.name') || attributes.has('gen_ai.tool.call.id'))
        return 'tool';
    return firstText(attributes, MODEL_OF_A_CALL) === undefined ? 'span' : 'generation';
}
function nameOf({ attributes, name }) {
    const given = firstText(attributes, ['gen_ai.tool.name', 'genkit:name', 'logfire.msg', 'ai.toolCall.name']);
    if (given !== undefined)
        return given;
    const operation = firstText(attributes, ['ai.operationId']);
    if (operation === undefined)
        return name;
    const functionId = firstText(attributes, ['ai.telemetry.functionId']);
    return functionId === undefined ? operation : `${functionId}:${operation}`;
}
const LEVELS = new Map([
    ['TRACE', 'DEBUG'],
    ['DEBUG', 'DEBUG'],
    ['DEFAULT', 'DEFAULT'],
    ['INFO', 'DEFAULT'],
    ['WARN', 'WARNING'],
    ['WARNING', 'WARNING'],
    ['ERROR', 'ERROR'],
    ['FATAL', 'ERROR'],
    ['CRITICAL', 'ERROR'],
]);
/** A level under any of its usual names. */
function levelNamed(name) {
    return LEVELS.get(name?.toUpperCase() ?? '');
}
function mapping_levelOf({ attributes, failed }) {
    return levelNamed(firstText(attributes, ['langfuse.observation.level'])) ?? (failed ? 'ERROR' : 'DEFAULT');
}
/** The names under which agents and frameworks note the model's call id in metadata, or return it with the result. */
function callIdIn(value) {
    if (!json_isJsonObject(value))
        return undefined;
    const id = ['tool_call_id', 'toolCallId', 'call_id', 'callId', 'tool_use_id']
        .map((key) => (Object.hasOwn(value, key) ? value[key] : undefined))
        .find((candidate) => typeof candidate === 'string' && candidate !== '');
    return id;
}

;// CONCATENATED MODULE: ./build/src/tracing/otlp.js

/** A value that cannot be represented: refused before anything recursive meets it. */
class otlp_OtlpError extends Error {
    name = 'OtlpError';
}
/**
 * Reads an OTLP/JSON export, already parsed. As tolerant as the platform's server or more: what has the wrong
 * shape counts as absent, because a refused export throws inside the customer's own flush.
 * @throws OtlpError when a value is nested too deep
 */
function otlp_readOtlpJson(value) {
    const spans = [];
    let unreadable = 0;
    for (const resourceSpans of objects(value, 'resourceSpans')) {
        const resource = attributesOf(first(resourceSpans.resource)?.attributes);
        for (const scopeSpans of objects(resourceSpans, 'scopeSpans')) {
            const scope = { name: otlp_textOf(first(scopeSpans.scope)?.name) };
            for (const span of objects(scopeSpans, 'spans')) {
                const traceId = otlp_textOf(span.traceId);
                const spanId = otlp_textOf(span.spanId);
                if (traceId === '' || spanId === '') {
                    unreadable++;
                    continue;
                }
                const status = first(span.status);
                const startMs = millisecondsOf(span.startTimeUnixNano);
                const endMs = millisecondsOf(span.endTimeUnixNano);
                spans.push({
                    traceId,
                    spanId,
                    parentSpanId: otlp_textOf(span.parentSpanId) || null,
                    name: otlp_textOf(span.name),
                    startMs: startMs ?? endMs ?? 0,
                    endMs: endMs ?? startMs ?? 0,
                    attributes: attributesOf(span.attributes),
                    events: objects(span, 'events').map((event) => ({
                        name: otlp_textOf(event.name),
                        attributes: attributesOf(event.attributes),
                    })),
                    failed: status?.code === 2 || status?.code === 'STATUS_CODE_ERROR',
                    statusMessage: otlp_textOf(status?.message) || undefined,
                    scope,
                    resource,
                });
            }
        }
    }
    return { spans, unreadable };
}
function first(value) {
    return typeof value === 'object' && value !== null ? value : undefined;
}
function objects(parent, key) {
    const list = first(parent)?.[key];
    return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}
function otlp_textOf(value) {
    return typeof value === 'string' ? value : '';
}
/** The protocol's moments are unsigned 64-bit nanoseconds. */
const MAX_MILLISECONDS = 2 ** 64 / 1_000_000;
/**
 * Nanoseconds do not fit a double. As text, which the specification demands, the last six digits are cut off;
 * as a number it is up to 128 ns beside, which rounding to microseconds undoes.
 */
function millisecondsOf(nanoseconds) {
    if (typeof nanoseconds === 'string') {
        const milliseconds = Number(nanoseconds.slice(0, -6));
        return milliseconds > 0 && milliseconds <= MAX_MILLISECONDS ? Math.floor(milliseconds) : undefined;
    }
    if (typeof nanoseconds !== 'number' || !(nanoseconds > 0 && nanoseconds < 2 ** 64))
        return undefined;
    return Math.floor(Math.round(nanoseconds / 1_000) / 1_000);
}
function attributesOf(list, depth = 0) {
    const attributes = new Map();
    if (!Array.isArray(list))
        return attributes;
    for (const attribute of list) {
        const key = first(attribute)?.key;
        if (typeof key === 'string')
            attributes.set(key, anyValue(first(attribute)?.value, depth));
    }
    return attributes;
}
function anyValue(value, depth) {
    if (depth > MAX_DEPTH)
        throw new otlp_OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
    const any = first(value);
    if (any === undefined)
        return null;
    if (typeof any.stringValue === 'string')
        return any.stringValue;
    if (typeof any.boolValue === 'boolean')
        return any.boolValue;
    if (any.intValue !== undefined)
        return integerOf(any.intValue);
    if (any.doubleValue !== undefined)
        return numberOf(any.doubleValue);
    if (any.arrayValue !== undefined) {
        const values = first(any.arrayValue)?.values;
        return Array.isArray(values) ? values.map((item) => anyValue(item, depth + 1)) : [];
    }
    if (any.kvlistValue !== undefined) {
        return Object.fromEntries(attributesOf(first(any.kvlistValue)?.values, depth + 1));
    }
    return typeof any.bytesValue === 'string' ? any.bytesValue : null;
}
/** An integer comes as a number or as decimal text; one that a double cannot hold stays text. */
function integerOf(value) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
}
/** NaN and the infinities have no JSON number: they stay the words that OTLP/JSON writes. */
function numberOf(value) {
    const number = Number(value);
    return Number.isFinite(number) ? number : String(value);
}

// EXTERNAL MODULE: ./node_modules/pbf/index.js
var pbf = __webpack_require__(493);
;// CONCATENATED MODULE: ./build/src/tracing/protobuf.js



/**
 * Reads an OTLP protobuf export (opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest) straight into
 * spans. The numbers below are the field numbers of opentelemetry-proto 1.x; every other field is skipped unread.
 * @throws OtlpError when the bytes are not such a message
 */
function readOtlpProtobuf(bytes) {
    const spans = [];
    try {
        new pbf/* PbfReader */.y(bytes).readFields((field, _, pbf) => {
            if (field === 1)
                readResourceSpans(pbf, spans);
        }, undefined);
    }
    catch (error) {
        if (error instanceof otlp_OtlpError)
            throw error;
        throw new otlp_OtlpError('the body is not an OTLP protobuf message', { cause: error });
    }
    const readable = spans.filter((span) => span.traceId !== '' && span.spanId !== '');
    return { spans: readable, unreadable: spans.length - readable.length };
}
/** Fields come in any order: spans hold the resource and scope objects, which may be filled after them. */
function readResourceSpans(parent, spans) {
    const resource = new Map();
    nested(parent, (field, pbf) => {
        if (field === 1) {
            nested(pbf, (inner) => {
                if (inner === 1)
                    readAttribute(pbf, resource, 0);
            });
        }
        else if (field === 2) {
            const scope = { name: '' };
            nested(pbf, (inner) => {
                if (inner === 1) {
                    nested(pbf, (property) => {
                        if (property === 1)
                            scope.name = pbf.readString();
                    });
                }
                else if (inner === 2) {
                    spans.push(readSpan(pbf, scope, resource));
                }
            });
        }
    });
}
function readSpan(parent, scope, resource) {
    const span = {
        traceId: '',
        spanId: '',
        parentSpanId: null,
        name: '',
        startMs: 0,
        endMs: 0,
        attributes: new Map(),
        events: [],
        failed: false,
        statusMessage: undefined,
        scope,
        resource,
    };
    nested(parent, (field, pbf) => {
        if (field === 1)
            span.traceId = readHex(pbf);
        else if (field === 2)
            span.spanId = readHex(pbf);
        else if (field === 4)
            span.parentSpanId = readHex(pbf) || null;
        else if (field === 5)
            span.name = pbf.readString();
        else if (field === 7)
            span.startMs = readMilliseconds(pbf);
        else if (field === 8)
            span.endMs = readMilliseconds(pbf);
        else if (field === 9)
            readAttribute(pbf, span.attributes, 0);
        else if (field === 11)
            span.events.push(readEvent(pbf));
        else if (field === 15)
            readStatus(pbf, span);
    });
    span.startMs ||= span.endMs;
    span.endMs ||= span.startMs;
    return span;
}
function readEvent(parent) {
    const event = { name: '', attributes: new Map() };
    nested(parent, (field, pbf) => {
        if (field === 2)
            event.name = pbf.readString();
        else if (field === 3)
            readAttribute(pbf, event.attributes, 0);
    });
    return event;
}
function readStatus(parent, span) {
    nested(parent, (field, pbf) => {
        if (field === 2)
            span.statusMessage = pbf.readString() || undefined;
        else if (field === 3)
            span.failed = pbf.readVarint() === 2;
    });
}
function readAttribute(parent, into, depth) {
    let key = '';
    let value = null;
    nested(parent, (field, pbf) => {
        if (field === 1)
            key = pbf.readString();
        else if (field === 2)
            value = readValue(pbf, depth);
    });
    into.set(key, value);
}
function readValue(parent, depth) {
    if (depth > MAX_DEPTH)
        throw new otlp_OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
    let value = null;
    nested(parent, (field, pbf) => {
        if (field === 1)
            value = pbf.readString();
        else if (field === 2)
            value = pbf.readBoolean();
        else if (field === 3)
            value = pbf.readVarint(true);
        else if (field === 4) {
            const number = pbf.readDouble();
            value = Number.isFinite(number) ? number : String(number);
        }
        else if (field === 5) {
            const list = [];
            nested(pbf, (inner) => {
                if (inner === 1)
                    list.push(readValue(pbf, depth + 1));
            });
            value = list;
        }
        else if (field === 6) {
            const entries = new Map();
            nested(pbf, (inner) => {
                if (inner === 1)
                    readAttribute(pbf, entries, depth + 1);
            });
            value = Object.fromEntries(entries);
        }
        else if (field === 7) {
            value = Buffer.from(pbf.readBytes()).toString('base64');
        }
    });
    return value;
}
/** The reader trusts lengths. A length that leads out of the bytes would have it read on in nothing for a long time. */
function nested(pbf, read) {
    const end = pbf.readVarint() + pbf.pos;
    if (!(end <= pbf.length))
        throw new otlp_OtlpError('the body is cut off');
    pbf.readFields((field) => read(field, pbf), undefined, end);
}
function readHex(pbf) {
    const bytes = pbf.readBytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
const NANOSECONDS_PER_MILLISECOND = 1000000n;
/** Exact, as the library's own 64-bit integers are doubles and a moment in nanoseconds is not one. */
function readMilliseconds(pbf) {
    const low = pbf.readFixed32();
    const high = pbf.readFixed32();
    return Number(((BigInt(high) << 32n) | BigInt(low)) / NANOSECONDS_PER_MILLISECOND);
}

;// CONCATENATED MODULE: ./build/src/tracing/export.js





/**
 * Reads the body of one OTLP export. Whatever does not call itself JSON is protobuf, unless it starts like JSON.
 * @throws OtlpError when it is neither
 */
function readExport(body, contentType) {
    const isJson = contentType === 'application/json' || (contentType === '' && body[0] === 0x7b);
    if (!isJson)
        return readOtlpProtobuf(body);
    return otlp_readOtlpJson(parseEnvelope(body.toString('utf8')));
}
/**
 * The traces of an OTLP/JSON file: one export, an array of exports, or one export a line.
 * @throws AgentReplayError `TRACE_INVALID` with the line where it is known
 */
function export_tracesFromOtlp(text, options = {}) {
    const mapped = spanMapper(options);
    const traces = new Map();
    for (const { spans } of exportsIn(text)) {
        for (const span of spans) {
            const arrivals = traces.get(span.traceId) ?? new Map();
            traces.set(span.traceId, arrivals.set(span.spanId, mapped(span)));
        }
    }
    return [...traces.values()].map((arrivals) => assembleTrace([...arrivals.values()].map((arrival) => arrival.record())));
}
function exportsIn(text) {
    const trimmed = text.trim();
    const whole = attempt(() => parseEnvelope(trimmed));
    if (whole.error === undefined) {
        const exports = Array.isArray(whole.value) ? whole.value : [whole.value];
        return exports.map((value) => export_readLine(() => readOtlpJson(value), undefined));
    }
    const lines = trimmed.split('\n');
    if (lines.length === 1)
        throw export_invalid(whole.error, undefined);
    return lines.flatMap((line, index) => line.trim() === '' ? [] : [export_readLine(() => readOtlpJson(parseEnvelope(line)), index + 1)]);
}
function export_readLine(read, line) {
    const { value, error } = attempt(read);
    if (value === undefined)
        throw export_invalid(error, line);
    return value;
}
/**
 * `JSON.parse` and not `parseJson`: envelopes are full of nanoseconds in text, which would put every one on the slow
 * path that keeps digits. Depth is bounded where values are read; what is JSON inside of them goes through `parseJson`.
 */
function parseEnvelope(text) {
    try {
        return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    }
    catch (error) {
        throw new otlp_OtlpError(`the body is not JSON: ${error.message.slice(0, 200)}`, { cause: error });
    }
}
function attempt(read) {
    try {
        return { value: read() };
    }
    catch (error) {
        if (error instanceof OtlpError)
            return { error };
        throw error;
    }
}
function export_invalid(error, line) {
    const where = line === undefined ? '' : ` in line ${line}`;
    return new AgentReplayError('TRACE_INVALID', `This is not an OTLP/JSON export${where}.`, {
        evidence: error === undefined ? [] : [error.message],
        hint: 'Give a file with one export, or one export a line, as an OTLP file exporter writes them.',
        cause: error,
    });
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/conversations.js


/** Before there was a platform. */
const EVER = '2020-01-01T00:00:00.000Z';
/** Traces that are looked through for conversations: a hundred reads or fewer. */
const MAX_TRACES = 5_000;
/** Traces that are read at once; reads wait for their budget anyway. */
const READ_AT_ONCE = 4;
/** The recorded conversations that are meant, the one with the newest turn first. Replays are none. */
async function findConversations(platform, query, options) {
    const turns = new Map();
    let count = 0;
    for await (const head of platform.heads({ since: query.since }, options)) {
        if (++count > MAX_TRACES)
            break;
        const { sessionId, agentId, replayRunId, isReplay } = readTraceMetadata(head.metadata, query);
        if (replayRunId !== undefined || isReplay === true)
            continue;
        if (query.agentId !== undefined && agentId !== undefined && agentId !== query.agentId)
            continue;
        const id = head.sessionId ?? sessionId ?? head.id;
        const known = turns.get(id) ?? new Map();
        turns.set(id, known.set(head.id, head));
    }
    return [...turns]
        .map(([id, heads]) => ({ id, turns: [...heads.values()].sort(conversations_byTime) }))
        .filter((conversation) => says(conversation, query.search))
        .slice(0, query.limit);
}
/**
 * All traces of conversations, read whole, with the turns that were before the time searched.
 * @param ids of conversations; a trace id stands for the conversation of that trace alone
 * @throws AgentReplayError `NO_SESSIONS` when nothing has one of the ids
 */
async function readConversations(platform, ids, options) {
    const traces = [];
    for (const id of ids) {
        const heads = new Set();
        for await (const head of platform.heads({ since: EVER, sessionId: id }, options)) {
            // Early versions of one API do not know the parameter.
            if (head.sessionId === id)
                heads.add(head.id);
        }
        for (const { id: traceId } of options.known?.find((one) => one.id === id)?.turns ?? [])
            heads.add(traceId);
        const wanted = heads.size === 0 ? [id] : [...heads];
        for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
            const some = wanted.slice(start, start + READ_AT_ONCE);
            const read = await Promise.all(some.map((traceId) => platform.trace(traceId, options)));
            traces.push(...read.filter((trace) => trace !== undefined));
        }
        if (heads.size === 0 && !traces.some((trace) => trace.id === id))
            throw notThere(id);
    }
    return traces;
}
function notThere(id) {
    return new AgentReplayError('NO_SESSIONS', `The platform has no session or trace ${JSON.stringify(id)}.`, {
        hint: 'List what is there with agent-replay sessions, and check that the keys are those of its project.',
    });
}
function says({ id, turns }, text) {
    if (text === undefined)
        return true;
    const wanted = text.toLowerCase();
    return [id, ...turns.map((turn) => JSON.stringify([turn.id, turn.name, turn.input, turn.output]))].some((told) => told.toLowerCase().includes(wanted));
}
function conversations_byTime(a, b) {
    return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0;
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/credentials.js


/**
 * Reads host and keys from an environment: `TRACING_*`, or else the names of the platform's own SDKs.
 * @throws AgentReplayError `PLATFORM_NOT_CONFIGURED` naming what is missing; no value is shown
 */
function platformCredentials(environment, options = {}) {
    const { env } = identifiers_wireNames(options.identifiers);
    const names = {
        host: [env.host, 'LANGFUSE_BASE_URL', 'LANGFUSE_BASEURL', 'LANGFUSE_HOST'],
        publicKey: [env.publicKey, 'LANGFUSE_PUBLIC_KEY'],
        secretKey: [env.secretKey, 'LANGFUSE_SECRET_KEY'],
    };
    const [host, publicKey, secretKey] = [names.host, names.publicKey, names.secretKey].map((among) => among.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== ''));
    if (host === undefined || publicKey === undefined || secretKey === undefined) {
        const missing = [
            ...(host === undefined ? [names.host[0]] : []),
            ...(publicKey === undefined ? [names.publicKey[0]] : []),
            ...(secretKey === undefined ? [names.secretKey[0]] : []),
        ];
        throw new errors_AgentReplayError('PLATFORM_NOT_CONFIGURED', `${missing.join(' and ')} must be set to read traces.`, {
            hint: 'Set them in the environment (in CI as secrets), or the LANGFUSE_* variables of the same meaning.',
        });
    }
    return { host: platformUrl(host, env.host), publicKey, secretKey };
}
/** Without slash, query and credentials. A slash at the end would make the doubled one that servers redirect. */
function platformUrl(host, name) {
    const text = /^https?:\/\//i.test(host) ? host : `https://${host}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.username !== '' || url.password !== '') {
        throw new errors_AgentReplayError('PLATFORM_NOT_CONFIGURED', `${name} is not a URL without credentials.`, {
            hint: `Set ${name} to the address of the platform, such as https://tracing.example.com.`,
        });
    }
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

;// CONCATENATED MODULE: ./build/src/tracing/assemble.js
/**
 * Makes one trace of its records. What the root says of the trace wins; observations inherit the trace's metadata,
 * and come by start and id. Records of several traces become one under the id of the earliest: an agent without a
 * span around its turn makes a trace per model call.
 */
function assemble_assembleTrace(records) {
    const sorted = [...records].sort(assemble_byStart);
    const root = rootOf(sorted);
    const byWeight = [root, ...sorted.filter((record) => record !== root)].map(({ trace }) => trace);
    const metadata = merged([
        ...byWeight.map((fields) => fields.metadata).reverse(),
        assemble_ownMetadata(root.observation),
        root.trace.metadata,
    ]);
    const said = (key) => byWeight.find((fields) => fields[key] !== undefined)?.[key];
    const trace = {
        id: root.traceId,
        timestamp: root.trace.timestamp ?? assemble_startOf(sorted[0] ?? root),
        environment: said('environment') ?? 'default',
        metadata,
        observations: sorted.flatMap(({ observation }) => observation === undefined ? [] : [{ ...observation, metadata: { ...observation.metadata, ...metadata } }]),
    };
    for (const key of ['sessionId', 'userId', 'release', 'version']) {
        const value = said(key);
        if (value !== undefined)
            trace[key] = value;
    }
    const name = said('name') ?? root.observation?.name;
    if (name !== undefined)
        trace.name = name;
    const tags = new Set(byWeight.flatMap((fields) => fields.tags ?? []));
    if (tags.size > 0)
        trace.tags = [...tags].sort();
    const input = said('input') ?? root.observation?.input;
    if (input !== undefined)
        trace.input = input;
    const output = said('output') ?? root.observation?.output;
    if (output !== undefined)
        trace.output = output;
    return trace;
}
function assemble_byStart(a, b) {
    return compare(assemble_startOf(a), assemble_startOf(b)) || compare(a.observation?.id ?? '', b.observation?.id ?? '');
}
function assemble_startOf({ observation, trace }) {
    return observation?.startTime ?? trace.timestamp ?? '';
}
function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}
/** The trace itself where it has a record of its own, or the earliest root, or the earliest whose parent is not there. */
function rootOf(sorted) {
    const ids = new Set(sorted.map(({ observation }) => observation?.id));
    const root = sorted.find(({ observation }) => observation === undefined) ??
        sorted.find(({ isRoot }) => isRoot) ??
        sorted.find(({ observation }) => !ids.has(observation?.parentId ?? '')) ??
        sorted[0];
    if (root === undefined)
        throw new RangeError('a trace has at least one record');
    return root;
}
/** Later objects win. `fromEntries` defines keys, so that `__proto__` is one of them. */
function merged(objects) {
    return Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}
/** Without bare span attributes: those are the span's, not the trace's. */
function assemble_ownMetadata(observation) {
    const { attributes: _, ...own } = observation?.metadata ?? {};
    return own;
}

;// CONCATENATED MODULE: ./build/src/tracing/environment.js

/** The variables by which an agent's own tracing SDK finds its host and keys: the contract's names and the platform's. */
function tracingEnvironment({ url, publicKey, secretKey }, options = {}) {
    const { env } = identifiers_wireNames(options.identifiers);
    return {
        [env.publicKey]: publicKey,
        [env.secretKey]: secretKey,
        [env.host]: url,
        LANGFUSE_PUBLIC_KEY: publicKey,
        LANGFUSE_SECRET_KEY: secretKey,
        LANGFUSE_BASE_URL: url,
        // The only name that the SDK 3 reads; the SDK 5 takes it when the other is not set.
        LANGFUSE_BASEURL: url,
        LANGFUSE_HOST: url,
    };
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/clock.js

const systemClock = {
    now: () => Date.now(),
    sleep: (ms, signal) => (0,promises_.setTimeout)(ms, undefined, { signal }),
};

;// CONCATENATED MODULE: ./build/src/tracing/platform/budget.js
const MINUTE_MS = 60_000;
/** How many reads may be made. Unlimited until a limit is known; then never more than that in any minute. */
class ReadBudget {
    #clock;
    #perMinute;
    #recent = [];
    #notBefore = 0;
    #made = 0;
    constructor(clock, perMinute) {
        this.#clock = clock;
        this.#perMinute = perMinute;
    }
    /** Reads made so far. */
    get made() {
        return this.#made;
    }
    /** The pace in milliseconds that uses half of the budget, so that the other half is left for reading traces whole. */
    get paceMs() {
        return this.#perMinute === undefined ? 0 : (2 * MINUTE_MS) / this.#perMinute;
    }
    limitTo(perMinute) {
        this.#perMinute = Math.max(1, Math.floor(perMinute));
    }
    /** No read is made for this long: the server has asked for it. */
    pauseFor(ms) {
        this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms);
    }
    /** Waits until one more read may be made, and counts it. */
    async take(signal) {
        for (;;) {
            signal.throwIfAborted();
            const wait = this.#waitMs();
            if (wait <= 0)
                break;
            await this.#clock.sleep(wait, signal);
        }
        this.#made++;
        this.#recent.push(this.#clock.now());
    }
    #waitMs() {
        const now = this.#clock.now();
        this.#recent = this.#recent.filter((at) => at > now - MINUTE_MS);
        const paused = this.#notBefore - now;
        const limit = this.#perMinute ?? Number.POSITIVE_INFINITY;
        const oldest = this.#recent.length < limit ? undefined : this.#recent[this.#recent.length - limit];
        return Math.max(paused, oldest === undefined ? 0 : oldest + MINUTE_MS - now);
    }
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/connection.js




/** Reads at once; more would only queue up at the server. */
const CONNECTIONS = 4;
const connection_CONNECT_MS = 10_000;
/** For one read, its body included: a server that needs longer would hold up all others that wait. */
const READ_MS = 30_000;
/** The largest page of traces with 100 KB inputs is around 10 MB. */
const connection_MAX_BYTES = 64 * 2 ** 20;
const TRIES = 4;
const FIRST_RETRY_MS = 500;
/** What a 429 without `Retry-After` stands for: the limits are per minute. */
const DEFAULT_RETRY_AFTER_MS = 20_000;
const MAX_EXCERPT = 200;
/** Signed reads from one platform, over one pool, within one budget. */
class Connection {
    host;
    budget;
    #credentials;
    #authorization;
    #clock;
    #dispatcher;
    constructor(credentials, options) {
        this.host = credentials.host;
        this.budget = new ReadBudget(options.clock, options.readsPerMinute);
        this.#credentials = credentials;
        this.#authorization = basic(credentials);
        this.#clock = options.clock;
        const pool = {
            connections: CONNECTIONS,
            connectTimeout: connection_CONNECT_MS,
            headersTimeout: READ_MS,
            bodyTimeout: READ_MS,
        };
        // A company's proxy is for its way out; nothing on this machine is behind it.
        this.#dispatcher = isLoopback(this.host) ? new undici/* Agent */.g6(pool) : new undici/* EnvHttpProxyAgent */.J2(pool);
    }
    /**
     * Reads JSON. Tries again on 5xx, on a broken connection and on 429, the latter when the server says.
     * @throws AgentReplayError `PLATFORM_*`; never with a key in it
     */
    async get(path, query, options) {
        for (let attempt = 1;; attempt++) {
            await this.budget.take(options.signal);
            const { answer, failure, retryAfterMs } = await this.#once(path, query, options.signal);
            if (answer !== undefined)
                return answer;
            options.signal.throwIfAborted();
            if (retryAfterMs === undefined || attempt === TRIES)
                throw failure;
            await this.#clock.sleep(Math.max(retryAfterMs, FIRST_RETRY_MS * 2 ** (attempt - 1)), options.signal);
        }
    }
    async close() {
        await this.#dispatcher.destroy();
    }
    async #once(path, query, signal) {
        const url = new URL(`${this.host}${path}`);
        for (const [key, value] of Object.entries(query))
            if (value !== undefined)
                url.searchParams.set(key, String(value));
        let response;
        try {
            response = await this.#send(url, AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]));
        }
        catch (error) {
            if (error instanceof errors_AgentReplayError)
                return { failure: error };
            return { failure: this.#unreachable(path, connection_reasonOf(error)), retryAfterMs: 0 };
        }
        const { status, headers, text } = response;
        const limit = Number(headers['x-ratelimit-limit']);
        if (limit > 0)
            this.budget.limitTo(limit);
        if (status === 429) {
            const retryAfterMs = retryAfter(headers, this.#clock.now()) ?? DEFAULT_RETRY_AFTER_MS;
            this.budget.pauseFor(retryAfterMs);
            return { failure: this.#rateLimited(path, retryAfterMs), retryAfterMs };
        }
        if (status >= 500) {
            const evidence = `GET ${path}: ${status} ${this.#excerpt(text)}`;
            return { failure: this.#unreachable(path, evidence), retryAfterMs: retryAfter(headers, this.#clock.now()) ?? 0 };
        }
        if (status >= 300 && status < 400)
            return { failure: this.#redirected(path, headers) };
        if (status === 401 || status === 403)
            return { failure: this.#unauthorized(path, status, text) };
        const body = jsonIn(text);
        // 410: an API that was there once.
        if (status === 404 || status === 410)
            return { answer: { status: 404, body } };
        if (status !== 200 || body === undefined)
            return { failure: this.#unexpected(path, status, headers, text) };
        return { answer: { status, body } };
    }
    async #send(url, signal) {
        const headers = { accept: 'application/json', authorization: this.#authorization };
        const { statusCode, headers: answered, body, } = await (0,undici/* request */.Em)(url, { headers, signal, dispatcher: this.#dispatcher });
        const chunks = [];
        let bytes = 0;
        for await (const chunk of body) {
            bytes += chunk.length;
            // Leaving the loop destroys the body, and with it the connection.
            if (bytes > connection_MAX_BYTES)
                throw tooMuchData(url.pathname, `more than ${connection_MAX_BYTES / 2 ** 20} MiB in one answer`);
            chunks.push(chunk);
        }
        return { status: statusCode, headers: answered, text: Buffer.concat(chunks, bytes).toString('utf8') };
    }
    #unreachable(path, evidence) {
        return new errors_AgentReplayError('PLATFORM_UNREACHABLE', `The tracing platform at ${this.host} does not answer.`, {
            evidence: [evidence.startsWith('GET') ? evidence : `GET ${path}: ${evidence}`],
            hint: 'Check the host and the network, or use tracing: embedded, which needs neither.',
        });
    }
    #unauthorized(path, status, text) {
        return new errors_AgentReplayError('PLATFORM_UNAUTHORIZED', `The tracing platform at ${this.host} refused the keys.`, {
            evidence: [`GET ${path}: ${status} ${this.#excerpt(text)}`],
            hint: 'Check that both keys are those of one project (not of an organisation) and that the host is the one where it lives; new keys can take minutes to be known.',
        });
    }
    #redirected(path, { location }) {
        return new errors_AgentReplayError('PLATFORM_REDIRECT', `The tracing platform at ${this.host} answers with a redirect.`, {
            evidence: [`GET ${path}: to ${this.#excerpt(location ?? 'nowhere')}`],
            hint: 'Set the host to the address that it redirects to; if that is a login page, the API is behind a proxy that wants a login. Keys are not sent along a redirect.',
        });
    }
    #rateLimited(path, retryAfterMs) {
        return new errors_AgentReplayError('PLATFORM_RATE_LIMITED', 'The tracing platform allows no more reads for now.', {
            evidence: [`GET ${path}: 429, try again in ${Math.ceil(retryAfterMs / 1_000)} s`],
            hint: 'Run fewer replays at once, raise the trace timeout, or use tracing: embedded, which has no limits.',
        });
    }
    #unexpected(path, status, headers, text) {
        return unexpectedAnswer(this.host, `GET ${path}: ${status} ${this.#excerpt(headers['content-type'] ?? '')} ${this.#excerpt(text)}`.trim());
    }
    /** A proxy may print the request in its error page. */
    #excerpt(text) {
        const { secretKey, publicKey } = this.#credentials;
        const shown = [this.#authorization.slice('Basic '.length), secretKey, publicKey].reduce((rest, secret) => rest.replaceAll(secret, '***'), text.replace(/\s+/g, ' ').trim());
        return shown.length > MAX_EXCERPT ? `${shown.slice(0, MAX_EXCERPT)}…` : shown;
    }
}
/** It answers, but not as this API does. */
function unexpectedAnswer(host, evidence) {
    return new errors_AgentReplayError('PLATFORM_UNEXPECTED_ANSWER', `What answers at ${host} is not the tracing platform's API.`, {
        evidence: [evidence],
        hint: 'Check the host: it must be the address of the platform itself, without a path of its user interface and not behind a login page.',
    });
}
function tooMuchData(path, evidence) {
    return new errors_AgentReplayError('PLATFORM_TOO_MUCH_DATA', 'The tracing platform sends more than can be read.', {
        evidence: [`GET ${path}: ${evidence}`],
        hint: 'Narrow the time range or the search.',
    });
}
function basic({ publicKey, secretKey }) {
    return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
}
function jsonIn(text) {
    try {
        return json_parseJson(text);
    }
    catch (error) {
        if (error instanceof json_JsonError)
            return undefined;
        throw error;
    }
}
function connection_reasonOf(error) {
    if (!(error instanceof Error))
        return String(error);
    if (error.name === 'TimeoutError')
        return `no whole answer in ${READ_MS / 1_000} s`;
    const { code } = error;
    return error.message === '' ? (code ?? error.name) : error.message;
}
/** In milliseconds. The header holds seconds or a date. */
function retryAfter(headers, now) {
    const text = headers['retry-after']?.trim() ?? '';
    if (/^\d+$/.test(text))
        return Number(text) * 1_000;
    const date = Date.parse(text);
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
function isLoopback(host) {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(host).hostname);
}

;// CONCATENATED MODULE: ./build/src/tracing/tool-calls.js

/** Where calls and results lie inside messages. Nothing else is entered: arguments and results can be of any size. */
const CONTAINERS = [
    'messages',
    'message',
    'choices',
    'output',
    'content',
    'parts',
    'tool_calls',
    'toolCalls',
    'kwargs',
];
/** The tool calls in a generation's output: OpenAI chat and responses, OTel parts, AI SDK, Anthropic, LangChain. */
function toolCallsIn(output) {
    const calls = new Map();
    visit(output, (object, container) => {
        const call = asToolCall(object, container);
        if (call !== undefined)
            calls.set(call.id ?? `${calls.size} ${call.name}`, call);
    });
    return [...calls.values()];
}
/** Ids of the calls whose results a generation was given. */
function answeredCallsIn(input) {
    const ids = new Set();
    visit(input, (object) => {
        const isResult = object.role === 'tool' || tool_calls_RESULT_TYPES.has(String(object.type));
        const id = isResult ? textIn(object, tool_calls_RESULT_IDS) : undefined;
        if (id !== undefined)
            ids.add(id);
    });
    return ids;
}
const tool_calls_CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);
const tool_calls_CALL_LISTS = new Set(['tool_calls', 'toolCalls']);
const tool_calls_CALL_IDS = ['call_id', 'toolCallId', 'id'];
const CALL_NAMES = ['name', 'toolName'];
const tool_calls_RESULT_TYPES = new Set(['tool_call_response', 'tool-result', 'tool_result', 'function_call_output', 'tool']);
const tool_calls_RESULT_IDS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id', 'id'];
function asToolCall(object, container) {
    const isCall = tool_calls_CALL_TYPES.has(String(object.type)) || tool_calls_CALL_LISTS.has(container) || typeof object.toolName === 'string';
    if (!isCall || tool_calls_RESULT_TYPES.has(String(object.type)))
        return undefined;
    const inner = json_isJsonObject(object.function) ? object.function : object;
    const name = textIn(inner, CALL_NAMES);
    return name === undefined ? undefined : { id: textIn(object, tool_calls_CALL_IDS), name };
}
function textIn(object, keys) {
    for (const key of keys) {
        const value = Object.hasOwn(object, key) ? object[key] : undefined;
        if (typeof value === 'string' && value !== '')
            return value;
    }
    return undefined;
}
/** Iterative, as the values are as deep as their sender liked; the list grows while it is walked, level by level. */
function visit(value, see) {
    const queue = [[value, '']];
    for (const [current, container] of queue) {
        if (Array.isArray(current)) {
            for (const item of current)
                queue.push([item, container]);
        }
        else if (json_isJsonObject(current)) {
            see(current, container);
            for (const key of CONTAINERS) {
                if (typeof current[key] === 'object' && Object.hasOwn(current, key))
                    queue.push([current[key], key]);
            }
        }
    }
}

;// CONCATENATED MODULE: ./build/src/tracing/complete.js

/** Judges what has come of one run. Pure: the same records give the same answer. */
function progressOf(records) {
    const observations = records.flatMap(({ observation }) => observation ?? []);
    const ids = new Set(observations.map(({ id }) => id));
    const roots = records.filter(({ isRoot }) => isRoot);
    const unseen = new Set();
    for (const { isRoot, observation } of records) {
        const parentId = observation?.parentId ?? null;
        if (!isRoot && parentId !== null && !ids.has(parentId))
            unseen.add(parentId);
    }
    const { unanswered, areObserved } = matchCalls(observations);
    return {
        missing: [
            ...(roots.length === 0 ? ['the root span'] : []),
            ...[...unseen].map((id) => `the parent span ${id}`),
            ...observations.filter(isRunning).map(({ type, name }) => `the end of ${type} "${name}"`),
            ...unanswered,
        ],
        isWholeTurn: roots.length === 1 && roots[0]?.observation !== undefined && !roots[0].isModelCall && areObserved,
        hasRoot: roots.length > 0,
        areCallsMatched: areObserved && observations.some(({ type }) => type === 'generation'),
    };
}
/** With an output it has done its work: users of the older SDK often leave the end out. */
function isRunning({ type, endTime, output }) {
    return endTime === null && output === undefined && type !== 'event';
}
/**
 * A call is answered by an observation with its id, by a tool or span with its name and no id (each answers one call),
 * or by a generation that was given its result. The last proves that it ran, not that its observation has come.
 */
function matchCalls(observations) {
    const generations = observations.filter(({ type }) => type === 'generation');
    const calls = generations.flatMap(({ output }) => toolCallsIn(output));
    const executed = new Set();
    const unnamed = new Map();
    for (const { type, callId, name } of observations) {
        if (callId !== undefined)
            executed.add(callId);
        else if (type === 'tool' || type === 'span')
            unnamed.set(name, (unnamed.get(name) ?? 0) + 1);
    }
    const unobserved = calls.filter(({ id, name }) => {
        if (id !== undefined && executed.has(id))
            return false;
        const left = unnamed.get(name) ?? 0;
        if (left > 0)
            unnamed.set(name, left - 1);
        return left === 0;
    });
    const asked = new Set(calls.map(({ id }) => id));
    const areObserved = unobserved.length === 0 && [...executed].every((id) => asked.has(id));
    if (unobserved.length === 0)
        return { unanswered: [], areObserved };
    const answered = new Set(generations.flatMap(({ input }) => [...answeredCallsIn(input)]));
    const unanswered = unobserved
        .filter(({ id }) => id === undefined || !answered.has(id))
        .map(({ id, name }) => `the result of tool call "${name}"${id === undefined ? '' : ` (${id})`}`);
    return { unanswered, areObserved };
}

;// CONCATENATED MODULE: ./build/src/tracing/explain.js

/** Lines of evidence: enough to recognise a trace, few enough to read. */
const MAX_LISTED = 20;
/** Names come from outside and can be of any length. */
const MAX_NAME = 100;
/** Nothing came that carries the run id. Says what came instead, and from it the likely cause. */
function traceMissing(runId, traffic) {
    return new errors_AgentReplayError('TRACE_MISSING', `No trace with the replay run id ${runId} came before the deadline.`, {
        evidence: [
            `searched for: ${runId}`,
            `received: ${traffic.exports} exports, ${traffic.spans} spans, ${traffic.withoutRunId} of them without a replay run id`,
            ...[...traffic.refused].map(([reason, count]) => `refused: ${count} requests, ${explain_cut(reason)}`),
            ...(traffic.unreadable > 0 ? [`unreadable: ${traffic.unreadable} spans without ids`] : []),
            ...(traffic.late > 0 ? [`late: ${traffic.late} spans of traces that were already handed over`] : []),
            ...(traffic.otherRunIds.size > 0
                ? [`other run ids seen: ${[...traffic.otherRunIds].slice(0, MAX_LISTED).map(explain_cut).join(', ')}`]
                : []),
        ],
        hint: missingHint(runId, traffic),
    });
}
function missingHint(runId, { spans, lateRunIds, unauthorized, otherRunIds }) {
    if (spans === 0 && unauthorized > 0) {
        return 'Let the agent read its tracing keys and host from the environment that it is started with.';
    }
    if (spans === 0) {
        return 'The agent exported nothing here: check that its tracing is on, that it takes host and keys from its environment, and that it flushes before it answers when it is short-lived.';
    }
    if (lateRunIds.has(runId)) {
        return 'Start a new trace for every replay request: the spans of this one went to a trace that was already complete.';
    }
    if (otherRunIds.size > 0) {
        return 'Take the replay run id from each request, not from the process or the conversation.';
    }
    return 'Write the request’s replay run id to the metadata of the trace, as a string: SDKs drop values that are not strings, and only what is set before a span starts reaches it.';
}
/** Something came, but not all of it, or it did not come to rest. */
function traceIncomplete(runId, records, missing) {
    return new errors_AgentReplayError('TRACE_INCOMPLETE', missing.length === 0
        ? `The trace of replay ${runId} had not come to rest at the deadline.`
        : `The trace of replay ${runId} was incomplete at the deadline: ${explain_cut(missing[0] ?? '')} is missing.`, {
        evidence: [
            `searched for: ${runId}`,
            ...listed(missing).map((line) => `missing: ${line}`),
            ...listed(records.map(named)).map((line) => `came: ${line}`),
        ],
        hint: 'End every span before the answer is sent, or flush before it; raise the trace timeout if the agent traces slowly.',
    });
}
function traceTooLarge(runId, limits) {
    return new errors_AgentReplayError('TRACE_TOO_LARGE', `The trace of replay ${runId} is larger than the receiver holds (${limits.spansPerTrace} spans a trace, ${Math.floor(limits.bytes / 2 ** 20)} MiB in all).`, { hint: 'Look for a loop in the agent, or run fewer replays at once.' });
}
/** What a record is, in words. */
function named({ observation }) {
    return observation === undefined ? 'the trace itself' : `${observation.type} "${explain_cut(observation.name)}"`;
}
/** Lines of evidence: each cut, and not too many. */
function listed(lines) {
    const rest = lines.length - MAX_LISTED;
    const shown = lines.slice(0, MAX_LISTED).map(explain_cut);
    return rest > 0 ? [...shown, `and ${rest} more`] : shown;
}
function explain_cut(text) {
    return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/explain.js


/** No trace with this run id became visible. */
function missingOnPlatform(search) {
    const { runId, host, lastFailure, otherRunIds } = search;
    return new errors_AgentReplayError('TRACE_MISSING', `No trace with the replay run id ${runId} was visible on ${host} at the deadline.`, {
        evidence: [
            ...searched(search),
            ...(otherRunIds.length > 0 ? [`other run ids seen: ${listed(otherRunIds).join(', ')}`] : []),
        ],
        hint: lastFailure?.hint ??
            (otherRunIds.length > 0
                ? 'Traces of other replays came: take the replay run id from each request, not from the process or the conversation.'
                : 'Check that the agent traces to the project of these keys, writes the request’s replay run id to the metadata of its trace as a string, and flushes before it answers when it is short-lived. SDKs before OpenTelemetry can take minutes to become visible.'),
    });
}
/** A trace is there, but not all of it. */
function incompleteOnPlatform(search, traceIds, records, missing) {
    const first = missing[0];
    return new errors_AgentReplayError('TRACE_INCOMPLETE', first === undefined
        ? `The trace of replay ${search.runId} had not come to rest at the deadline.`
        : `The trace of replay ${search.runId} was incomplete at the deadline: ${listed([first])[0]} is missing.`, {
        evidence: [...searched(search), ...seen(traceIds, records), ...listed(missing).map((line) => `missing: ${line}`)],
        hint: 'End every span before the answer is sent, or flush before it; raise the trace timeout if the platform is slow.',
    });
}
/** A trace is there, but what the platform says of it differs from read to read. */
function unstableOnPlatform(search, traceIds, records, changes) {
    return new errors_AgentReplayError('TRACE_UNSTABLE', `The trace of replay ${search.runId} differed from read to read.`, {
        evidence: [
            ...searched(search),
            ...seen(traceIds, records),
            changes > 0 ? `changed ${changes} times after it was complete` : 'some of its observations are there twice',
        ],
        hint: 'An observation was probably sent more than once with different content: look for an export that is retried after a change. Platforms merge such copies after minutes; run again, or use tracing: embedded.',
    });
}
function searched({ runId, since, polls, host, api, lastFailure }) {
    return [
        `searched for: ${runId}, in ${api} of ${host} since ${since}, ${polls} times`,
        ...(lastFailure === undefined ? [] : [`last failure: ${lastFailure.message}`, ...lastFailure.evidence]),
    ];
}
function seen(traceIds, records) {
    return [
        ...listed(traceIds).map((id) => `trace: ${id}`),
        ...listed(records.map(named)).map((line) => `came: ${line}`),
    ];
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/settled.js

const PATIENCE = {
    quietMs: 3_000,
    settleMs: 10_000,
    duplicatesMs: 30_000,
    firstPollMs: 500,
    maxPollMs: 4_000,
};
/** Whether nothing more is to be expected. Pure. */
function isSettled(findings, { quietMs, settleMs, duplicatesMs }) {
    const { sightings, records, hasDuplicates, stillForMs, sameForMs, isBroken, marksRoots } = findings;
    const { missing, hasRoot, areCallsMatched } = progressOf(records);
    const isComplete = missing.length === 0;
    if (!isComplete && (isBroken || (!hasRoot && marksRoots)))
        return false;
    if (stillForMs < (isComplete && areCallsMatched ? quietMs : settleMs))
        return false;
    if (hasDuplicates && sameForMs < duplicatesMs)
        return false;
    // What the bulk read does not show has to be read whole twice.
    return isShown(records, sightings) || sameForMs >= quietMs;
}
function isShown(records, sightings) {
    return records.every(({ observation }) => observation === undefined || sightings.some((seen) => seen.observationIds.has(observation.id)));
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/poller.js






/** The sender's clock may be behind ours: a trace that seems to start before its call was made is still found. */
const CLOCK_SKEW_MS = 10 * 60_000;
const BACK_OFF = 1.5;
const JITTER = 0.2;
/** One poller for all replays that wait: each round is one bulk read, and one more for each trace that seems complete. */
class Poller {
    #api;
    #host;
    #clock;
    #patience;
    #paceMs;
    #random;
    #waiters = new Map();
    #closed = new AbortController();
    #isRunning = false;
    #intervalMs;
    #lastFailure;
    #otherRunIds = new Set();
    constructor(api, options) {
        this.#api = api;
        this.#host = options.host;
        this.#clock = options.clock;
        this.#patience = options.patience;
        this.#paceMs = options.paceMs;
        this.#random = options.random;
        this.#intervalMs = options.patience.firstPollMs;
    }
    /** See {@link TraceSource.waitFor}. A trace is not looked for before its call is over. */
    async waitFor(runId, options) {
        if (this.#waiters.has(runId)) {
            throw new errors_AgentReplayError('USAGE', `The trace of replay ${runId} is already being waited for.`);
        }
        const { signal, responded } = options;
        const { promise, resolve, reject } = Promise.withResolvers();
        const waiter = {
            runId,
            since: new Date(this.#clock.now() - CLOCK_SKEW_MS).toISOString(),
            call: 'running',
            polls: 0,
            sightings: undefined,
            whole: undefined,
            deliver: resolve,
            fail: reject,
        };
        const onAbort = () => waiter.fail(this.#explain(waiter, signal));
        this.#waiters.set(runId, waiter);
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted)
            onAbort();
        else if (responded === undefined)
            this.#callEnded(waiter, 'answered');
        responded?.then(() => this.#callEnded(waiter, 'answered'), () => this.#callEnded(waiter, 'broken'));
        return promise.finally(() => {
            signal.removeEventListener('abort', onAbort);
            this.#waiters.delete(runId);
        });
    }
    /** Ends all waiting, and the reads that are under way. */
    close() {
        this.#closed.abort();
        for (const waiter of this.#waiters.values()) {
            waiter.fail(new errors_AgentReplayError('INTERRUPTED', 'The tracing platform was closed while a trace was awaited.'));
        }
    }
    #callEnded(waiter, call) {
        if (this.#waiters.get(waiter.runId) !== waiter)
            return;
        waiter.call = call;
        this.#intervalMs = this.#patience.firstPollMs;
        if (!this.#isRunning)
            void this.#run();
    }
    #due() {
        return [...this.#waiters.values()].filter(({ call }) => call !== 'running');
    }
    async #run() {
        this.#isRunning = true;
        const { signal } = this.#closed;
        try {
            while (this.#due().length > 0) {
                const jitter = 1 + JITTER * (2 * this.#random() - 1);
                await this.#clock.sleep(Math.max(this.#intervalMs * jitter, this.#paceMs()), signal);
                this.#intervalMs = Math.min(this.#intervalMs * BACK_OFF, this.#patience.maxPollMs);
                await this.#round(signal);
            }
        }
        catch (error) {
            if (!signal.aborted)
                this.#failAll(asAgentReplayError(error));
        }
        finally {
            this.#isRunning = false;
        }
    }
    async #round(signal) {
        const due = this.#due();
        for (const group of Map.groupBy(due, ({ runId }) => headOf(runId)).values()) {
            await this.#tolerant(() => this.#look(group, signal), signal);
        }
        await Promise.all(due
            .filter((waiter) => this.#isWorthReading(waiter))
            .map(async (waiter) => {
            try {
                await this.#tolerant(() => this.#readWhole(waiter, signal), signal);
            }
            catch (error) {
                // What is wrong with one trace alone, its size for one, does not concern the others.
                const failure = asAgentReplayError(error);
                if (signal.aborted || failure.code === 'PLATFORM_UNAUTHORIZED')
                    throw error;
                waiter.fail(failure);
            }
        }));
        for (const waiter of due)
            this.#decide(waiter);
    }
    /** What may pass is remembered and tried again in the next round; what cannot pass ends all waiting. */
    async #tolerant(read, signal) {
        try {
            await read();
            this.#lastFailure = undefined;
        }
        catch (error) {
            signal.throwIfAborted();
            const failure = asAgentReplayError(error);
            if (!PASSING.has(failure.code))
                throw failure;
            this.#lastFailure = failure;
        }
    }
    async #look(group, signal) {
        const since = group.map((waiter) => waiter.since).sort()[0];
        const runIdPrefix = headOf(group[0]?.runId ?? '');
        const seen = Map.groupBy(await this.#api.sightings({ runIdPrefix, since }, signal), ({ replayRunId }) => replayRunId);
        for (const runId of seen.keys()) {
            if (!this.#waiters.has(runId) && this.#otherRunIds.size < MAX_OTHERS)
                this.#otherRunIds.add(runId);
        }
        for (const waiter of group) {
            waiter.polls++;
            const sightings = (seen.get(waiter.runId) ?? []).sort((a, b) => (a.traceId < b.traceId ? -1 : 1));
            if (sightings.length === 0 && waiter.sightings === undefined)
                continue;
            const digest = sightings.map(({ traceId, fingerprint }) => `${traceId} ${fingerprint}`).join('\n');
            waiter.sightings = this.#watch(waiter.sightings, sightings, digest);
        }
    }
    #isWorthReading({ sightings, whole }) {
        if (sightings === undefined || sightings.value.length === 0)
            return false;
        const now = this.#clock.now();
        const { quietMs } = this.#patience;
        if (now - sightings.changedAt < quietMs)
            return false;
        if (whole === undefined || whole.value.readAt < sightings.changedAt || whole.value.hasDuplicates)
            return true;
        // Not all that can still change shows in the bulk read.
        return now - whole.value.readAt >= Math.max(quietMs, this.#paceMs());
    }
    async #readWhole(waiter, signal) {
        const { value: sightings } = waiter.sightings;
        const readings = [];
        for (const { traceId } of sightings)
            readings.push(await this.#api.read(traceId, waiter.since, signal));
        const found = readings.filter((reading) => reading !== undefined);
        if (found.length < sightings.length)
            return;
        const records = found.flatMap((reading) => reading.records);
        const hasDuplicates = found.some((reading) => reading.hasDuplicates);
        const readAt = this.#clock.now();
        // Copies that take turns are told apart only when they are looked at often.
        if (hasDuplicates)
            this.#intervalMs = this.#patience.firstPollMs;
        waiter.whole = this.#watch(waiter.whole, { records, hasDuplicates, readAt }, digestOf(records));
    }
    #watch(before, value, digest) {
        if (before?.digest === digest)
            return { ...before, value };
        this.#intervalMs = this.#patience.firstPollMs;
        return { value, digest, changedAt: this.#clock.now(), changes: before === undefined ? 0 : before.changes + 1 };
    }
    #decide(waiter) {
        const { sightings, whole, call } = waiter;
        if (sightings === undefined || whole === undefined || whole.value.readAt < sightings.changedAt)
            return;
        const { records, hasDuplicates } = whole.value;
        const now = this.#clock.now();
        const findings = {
            sightings: sightings.value,
            records,
            hasDuplicates,
            stillForMs: now - sightings.changedAt,
            sameForMs: now - whole.changedAt,
            isBroken: call === 'broken',
            marksRoots: this.#api.marksRoots,
        };
        if (isSettled(findings, this.#patience))
            waiter.deliver(assemble_assembleTrace(records));
    }
    #failAll(error) {
        for (const waiter of this.#due())
            waiter.fail(error);
    }
    #explain(waiter, signal) {
        if (signal.reason instanceof errors_AgentReplayError)
            return signal.reason;
        const { runId, since, polls, sightings, whole } = waiter;
        const search = {
            runId,
            since,
            polls,
            host: this.#host,
            api: this.#api.name,
            lastFailure: this.#lastFailure,
            otherRunIds: [...this.#otherRunIds],
        };
        if (sightings === undefined)
            return missingOnPlatform(search);
        const traceIds = sightings.value.map(({ traceId }) => traceId);
        const records = whole?.value.records ?? [];
        const { missing } = progressOf(records);
        const hasChanged = (whole?.changes ?? 0) > 0 || whole?.value.hasDuplicates === true;
        return whole !== undefined && missing.length === 0 && hasChanged
            ? unstableOnPlatform(search, traceIds, records, whole.changes)
            : incompleteOnPlatform(search, traceIds, records, missing);
    }
}
/** Failures that may be over when it is tried again. */
const PASSING = new Set(['PLATFORM_UNREACHABLE', 'PLATFORM_RATE_LIMITED']);
const MAX_OTHERS = 20;
/** Run ids of one job begin alike: `<uid>.t<turn>.r<run>`. */
function headOf(runId) {
    return runId.split('.', 1)[0];
}
/** Rows come in any order. */
function digestOf(records) {
    const lines = records.map((record) => JSON.stringify(record)).sort();
    return (0,external_node_crypto_.createHash)('sha256').update(lines.join('\n')).digest('hex');
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/pages.js


/** More than this many is a search that does not end. */
const MAX_PAGES = 200;
/** Walks pages until `next` says that there is none. Every row is an object. */
async function* pages(first, read, next, host) {
    const seen = new Set();
    for (let position = first; position !== undefined;) {
        const { body, path } = await read(position);
        if (!json_isJsonObject(body) || !Array.isArray(body.data))
            throw unexpectedAnswer(host, `GET ${path}: no list of data`);
        yield body.data.filter(json_isJsonObject);
        seen.add(position);
        position = next(body, position);
        if (position !== undefined && seen.has(position)) {
            throw unexpectedAnswer(host, `GET ${path}: the same page follows again`);
        }
        if (seen.size >= MAX_PAGES)
            throw tooMuchData(path, `more than ${MAX_PAGES} pages`);
    }
}
/** The filter of both APIs on a metadata value. Old servers ignore it. */
function startsWith(key, value) {
    return JSON.stringify([{ type: 'stringObject', column: 'metadata', key, operator: 'starts with', value }]);
}
/** An endpoint that was there when the run began. */
function gone(host, path) {
    return unexpectedAnswer(host, `GET ${path}: 404`);
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/rows.js




function rowReader(options = {}) {
    const { keys } = identifiers_wireNames(options.identifiers);
    const contractKeys = [...Object.values(keys), 'agent_id', 'session_id', 'run_id'];
    return {
        trace(body) {
            const traceId = rows_textIn(body, 'id') ?? '';
            const rows = Array.isArray(body.observations) ? body.observations.filter(json_isJsonObject) : [];
            const records = rows.flatMap((row) => {
                const observation = observationOf(row, contractKeys);
                if (observation === undefined)
                    return [];
                const isRoot = observation.parentId === null;
                return [{ traceId, observation, trace: { metadata: {} }, isRoot, isModelCall: isModelCall(observation, row) }];
            });
            const earliest = records.map(({ observation }) => observation.startTime).sort()[0];
            const trace = traceFieldsOf(body, rows_textIn(body, 'name'));
            trace.metadata = rows_ownMetadata(metadataIn(body), contractKeys);
            delete trace.metadata.attributes;
            // The platform's is that of the record which it stored first, and on old servers of the last update.
            const timestamp = [timeIn(body, 'timestamp'), earliest].filter((time) => time !== undefined).sort()[0];
            if (timestamp !== undefined)
                trace.timestamp = timestamp;
            // The trace is there before its root: it is no root itself.
            return [{ traceId, trace, isRoot: false, isModelCall: false }, ...records];
        },
        observation(row) {
            const traceId = rows_textIn(row, 'traceId');
            const observation = observationOf(row, contractKeys);
            if (traceId === undefined || observation === undefined)
                return undefined;
            const trace = traceFieldsOf(row, rows_textIn(row, 'traceName'));
            const madeUp = `t-${traceId}`;
            if (observation.id === madeUp) {
                // What an older SDK said of the trace, made into a row by the platform.
                trace.timestamp = observation.startTime;
                trace.metadata = observation.metadata ?? {};
                if (observation.input !== undefined)
                    trace.input = observation.input;
                if (observation.output !== undefined)
                    trace.output = observation.output;
                return { traceId, trace, isRoot: true, isModelCall: false };
            }
            if (observation.parentId === madeUp)
                observation.parentId = null;
            const isRoot = row.isRootObservation === true || rows_textIn(row, 'parentObservationId') === undefined;
            // A row holds its trace's metadata among its own. Of the root that is the trace's as well.
            trace.metadata = isRoot ? {} : picked(observation.metadata, contractKeys);
            return { traceId, observation, trace, isRoot, isModelCall: isModelCall(observation, row) };
        },
        replayRunId(row) {
            const { metadata } = row;
            const value = json_isJsonObject(metadata) ? own(metadata, keys.replayRunId) : undefined;
            return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
        },
    };
}
function observationOf(row, contractKeys) {
    const id = rows_textIn(row, 'id');
    const startTime = timeIn(row, 'startTime');
    if (id === undefined || startTime === undefined)
        return undefined;
    const kind = rows_textIn(row, 'type')?.toLowerCase();
    const type = observationType.options.find((option) => option === kind) ?? 'span';
    const observation = {
        id,
        parentId: rows_textIn(row, 'parentObservationId') ?? null,
        type,
        name: rows_textIn(row, 'name') ?? '',
        startTime,
        endTime: timeIn(row, 'endTime') ?? (type === 'event' ? startTime : null),
        level: levelNamed(rows_textIn(row, 'level')) ?? 'DEFAULT',
    };
    const input = rows_contentOf(row.input);
    if (input !== undefined)
        observation.input = input;
    const output = rows_contentOf(row.output);
    if (output !== undefined)
        observation.output = output;
    const statusMessage = rows_textIn(row, 'statusMessage');
    if (statusMessage !== undefined)
        observation.statusMessage = statusMessage;
    const model = rows_textIn(row, 'model') ?? rows_textIn(row, 'providedModelName');
    if (model !== undefined)
        observation.model = model;
    const parameters = withoutNulls(structured(row.modelParameters));
    if (parameters !== undefined)
        observation.modelParameters = parameters;
    const usage = model_call_numbersIn(structured(row.usageDetails)) ?? rows_counted(model_call_numbersIn(row.usage));
    if (usage !== undefined)
        observation.usage = usage;
    const cost = model_call_numbersIn(structured(row.costDetails));
    if (cost !== undefined)
        observation.cost = cost;
    const metadata = metadataIn(row);
    const kept = rows_ownMetadata(metadata, contractKeys);
    if (Object.keys(kept).length > 0)
        observation.metadata = kept;
    if (type === 'tool' || type === 'span') {
        const callId = attributeIn(metadata, rows_CALL_ID) ?? callIdIn(kept) ?? (type === 'tool' ? callIdIn(observation.output) : undefined);
        if (callId !== undefined)
            observation.callId = callId;
    }
    return observation;
}
const rows_CALL_ID = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool_call.id'];
const rows_MODEL_LIBRARIES = new Set(['ai', 'gen_ai']);
function isModelCall({ type }, row) {
    const metadata = metadataIn(row);
    const scope = json_isJsonObject(metadata.scope) ? own(metadata.scope, 'name') : own(metadata, 'scope.name');
    return type === 'generation' || type === 'embedding' || rows_MODEL_LIBRARIES.has(String(scope));
}
function traceFieldsOf(row, name) {
    const fields = { metadata: {} };
    if (name !== undefined)
        fields.name = name;
    for (const key of ['sessionId', 'userId', 'environment', 'release', 'version']) {
        const value = rows_textIn(row, key);
        if (value !== undefined)
            fields[key] = value;
    }
    if (Array.isArray(row.tags) && row.tags.length > 0)
        fields.tags = row.tags.map(String);
    if (row.traceId === undefined) {
        const input = rows_contentOf(row.input);
        if (input !== undefined)
            fields.input = input;
        const output = rows_contentOf(row.output);
        if (output !== undefined)
            fields.output = output;
    }
    return fields;
}
/**
 * One API parses JSON in text and the other does not. Objects and arrays are parsed here as everywhere; numbers and
 * booleans become the text again that they were on the wire.
 */
function rows_contentOf(value) {
    if (value === null || value === undefined)
        return undefined;
    return typeof value === 'object' ? value : structured(String(value));
}
function metadataIn({ metadata }) {
    if (metadata === undefined || metadata === null)
        return {};
    return json_isJsonObject(metadata) ? metadata : { metadata };
}
/** What the platform adds about the sender: as objects in one API, as dotted keys in the other. */
const ADDED = ['resourceAttributes', 'scope', 'attributes'];
/** Without what the platform added, except contract metadata that an agent has set as bare attributes. */
function rows_ownMetadata(metadata, contractKeys) {
    const entries = Object.entries(metadata).filter(([key]) => !ADDED.some((added) => key === added || key.startsWith(`${added}.`)));
    const kept = Object.fromEntries(entries.map(([key, value]) => [key, structured(value)]));
    const misplaced = contractKeys.flatMap((key) => {
        const value = attribute(metadata, key);
        return value === undefined ? [] : [[key, value]];
    });
    if (misplaced.length > 0)
        kept.attributes = Object.fromEntries(misplaced);
    return kept;
}
function attribute(metadata, key) {
    const { attributes } = metadata;
    return (json_isJsonObject(attributes) ? own(attributes, key) : undefined) ?? own(metadata, `attributes.${key}`);
}
function attributeIn(metadata, keys) {
    const value = keys.map((key) => attribute(metadata, key)).find((found) => found !== undefined && found !== '');
    return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
}
function picked(metadata, keys) {
    return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => keys.includes(key)));
}
function withoutNulls(value) {
    if (!json_isJsonObject(value))
        return undefined;
    const entries = Object.entries(value).filter(([, member]) => member !== null);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
/** Old servers say zero for what was not counted. */
function rows_counted(usage) {
    return usage !== undefined && Object.values(usage).some((count) => count > 0) ? usage : undefined;
}
function own(object, key) {
    return Object.hasOwn(object, key) ? object[key] : undefined;
}
/** Unset text is null, empty or absent, depending on the API. */
function rows_textIn(object, key) {
    const value = own(object, key);
    return typeof value === 'string' && value !== '' ? value : undefined;
}
/** ISO 8601 in UTC with milliseconds. */
function timeIn(object, key) {
    const milliseconds = Date.parse(rows_textIn(object, key) ?? '');
    return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/observations-api.js




const observations_api_PATH = '/api/public/v2/observations';
/** Rows without content are small: as many as the server gives. */
const LIGHT_PAGE = 1_000;
/** Rows with content: the vendor's cloud ends an answer at 5 MB. */
const HEAVY_PAGE = 100;
const LIGHT = 'core,basic,time,metadata';
const WHOLE = 'core,basic,time,io,metadata,model,usage,trace_context';
/** `GET /v2/observations`: servers from version 4 on. They have no traces, only rows that name one. */
function observationsApi(connection, options) {
    const rows = rowReader(options);
    const { replayRunId } = identifiers_wireNames(options.identifiers).keys;
    const list = (query, signal) => pages('', async (cursor) => {
        const parameters = { ...query, cursor: cursor === '' ? undefined : cursor };
        const answer = await connection.get(observations_api_PATH, parameters, { signal });
        if (answer.status === 404)
            throw gone(connection.host, observations_api_PATH);
        return { body: answer.body, path: observations_api_PATH };
    }, ({ meta }) => (json_isJsonObject(meta) ? rows_textIn(meta, 'cursor') : undefined), connection.host);
    return {
        name: 'observations',
        readsPerMinute: 30,
        marksRoots: true,
        async probe(signal) {
            const parameters = { limit: 1, fields: 'core', fromStartTime: new Date().toISOString() };
            const { status } = await connection.get(observations_api_PATH, parameters, { signal });
            return status === 200;
        },
        async sightings({ runIdPrefix, since }, signal) {
            const found = new Map();
            const filter = startsWith(replayRunId, runIdPrefix);
            // Any value of expandMetadata keeps all of it from being cut.
            const query = { filter, fromStartTime: since, fields: LIGHT, expandMetadata: replayRunId, limit: LIGHT_PAGE };
            for await (const page of list(query, signal)) {
                for (const row of page) {
                    const id = rows_textIn(row, 'id');
                    const traceId = rows_textIn(row, 'traceId');
                    const runId = rows.replayRunId(row);
                    if (id === undefined || traceId === undefined || runId === undefined)
                        continue;
                    const key = JSON.stringify([runId, traceId]);
                    let entry = found.get(key);
                    if (entry === undefined) {
                        const ids = new Set();
                        entry = { sighting: { traceId, replayRunId: runId, observationIds: ids }, ids, lines: [] };
                        found.set(key, entry);
                    }
                    entry.ids.add(id);
                    entry.lines.push(JSON.stringify([id, row.updatedAt, row.endTime, row.level]));
                }
            }
            return [...found.values()].map(({ sighting, lines }) => ({ ...sighting, fingerprint: lines.sort().join('\n') }));
        },
        async read(traceId, since, signal) {
            const newest = new Map();
            let count = 0;
            const query = { traceId, fromStartTime: since, fields: WHOLE, limit: HEAVY_PAGE };
            for await (const page of list(query, signal)) {
                for (const row of page) {
                    const record = rows.observation(row);
                    if (record === undefined)
                        continue;
                    count++;
                    const id = rows_textIn(row, 'id');
                    const updatedAt = updatedAtOf(row);
                    if (updatedAt >= (newest.get(id)?.updatedAt ?? ''))
                        newest.set(id, { record, updatedAt });
                }
            }
            if (count === 0)
                return undefined;
            return { records: [...newest.values()].map(({ record }) => record), hasDuplicates: count > newest.size };
        },
        async *heads({ since, sessionId }, signal) {
            const query = { isRootObservation: 'true', fromStartTime: since, sessionId, fields: WHOLE, limit: HEAVY_PAGE };
            for await (const page of list(query, signal)) {
                for (const row of page) {
                    const record = rows.observation(row);
                    if (record !== undefined)
                        yield assemble_assembleTrace([record]);
                }
            }
        },
    };
}
function updatedAtOf(row) {
    return timeIn(row, 'updatedAt') ?? '';
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/traces-api.js




const traces_api_PATH = '/api/public/traces';
/** The largest that the server allows. */
const PAGE = 100;
/**
 * An old server ignores the filter and lists the whole project: replays are the newest, so that the search may end
 * somewhere.
 */
const traces_api_MAX_LISTED = 2_000;
/** `GET /traces` and `/traces/{id}`: servers up to version 3, and 4 where it still writes both. */
function tracesApi(connection, options) {
    const rows = rowReader(options);
    const { replayRunId } = identifiers_wireNames(options.identifiers).keys;
    const list = (query, signal) => pages(1, async (page) => {
        const parameters = { ...query, limit: PAGE, page, orderBy: 'timestamp.desc' };
        const answer = await connection.get(traces_api_PATH, parameters, { signal });
        if (answer.status === 404)
            throw gone(connection.host, traces_api_PATH);
        return { body: answer.body, path: traces_api_PATH };
    }, ({ meta, data }, page) => {
        const total = json_isJsonObject(meta) ? Number(meta.totalPages) : Number.NaN;
        const isLast = Number.isNaN(total) ? data.length < PAGE : page >= total;
        return isLast || data.length === 0 ? undefined : page + 1;
    }, connection.host);
    return {
        name: 'traces',
        readsPerMinute: 15,
        marksRoots: false,
        async probe(signal) {
            const parameters = { limit: 1, fields: 'core', fromTimestamp: new Date().toISOString() };
            const { status } = await connection.get(traces_api_PATH, parameters, { signal });
            return status === 200;
        },
        async sightings({ runIdPrefix, since }, signal) {
            const found = [];
            let listed = 0;
            // Metadata belongs to the group io.
            const query = { filter: startsWith(replayRunId, runIdPrefix), fromTimestamp: since, fields: LISTED };
            for await (const page of list(query, signal)) {
                for (const trace of page) {
                    const traceId = rows_textIn(trace, 'id');
                    const runId = rows.replayRunId(trace);
                    if (traceId === undefined || runId === undefined)
                        continue;
                    const observationIds = new Set(idsIn(trace));
                    found.push({
                        traceId,
                        replayRunId: runId,
                        fingerprint: fingerprintOf(trace, observationIds),
                        observationIds,
                    });
                }
                listed += page.length;
                if (listed >= traces_api_MAX_LISTED)
                    break;
            }
            return found;
        },
        async read(traceId, _since, signal) {
            const { status, body } = await connection.get(`${traces_api_PATH}/${encodeURIComponent(traceId)}`, {}, { signal });
            if (status === 404 || !json_isJsonObject(body))
                return undefined;
            return { records: rows.trace(body), hasDuplicates: false };
        },
        async *heads({ since, sessionId }, signal) {
            // Here observations are ids only.
            for await (const page of list({ fromTimestamp: since, sessionId, fields: 'core,io' }, signal)) {
                for (const trace of page) {
                    const isThere = rows_textIn(trace, 'id') !== undefined && timeIn(trace, 'timestamp') !== undefined;
                    if (isThere)
                        yield assemble_assembleTrace(rows.trace(trace));
                }
            }
        },
    };
}
const LISTED = 'core,io,observations,metrics';
function idsIn({ observations }) {
    return Array.isArray(observations) ? observations.map(String).sort() : [];
}
function fingerprintOf(trace, ids) {
    const { updatedAt, latency, totalCost, input, output } = trace;
    return JSON.stringify([updatedAt, latency, totalCost, input, output, [...ids]]);
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/read-api.js



/**
 * Chooses by what the server answers. The traces API comes first: where a server has both, traces of older SDKs are in
 * the other one only minutes later, or never.
 */
async function chooseApi(connection, options) {
    for (const api of [tracesApi(connection, options), observationsApi(connection, options)]) {
        if (await api.probe(options.signal))
            return api;
    }
    throw unexpectedAnswer(connection.host, 'GET /api/public/traces and /api/public/v2/observations: 404');
}

;// CONCATENATED MODULE: ./build/src/tracing/platform/platform.js







/** The vendor's cloud is the only server with limits, until another one says so. */
const CLOUD = /(^|\.)langfuse\.com$/i;
/** Well below the quiet time, so that what an agent sends in two parts is one; the SDKs' own 5 s are above it. */
const FLUSH_INTERVAL_MS = 1_000;
/** Before there was a platform. */
const platform_EVER = '2020-01-01T00:00:00.000Z';
/**
 * Opens a tracing platform: checks host and keys, and finds out which read API the server has.
 * @throws AgentReplayError `PLATFORM_*`
 */
async function openPlatform(options) {
    const { host, publicKey, secretKey, identifiers, readsPerMinute, clock = systemClock, random = Math.random, } = options;
    const connection = new Connection(options, { clock, readsPerMinute });
    const api = await chooseApi(connection, {
        identifiers,
        signal: options.signal ?? new AbortController().signal,
    }).catch(async (error) => {
        await connection.close();
        throw error;
    });
    if (readsPerMinute === undefined && CLOUD.test(new URL(host).hostname)) {
        connection.budget.limitTo(api.readsPerMinute);
    }
    const poller = new Poller(api, {
        host,
        clock,
        random,
        patience: { ...PATIENCE, ...options.patience },
        paceMs: () => connection.budget.paceMs,
    });
    let replays = 0;
    return {
        url: host,
        secretKey,
        api: api.name,
        environment: () => ({
            ...tracingEnvironment({ url: host, publicKey, secretKey }, { identifiers }),
            LANGFUSE_FLUSH_INTERVAL: String(FLUSH_INTERVAL_MS / 1_000),
            OTEL_BSP_SCHEDULE_DELAY: String(FLUSH_INTERVAL_MS),
        }),
        stats: () => ({ reads: connection.budget.made, replays }),
        heads: (query, { signal }) => api.heads(query, signal),
        trace: async (id, { signal, since = platform_EVER }) => {
            const reading = await api.read(id, since, signal);
            return reading === undefined ? undefined : assemble_assembleTrace(reading.records);
        },
        waitFor: (runId, waitOptions) => {
            replays++;
            return poller.waitFor(runId, waitOptions);
        },
        [Symbol.asyncDispose]: async () => {
            poller.close();
            await connection.close();
        },
    };
}

;// CONCATENATED MODULE: ./build/src/tracing/ingestion.js




/**
 * Reads batches of the ingestion API that SDKs before OpenTelemetry use. Traces and observations come in pieces, whose
 * order in the batch is not the order in which they were made: they are put in order when they are merged.
 */
function ingestionReader(options = {}) {
    const { replayRunId } = identifiers_wireNames(options.identifiers).keys;
    return (body) => {
        if (!json_isJsonObject(body) || !Array.isArray(body.batch))
            return undefined;
        const arrivals = [];
        const eventIds = [];
        let unreadable = 0;
        for (const event of body.batch) {
            const arrival = json_isJsonObject(event) ? arrivalOf(event, replayRunId) : undefined;
            if (json_isJsonObject(event) && typeof event.id === 'string')
                eventIds.push(event.id);
            if (arrival === 'unreadable')
                unreadable++;
            else if (arrival !== undefined)
                arrivals.push(arrival);
        }
        return { arrivals, eventIds, unreadable };
    };
}
function arrivalOf(event, runIdKey) {
    const [, kind = '', verb] = /^(.+)-(create|update)$/.exec(String(event.type)) ?? [];
    if (kind !== 'trace' && observationTypeOf(kind) === undefined && kind !== 'observation')
        return undefined;
    const body = json_isJsonObject(event.body) ? event.body : {};
    const traceId = ingestion_textIn(body, kind === 'trace' ? 'id' : 'traceId');
    const id = ingestion_textIn(body, 'id');
    if (traceId === undefined || id === undefined)
        return 'unreadable';
    const metadata = json_isJsonObject(body.metadata) ? body.metadata : {};
    const runId = Object.hasOwn(metadata, runIdKey) ? metadata[runIdKey] : undefined;
    const piece = {
        eventId: ingestion_textIn(event, 'id') ?? '',
        at: ingestion_textIn(event, 'timestamp') ?? '',
        isUpdate: verb === 'update',
        kind,
        body,
    };
    return new PieceArrival(traceId, kind === 'trace' ? `trace ${id}` : id, typeof runId === 'string' || typeof runId === 'number' ? String(runId) : undefined, new Map([[piece.eventId, piece]]));
}
class PieceArrival {
    traceId;
    id;
    replayRunId;
    /** By event id: the SDK sends a whole batch again when any of it failed. */
    #pieces;
    constructor(traceId, id, replayRunId, pieces) {
        this.traceId = traceId;
        this.id = id;
        this.replayRunId = replayRunId;
        this.#pieces = pieces;
    }
    join(earlier) {
        if (!(earlier instanceof PieceArrival))
            return this;
        const runId = this.replayRunId ?? earlier.replayRunId;
        return new PieceArrival(this.traceId, this.id, runId, new Map([...earlier.#pieces, ...this.#pieces]));
    }
    record() {
        const pieces = [...this.#pieces.values()].sort(inOrderOfMaking);
        const body = pieces.reduce((merged, piece) => mergedBodies(merged, piece.body), {});
        if (pieces[0]?.kind === 'trace')
            return traceRecord(this.traceId, body, pieces);
        return observationRecord(this.traceId, this.id, body, pieces);
    }
}
/** Updates after creates, each by time; the sort is stable, so that the batch decides what is left. */
function inOrderOfMaking(a, b) {
    return Number(a.isUpdate) - Number(b.isUpdate) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
}
/** Null and absent say nothing; metadata is merged, everything else replaced. */
function mergedBodies(earlier, later) {
    const said = Object.entries(later).filter(([, value]) => value !== null);
    const merged = Object.fromEntries([...Object.entries(earlier), ...said]);
    if (json_isJsonObject(earlier.metadata) && json_isJsonObject(later.metadata)) {
        merged.metadata = mergedMetadata(earlier.metadata, later.metadata);
    }
    return merged;
}
/** Recursion is safe: `parseJson` bounds the depth. */
function mergedMetadata(earlier, later) {
    const entries = Object.entries(later).map(([key, value]) => {
        const before = Object.hasOwn(earlier, key) ? earlier[key] : undefined;
        return [key, json_isJsonObject(before) && json_isJsonObject(value) ? mergedMetadata(before, value) : value];
    });
    return Object.fromEntries([...Object.entries(earlier), ...entries]);
}
function traceRecord(traceId, body, pieces) {
    // An update carries the time of the update: the trace began at the earliest.
    const began = pieces.map((piece) => ingestion_timeIn(piece.body, 'timestamp') ?? '').filter((time) => time !== '');
    const trace = { metadata: ingestion_metadataIn(body) };
    const timestamp = began.sort()[0] ?? timeOf(pieces[0]?.at);
    if (timestamp !== undefined)
        trace.timestamp = timestamp;
    for (const key of ['name', 'sessionId', 'userId', 'environment', 'release', 'version']) {
        const value = ingestion_textIn(body, key);
        if (value !== undefined)
            trace[key] = value;
    }
    if (Array.isArray(body.tags))
        trace.tags = body.tags.map(String);
    if (body.input !== undefined)
        trace.input = structured(body.input);
    if (body.output !== undefined)
        trace.output = structured(body.output);
    return { traceId, trace, isRoot: true, isModelCall: false };
}
function observationRecord(traceId, id, body, pieces) {
    const kind = pieces.find((piece) => piece.kind !== 'observation')?.kind ?? ingestion_textIn(body, 'type') ?? '';
    const type = observationTypeOf(kind) ?? 'span';
    const startTime = ingestion_timeIn(body, 'startTime') ?? timeOf(pieces[0]?.at) ?? new Date(0).toISOString();
    const parentId = ingestion_textIn(body, 'parentObservationId') ?? null;
    const observation = {
        id,
        parentId,
        type,
        name: ingestion_textIn(body, 'name') ?? '',
        startTime,
        endTime: ingestion_timeIn(body, 'endTime') ?? (type === 'event' ? startTime : null),
        level: levelNamed(ingestion_textIn(body, 'level')) ?? 'DEFAULT',
    };
    if (body.input !== undefined)
        observation.input = structured(body.input);
    if (body.output !== undefined)
        observation.output = structured(body.output);
    const statusMessage = ingestion_textIn(body, 'statusMessage');
    if (statusMessage !== undefined)
        observation.statusMessage = statusMessage;
    const model = ingestion_textIn(body, 'model');
    if (model !== undefined)
        observation.model = model;
    if (json_isJsonObject(body.modelParameters))
        observation.modelParameters = body.modelParameters;
    const usage = model_call_numbersIn(body.usageDetails) ?? usageIn(body.usage);
    if (usage !== undefined)
        observation.usage = usage;
    const cost = model_call_numbersIn(body.costDetails);
    if (cost !== undefined)
        observation.cost = cost;
    const metadata = ingestion_metadataIn(body);
    if (Object.keys(metadata).length > 0)
        observation.metadata = metadata;
    const callId = type === 'tool' || type === 'span' ? callIdIn(metadata) : undefined;
    if (callId !== undefined)
        observation.callId = callId;
    return {
        traceId,
        observation,
        trace: { metadata: {} },
        isRoot: parentId === null,
        isModelCall: type === 'generation' || type === 'embedding',
    };
}
/** The API has a spelling of its own for tokens, and an older one after OpenAI's. */
function usageIn(usage) {
    if (!json_isJsonObject(usage))
        return undefined;
    const { promptTokens, completionTokens, totalTokens } = usage;
    return model_call_numbersIn({
        input: usage.input ?? promptTokens ?? null,
        output: usage.output ?? completionTokens ?? null,
        total: usage.total ?? totalTokens ?? null,
    });
}
/** Metadata that is no object is kept under one key, as the platform does. */
function ingestion_metadataIn({ metadata }) {
    if (metadata === undefined || metadata === null)
        return {};
    return json_isJsonObject(metadata) ? metadata : { metadata };
}
function observationTypeOf(kind) {
    return observationType.options.find((option) => option === kind.toLowerCase());
}
function ingestion_textIn(object, key) {
    const value = object[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
}
function ingestion_timeIn(object, key) {
    return timeOf(ingestion_textIn(object, key));
}
function timeOf(text) {
    const milliseconds = Date.parse(text ?? '');
    return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __webpack_require__(8522);
;// CONCATENATED MODULE: ./build/src/tracing/server.js



/** An answer with an error status, and the reason in words for whoever reads the agent's log. */
class Refusal extends Error {
    name = 'Refusal';
    status;
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}
/**
 * Idle connections are kept far longer than Node's 5 s: an exporter that reuses one in the moment it is closed
 * would lose its spans.
 */
const server_KEEP_ALIVE_MS = 10 * 60_000;
/** The HTTP side of the receiver: authorisation, reading, decompression and routing, in this one place. */
function createTraceServer(options) {
    const server = (0,external_node_http_.createServer)({ keepAliveTimeout: server_KEEP_ALIVE_MS }, (request, response) => {
        answer(request, options).then((reply) => send(response, reply), (error) => {
            const refusal = error instanceof Refusal ? error : new Refusal(500, `the receiver failed: ${String(error)}`);
            options.onRefusal(refusal);
            // A client that still writes would miss the answer if the connection were closed now.
            request.resume();
            send(response, { status: refusal.status, json: { message: refusal.message, error: refusal.name } });
        });
    });
    return server;
}
async function answer(request, options) {
    // A base URL with a slash at its end makes `//api/...`; URL would read that as a host.
    const url = new URL((request.url ?? '/').replace(/\/{2,}/g, '/'), 'http://receiver');
    const onPath = options.routes.filter(({ path }) => path.test(url.pathname));
    const route = onPath.find(({ method }) => method === request.method);
    if (route === undefined) {
        throw onPath.length === 0
            ? new Refusal(404, `nothing answers at ${url.pathname}`)
            : new Refusal(405, `${request.method} is not allowed at ${url.pathname}`);
    }
    if (route.isOpen !== true && !options.isAuthorized(request.headers.authorization)) {
        throw new Refusal(401, 'the keys are not those of this run: see the environment that the agent is started with');
    }
    const body = await decompressed(await server_read(request, options.maxBodyBytes), request, options.maxBodyBytes);
    const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    return route.handle({ url, contentType, body });
}
async function server_read(request, maxBytes) {
    const chunks = [];
    let length = 0;
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        length += chunk.length;
        if (length > maxBytes)
            throw tooLarge(maxBytes);
        chunks.push(chunk);
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length);
}
const DECOMPRESSORS = new Map([
    ['gzip', (0,external_node_util_.promisify)(external_node_zlib_.gunzip)],
    ['x-gzip', (0,external_node_util_.promisify)(external_node_zlib_.gunzip)],
    ['deflate', (0,external_node_util_.promisify)(external_node_zlib_.inflate)],
    ['br', (0,external_node_util_.promisify)(external_node_zlib_.brotliDecompress)],
    ['zstd', (0,external_node_util_.promisify)(external_node_zlib_.zstdDecompress)],
]);
async function decompressed(body, request, maxBytes) {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity')
        return body;
    const decompress = DECOMPRESSORS.get(encoding);
    if (decompress === undefined)
        throw new Refusal(415, `the content encoding ${encoding} is not known`);
    try {
        return await decompress(body, { maxOutputLength: maxBytes });
    }
    catch (error) {
        if (error.code === 'ERR_BUFFER_TOO_LARGE')
            throw tooLarge(maxBytes);
        throw new Refusal(400, `the body is not ${encoding}`);
    }
}
function tooLarge(maxBytes) {
    return new Refusal(413, `the body is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB`);
}
function send(response, reply) {
    const bytes = 'bytes' in reply ? reply.bytes : Buffer.from(JSON.stringify(reply.json));
    const contentType = 'bytes' in reply ? reply.contentType : 'application/json';
    response.writeHead(reply.status, { 'content-type': contentType, 'content-length': bytes.byteLength });
    response.end(bytes);
}

;// CONCATENATED MODULE: ./build/src/tracing/store.js




/** Ids of traces that were handed over are remembered, so that their late spans are known as such and not kept. */
const REMEMBERED_TRACES = 10_000;
/** Run ids of other and of late spans that are kept to explain an error. */
const REMEMBERED_RUN_IDS = 1_000;
/** Reasons can hold a path from outside, so there is no end to them. */
const REMEMBERED_REASONS = 20;
/** Traces by id until they are handed over, and those who wait for them. Knows nothing of HTTP or of encodings. */
class TraceStore {
    /** What has come in, for the explanation of what has not. */
    traffic = {
        exports: 0,
        spans: 0,
        unreadable: 0,
        late: 0,
        lateRunIds: new Set(),
        withoutRunId: 0,
        otherRunIds: new Set(),
        unauthorized: 0,
        refused: new Map(),
    };
    #limits;
    #patience;
    #traces = new Map();
    #byRun = new Map();
    #waiters = new Map();
    #handedOver = new Set();
    #bytes = 0;
    constructor(limits, patience) {
        this.#limits = limits;
        this.#patience = patience;
    }
    /** Number of traces that are held now. */
    get size() {
        return this.#traces.size;
    }
    /** Takes in what one export brought. What has a known id replaces the earlier: exporters send again. */
    add(arrivals, bytes) {
        this.traffic.exports++;
        this.traffic.spans += arrivals.length;
        const bytesEach = bytes / Math.max(arrivals.length, 1);
        const touched = new Set();
        for (const arrival of arrivals) {
            const { traceId, replayRunId } = arrival;
            if (replayRunId === undefined)
                this.traffic.withoutRunId++;
            if (this.#handedOver.has(traceId)) {
                this.traffic.late++;
                remember(this.traffic.lateRunIds, replayRunId);
                continue;
            }
            if (!this.#waiters.has(replayRunId ?? ''))
                remember(this.traffic.otherRunIds, replayRunId);
            touched.add(this.#put(arrival, bytesEach));
        }
        this.#evict();
        const waiting = new Set([...touched].flatMap(({ runIds }) => [...runIds]));
        for (const runId of waiting) {
            const waiter = this.#waiters.get(runId);
            if (waiter !== undefined)
                this.#review(waiter);
        }
    }
    /** Remembers that a request was refused, for the explanation of a trace that never came. */
    noteRefusal(status, reason) {
        const { refused } = this.traffic;
        if (status === 401)
            this.traffic.unauthorized++;
        if (refused.has(reason) || refused.size < REMEMBERED_REASONS)
            refused.set(reason, (refused.get(reason) ?? 0) + 1);
    }
    /** See {@link TraceSource.waitFor}. */
    async waitFor(runId, options) {
        if (this.#waiters.has(runId)) {
            throw new errors_AgentReplayError('USAGE', `The trace of replay ${runId} is already being waited for.`);
        }
        const { signal, responded } = options;
        const { promise, resolve, reject } = Promise.withResolvers();
        const waiter = {
            runId,
            call: responded === undefined ? 'answered' : 'running',
            timer: undefined,
            deliver: resolve,
            fail: reject,
        };
        const onAbort = () => waiter.fail(this.#explain(runId, signal));
        this.#waiters.set(runId, waiter);
        this.traffic.otherRunIds.delete(runId);
        signal.addEventListener('abort', onAbort, { once: true });
        responded?.then(() => this.#review(waiter, 'answered'), () => this.#review(waiter, 'broken'));
        if (signal.aborted)
            onAbort();
        else
            this.#review(waiter);
        return promise.finally(() => {
            clearTimeout(waiter.timer);
            signal.removeEventListener('abort', onAbort);
            this.#waiters.delete(runId);
            this.#handOver(runId);
        });
    }
    /** Ends all waiting. */
    close() {
        for (const waiter of this.#waiters.values()) {
            waiter.fail(new errors_AgentReplayError('INTERRUPTED', 'The trace receiver was closed while a trace was awaited.'));
        }
    }
    #put(arrival, bytes) {
        const { traceId, id, replayRunId } = arrival;
        let stored = this.#traces.get(traceId);
        if (stored === undefined) {
            stored = { id: traceId, arrivals: new Map(), runIds: new Set(), bytes: 0, isOverLimit: false };
            this.#traces.set(traceId, stored);
        }
        if (replayRunId !== undefined && !stored.runIds.has(replayRunId)) {
            stored.runIds.add(replayRunId);
            const traces = this.#byRun.get(replayRunId) ?? new Set();
            this.#byRun.set(replayRunId, traces.add(stored));
        }
        if (stored.isOverLimit)
            return stored;
        const earlier = stored.arrivals.get(id);
        const kept = earlier === undefined || arrival.join === undefined
            ? { arrival, bytes }
            : { arrival: arrival.join(earlier.arrival), bytes: earlier.bytes + bytes };
        const growth = kept.bytes - (earlier?.bytes ?? 0);
        stored.arrivals.set(id, kept);
        stored.bytes += growth;
        this.#bytes += growth;
        if (stored.arrivals.size > this.#limits.spansPerTrace)
            this.#empty(stored);
        return stored;
    }
    /** Keeps that there was a trace, not its content. */
    #empty(stored) {
        stored.isOverLimit = true;
        stored.arrivals.clear();
        this.#bytes -= stored.bytes;
        stored.bytes = 0;
    }
    #evict() {
        if (this.#bytes <= this.#limits.bytes)
            return;
        for (const stored of this.#traces.values()) {
            if ([...stored.runIds].some((runId) => this.#waiters.has(runId)))
                continue;
            this.#remove(stored);
            if (this.#bytes <= this.#limits.bytes)
                return;
        }
        for (const stored of this.#traces.values()) {
            this.#empty(stored);
            if (this.#bytes <= this.#limits.bytes)
                return;
        }
    }
    #remove(stored) {
        this.#traces.delete(stored.id);
        this.#bytes -= stored.bytes;
        for (const runId of stored.runIds) {
            const traces = this.#byRun.get(runId);
            traces?.delete(stored);
            if (traces?.size === 0)
                this.#byRun.delete(runId);
        }
    }
    #handOver(runId) {
        for (const stored of this.#byRun.get(runId) ?? []) {
            this.#remove(stored);
            this.#handedOver.add(stored.id);
        }
        for (const id of this.#handedOver) {
            if (this.#handedOver.size <= REMEMBERED_TRACES)
                break;
            this.#handedOver.delete(id);
        }
    }
    /** Decides after every span and when the call ends: deliver now, deliver after a silence, or wait on. */
    #review(waiter, call = waiter.call) {
        // The call may end after its trace was given up.
        if (this.#waiters.get(waiter.runId) !== waiter)
            return;
        const hasJustEnded = waiter.call === 'running' && call !== 'running';
        waiter.call = call;
        clearTimeout(waiter.timer);
        const traces = [...(this.#byRun.get(waiter.runId) ?? [])];
        if (traces.some(({ isOverLimit }) => isOverLimit)) {
            waiter.fail(traceTooLarge(waiter.runId, this.#limits));
            return;
        }
        if (call === 'running' || traces.length === 0)
            return;
        const { missing, isWholeTurn } = progressOf(this.#records(waiter.runId));
        const isComplete = missing.length === 0;
        // A call that broke off may have left its trace broken off too.
        if (!isComplete && call === 'broken')
            return;
        const deliver = () => waiter.deliver(assemble_assembleTrace(this.#records(waiter.runId)));
        if (isComplete && hasJustEnded && call === 'answered' && isWholeTurn)
            deliver();
        else
            waiter.timer = setTimeout(deliver, isComplete ? this.#patience.quietMs : this.#patience.settleMs);
    }
    #records(runId) {
        return [...(this.#byRun.get(runId) ?? [])].flatMap(({ arrivals }) => [...arrivals.values()].map(({ arrival }) => arrival.record()));
    }
    #explain(runId, signal) {
        if (signal.reason instanceof errors_AgentReplayError)
            return signal.reason;
        const records = this.#records(runId);
        return records.length === 0
            ? traceMissing(runId, this.traffic)
            : traceIncomplete(runId, records, progressOf(records).missing);
    }
}
function remember(runIds, runId) {
    if (runId !== undefined && runIds.size < REMEMBERED_RUN_IDS)
        runIds.add(runId);
}

;// CONCATENATED MODULE: ./build/src/tracing/receiver.js










const LIMITS = {
    // SDKs send at most 512 spans at once; with 100 KB of input each that is 50 MB.
    bodyBytes: 64 * 2 ** 20,
    spansPerTrace: 20_000,
    bytes: 256 * 2 ** 20,
};
const QUIET_MS = 250;
const SETTLE_MS = 6_000;
/**
 * Shorter than the quiet time by far, so that silence means that nothing is left. Langfuse counts in seconds,
 * OpenTelemetry in milliseconds. The size of a batch is left alone: a flush sends all batches at once, and of more
 * than 30 the exporter drops the rest for good ("Concurrent export limit reached"), so that small ones lose spans.
 */
const receiver_FLUSH_INTERVAL_MS = 50;
/**
 * Starts the embedded receiver.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE` when the address cannot be listened on
 */
async function startReceiver(options = {}) {
    const limits = { ...LIMITS, ...options.limits };
    const publicKey = options.publicKey ?? `pk-lf-${(0,external_node_crypto_.randomBytes)(12).toString('hex')}`;
    const secretKey = options.secretKey ?? `sk-lf-${(0,external_node_crypto_.randomBytes)(24).toString('hex')}`;
    const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
    const store = new TraceStore(limits, {
        quietMs: options.quietMs ?? QUIET_MS,
        settleMs: options.settleMs ?? SETTLE_MS,
    });
    const mapped = mapping_spanMapper(options);
    const traces = (request) => {
        const { spans, unreadable } = receiver_read(request);
        store.traffic.unreadable += unreadable;
        store.add(spans.map(mapped), request.body.length);
        return accepted(request);
    };
    const readBatch = ingestionReader(options);
    const ingestion = (request) => {
        const batch = readBatch(receiver_parsed(request));
        if (batch === undefined)
            throw new Refusal(400, 'the body holds no batch');
        store.traffic.unreadable += batch.unreadable;
        store.add(batch.arrivals, request.body.length);
        // Never an error for a single event: the SDK would send the whole batch again.
        return { status: 207, json: { successes: batch.eventIds.map((id) => ({ id, status: 201 })), errors: [] } };
    };
    const routes = [
        { method: 'POST', path: /^(\/api\/public\/otel)?\/v1\/traces$/, handle: traces },
        { method: 'POST', path: /^\/api\/public\/ingestion$/, handle: ingestion },
        // A generic OTLP endpoint gets these too. An error would only make noise in the agent's log.
        { method: 'POST', path: /^(\/api\/public\/otel)?\/v1\/(metrics|logs)$/, isOpen: true, handle: accepted },
    ];
    const server = createTraceServer({
        routes,
        isAuthorized: (given) => isSame(given ?? '', authorization),
        maxBodyBytes: limits.bodyBytes,
        onRefusal: ({ status, message }) => store.noteRefusal(status, message),
    });
    const host = options.host ?? '127.0.0.1';
    const url = await listen(server, host, options.port ?? 0);
    return {
        url,
        publicKey,
        secretKey,
        environment: () => ({
            ...tracingEnvironment({ url, publicKey, secretKey }, options),
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/api/public/otel/v1/traces`,
            // The value of a header is percent-encoded in this variable.
            OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=${encodeURIComponent(authorization)}`,
            // Some SDKs speak gRPC by default, which is not HTTP/1.1.
            OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
            LANGFUSE_FLUSH_INTERVAL: String(receiver_FLUSH_INTERVAL_MS / 1_000),
            OTEL_BSP_SCHEDULE_DELAY: String(receiver_FLUSH_INTERVAL_MS),
        }),
        stats: () => ({ traces: store.size, lateSpans: store.traffic.late }),
        waitFor: (runId, waitOptions) => store.waitFor(runId, waitOptions),
        [Symbol.asyncDispose]: async () => {
            store.close();
            const closed = new Promise((resolve) => server.close(resolve));
            server.closeAllConnections();
            await closed;
        },
    };
}
function receiver_read(request) {
    try {
        return readExport(request.body, request.contentType);
    }
    catch (error) {
        if (error instanceof otlp_OtlpError)
            throw new Refusal(400, error.message);
        throw error;
    }
}
function receiver_parsed(request) {
    try {
        return json_parseJson(request.body.toString('utf8'));
    }
    catch (error) {
        if (error instanceof json_JsonError)
            throw new Refusal(400, `the body is not JSON: ${error.message}`);
        throw error;
    }
}
/** The empty success message, in the encoding of the request: no strict exporter stumbles over it. */
function accepted({ contentType }) {
    return contentType === 'application/x-protobuf'
        ? { status: 200, bytes: new Uint8Array(), contentType }
        : { status: 200, json: {} };
}
function isSame(a, b) {
    const [x, y] = [Buffer.from(a), Buffer.from(b)];
    return x.length === y.length && (0,external_node_crypto_.timingSafeEqual)(x, y);
}
async function listen(server, host, port) {
    const { promise, resolve, reject } = Promise.withResolvers();
    server.once('error', reject);
    server.listen(port, host, resolve);
    try {
        await promise;
    }
    catch (error) {
        throw new errors_AgentReplayError('RECEIVER_UNREACHABLE', `The trace receiver cannot listen on ${host}:${port}.`, {
            evidence: [error.message],
            hint: 'Choose another host or port for the receiver, or leave the port out to get a free one.',
            cause: error,
        });
    }
    finally {
        server.off('error', reject);
    }
    const address = server.address();
    const reachable = ['0.0.0.0', '::'].includes(address.address) ? '127.0.0.1' : address.address;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`;
}

;// CONCATENATED MODULE: ./build/src/tracing/index.js






;// CONCATENATED MODULE: ./build/src/job/tracing.js



/**
 * Opens what traces are read from: the embedded receiver, the platform that the environment names, or nothing when
 * responses only are compared.
 * @throws AgentReplayError `PLATFORM_*`, `RECEIVER_UNREACHABLE`
 */
async function openTraces(config, environment, options = {}) {
    const { source } = config.tracing;
    switch (source) {
        case 'none':
            return undefined;
        case 'embedded':
            return openReceiver(config, environment);
        case 'platform': {
            const { identifiers } = config;
            return openPlatform({ ...platformCredentials(environment, { identifiers }), identifiers, ...options });
        }
    }
}
/**
 * The keys of an agent that runs elsewhere are the configured ones, or those of our own environment, under the names
 * that the agent has them under.
 */
async function openReceiver(config, environment) {
    const { host, port, publicKey, secretKey } = config.tracing.receiver;
    const known = port === undefined ? {} : keysIn(environment, config.identifiers);
    return startReceiver({
        identifiers: config.identifiers,
        host,
        port,
        publicKey: publicKey ?? known.publicKey,
        secretKey: secretKey ?? known.secretKey,
    });
}
function keysIn(environment, identifiers) {
    const { env } = identifiers_wireNames(identifiers);
    return { publicKey: environment[env.publicKey], secretKey: environment[env.secretKey] };
}
/**
 * An agent that we do not start cannot be told where a receiver with a free port is, and a platform has to be named.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE` or `PLATFORM_NOT_CONFIGURED`, before anything is sent
 */
function tracing_checkReachable({ tracing, identifiers }, agent, running) {
    if (tracing.source === 'platform')
        platformCredentials(process.env, { identifiers });
    const isElsewhere = running === undefined ? agent.command === undefined : running.pid === undefined;
    if (!isElsewhere || tracing.source !== 'embedded' || tracing.receiver.port !== undefined)
        return;
    throw new errors_AgentReplayError('RECEIVER_UNREACHABLE', 'The agent is not started by agent-replay, so it cannot know where to send its traces.', {
        evidence: ['tracing: embedded, with a port that is free when the run starts'],
        hint: 'Set agent.command (--start); or tracing.receiver.port and the keys, and point the agent there; or tracing: platform, if it traces to one; or tracing: none to compare responses only.',
    });
}

;// CONCATENATED MODULE: ./build/src/job/live-agent.js
var live_agent_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var live_agent_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});







/** An agent that is stopped because the whole run is given up has less time for it: CI gives 7.5 s for everything. */
const live_agent_CANCELLED_GRACE_MS = 2_000;
/** Lines of an agent's log that are kept for a report. */
const KEPT_LOG_LINES = 200;
/** Last words of a crashed agent may still be on their way; a child of it can hold the pipe open for ever. */
const live_agent_LAST_WORDS_MS = 200;
/**
 * Opens what traces are read from, starts the agent that is told of it, and waits until it is ready.
 * @throws AgentReplayError what kept the agent from becoming ready; nothing is left behind then
 */
async function live_agent_startLiveAgent(planned, config, { signal, onSecret, onOutput, onCrash }) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const starting = live_agent_addDisposableResource(env_1, new started_Started(), true);
        const traces = await openTraces(config, process.env, { signal });
        if (traces !== undefined) {
            starting.use(traces);
            onSecret(traces.secretKey);
        }
        const agent = await startAgent(planned.options, {
            env: { ...traces?.environment(), ...identityOf(planned, config) },
            log: onOutput,
            signal,
        });
        starting.use(endedInTime(agent, signal));
        tracing_checkReachable(config, planned.options, agent);
        const crash = starting.use(watchForCrash(agent, onCrash));
        const started = starting.move();
        return {
            url: agent.url,
            receiverUrl: config.tracing.source === 'embedded' ? traces?.url : undefined,
            replay: (sessions, options = {}) => replaySessions(sessions.map(replaySession), {
                target: agent.url,
                source: traces ?? null,
                settings: options.settings ?? config,
                identifiers: config.identifiers,
                signal: options.signal ?? signal,
                crashed: crash.signal,
                limits: options.limits,
            }),
            log: () => agent.output.tail(KEPT_LOG_LINES),
            [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
        };
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = live_agent_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
/** Ends the agent when it is disposed of; with less grace once the run is cancelled, also when it is ending already. */
function endedInTime(agent, signal) {
    const hasten = () => void agent.stop({ graceMs: live_agent_CANCELLED_GRACE_MS });
    signal?.addEventListener('abort', hasten, { once: true });
    return {
        [Symbol.asyncDispose]: async () => {
            await agent.stop(signal?.aborted ? { graceMs: live_agent_CANCELLED_GRACE_MS } : {});
            signal?.removeEventListener('abort', hasten);
        },
    };
}
/**
 * Its signal is aborted when the agent ends by itself.
 * @param tell takes the story of it, once; each replay that it cost only says that it happened
 */
function watchForCrash(agent, tell) {
    const controller = new AbortController();
    let isOver = false;
    let telling;
    const tellStory = async (exit) => {
        await Promise.race([agent.output.ended, (0,promises_.setTimeout)(live_agent_LAST_WORDS_MS, undefined, { ref: false })]);
        const crash = agentCrashed(exit, agent.output);
        tell(crash);
        const hint = "The crash itself is told once, with the agent's last lines.";
        controller.abort(new errors_AgentReplayError(crash.code, crash.message, { hint }));
    };
    void agent.exited.then((exit) => {
        // Later we end it ourselves.
        if (!isOver)
            telling = tellStory(exit);
    });
    return {
        signal: controller.signal,
        [Symbol.asyncDispose]: async () => {
            isOver = true;
            await telling;
        },
    };
}
function replaySession({ pin, turns }) {
    return {
        id: pin.session.id,
        turns: turns.flatMap((turn) => {
            const { request, recorded } = pin.session.turns[turn - 1] ?? {};
            return request === undefined ? [] : { turn, request, traceId: recorded?.traceId };
        }),
    };
}
function identityOf({ id }, { identifiers }) {
    return id === undefined ? {} : { [identifiers_wireNames(identifiers).env.agentId]: id };
}

;// CONCATENATED MODULE: ./build/src/job/replayer.js
var replayer_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var replayer_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});












/** Which session is to be replayed, and how. What is left out is as configured. */
const wanted = schemas/* strictObject */.rej({
    /** Id of the pinned session. */
    session: schemas/* string */.YjP(),
    /** Only this turn, from 1. */
    turn: schemas/* int */.Whr().positive().optional(),
    runs: replayOptions.shape.runs.unwrap().optional(),
    strictness: strictness.optional(),
});
/**
 * Starts the agents of all pinned sessions, each with its receiver, and waits until they are ready.
 * @throws AgentReplayError `NO_SESSIONS`, and what kept one from becoming ready; nothing is left behind then
 */
async function startReplayer(config, { signal, onOutput } = {}) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const plan = await planJob(config);
        // What else is wrong with pins concerns nobody but those who want to replay them.
        const nothing = plan.problems.find(({ code }) => code === 'NO_SESSIONS');
        if (nothing !== undefined)
            throw nothing;
        for (const { options } of plan.agents)
            checkReachable(config, options);
        const starting = replayer_addDisposableResource(env_1, new Started(), true);
        const secrets = secretsOf(config, process.env);
        let redact = secretsRedactor(secrets);
        const live = new Map();
        for (const agent of plan.agents) {
            const started = await startLiveAgent(agent, config, {
                signal,
                onSecret: (secret) => {
                    secrets.push(secret);
                    redact = secretsRedactor(secrets);
                },
                onOutput: (line) => onOutput?.(redact(line)),
                onCrash: (crash) => onOutput?.(redact([crash.message, ...crash.evidence].join('\n'))),
            });
            live.set(agent.id, starting.use(started));
        }
        const started = starting.move();
        const limits = new ReplayLimits(config);
        return {
            agents: [...live].map(([id, { url, receiverUrl }]) => ({ id, url, receiver: receiverUrl })),
            replay: (wanted, options = {}) => replayOne(wanted, { plan, live, config, limits, redact, signal: options.signal ?? signal }),
            [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
        };
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = replayer_disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
async function replayOne(given, { plan, live, config, limits, redact, signal }) {
    const { runs = config.runs, strictness = config.compare.strictness, ...meant } = checked(given);
    const settings = { ...config, runs, compare: { ...config.compare, strictness } };
    const part = partOf(plan, meant);
    const ledger = new Ledger(settings, part);
    const behaviours = [];
    for (const { id, sessions } of part.agents) {
        for await (const result of live.get(id)?.replay(sessions, { settings, signal, limits }) ?? []) {
            behaviours.push(...(ledger.take(result) ?? []));
        }
    }
    behaviours.push(...ledger.close(signal));
    const report = ledger.report({ signal });
    const turns = report.results.sessions.flatMap(({ turns }) => turns);
    const [session] = plannedSessions(part);
    return {
        report: redactReport(report, redact),
        turns: turns.map((result) => redactTexts(replayedTurn(result, session, behaviours, settings), redact)),
    };
}
/** It may come from a test that no compiler has seen. @throws AgentReplayError `USAGE` */
function checked(given) {
    const { data, error } = wanted.safeParse(given);
    if (data !== undefined)
        return data;
    throw new AgentReplayError('USAGE', 'The session cannot be replayed like this.', {
        evidence: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
        hint: 'Correct these options.',
    });
}
/** The part of a plan that is wanted. @throws AgentReplayError `NO_SESSIONS`, `USAGE` */
function partOf(plan, { session: id, turn }) {
    const isMeant = ({ pin }) => pin.session.id === id;
    const notReplayed = plan.notReplayed.filter(isMeant);
    const agents = plan.agents
        .map((agent) => ({ ...agent, sessions: agent.sessions.filter(isMeant) }))
        .filter(({ sessions }) => sessions.length > 0);
    const [meant] = [...agents.flatMap(({ sessions }) => sessions), ...notReplayed];
    if (meant === undefined) {
        const known = [...plannedSessions(plan), ...plan.notReplayed].map(({ pin }) => pin.session.id);
        throw new AgentReplayError('NO_SESSIONS', `There is no pinned session "${id}".`, {
            evidence: known.map((name) => `there is: ${name}`),
            hint: 'Correct the id, or `sessions` in the configuration.',
        });
    }
    const count = meant.pin.turns.length;
    if (turn !== undefined && turn > count) {
        throw new AgentReplayError('USAGE', `Session "${id}" has no turn ${turn}.`, {
            hint: `Turns count from 1; it has ${count}.`,
        });
    }
    return {
        ...plan,
        problems: [],
        notReplayed: notReplayed.map(onlyTurn(turn)),
        agents: agents.map((agent) => ({ ...agent, sessions: agent.sessions.map(onlyTurn(turn)) })),
    };
}
function onlyTurn(turn) {
    if (turn === undefined)
        return (session) => session;
    return ({ pin, turns, problems }) => ({
        pin,
        turns: turns.filter((each) => each === turn),
        // Those of other turns have a pointer to them.
        problems: problems.filter(({ location }) => (location?.pointer?.match(/^\/turns\/(\d+)/)?.[1] ?? String(turn - 1)) === String(turn - 1)),
    });
}
function replayedTurn({ turn, comparison }, session, all, { compare, tracing }) {
    const pinned = session?.pin.session.turns[turn - 1]?.recorded ?? { observations: [] };
    const recorded = tracing.source === 'none' ? { output: pinned.output, observations: [] } : pinned;
    const behaviours = all.filter((each) => each.turn === turn).sort((a, b) => b.runs.length - a.runs.length);
    const divergent = comparison.clusters.find((cluster) => cluster.divergence !== null && !cluster.recorded);
    const diverged = behaviours.find(({ cluster }) => cluster === divergent?.id);
    const [first, second] = behaviours;
    return {
        turn,
        behaviours: behaviours.map(({ runs, recording }) => ({ runs, ...traced(recording) })),
        ...(diverged && { diverged: sideBySide(recorded, diverged.recording, compare) }),
        ...(first && second && { disagreed: sideBySide(first.recording, second.recording, compare) }),
    };
}
const AS_THEY_ARE = compareRules.parse({ identities: 'literal' });
function traced(recording) {
    const steps = startTurnComparison([recording], AS_THEY_ARE, { requested: 0 }).behaviour(0)?.steps ?? [];
    return { ...(recording.output === undefined ? {} : { output: recording.output }), steps };
}
function sideBySide(recorded, replayed, rules) {
    const comparison = startTurnComparison([recorded], rules, { requested: 1 });
    comparison.add(1, replayed);
    const steps = (cluster) => comparison.behaviour(cluster)?.steps ?? [];
    return { recorded: steps(0), replayed: steps(comparison.result().clusters.length - 1) };
}

;// CONCATENATED MODULE: ./build/src/job/secrets.js
/** Names under which an environment holds what must not be shown. */
const secrets_SECRET_NAME = /(_|^)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)$|SECRET|PASSWORD/i;
/** Shorter values are words and numbers: replacing them everywhere would garble a report and hide nothing. */
const job_secrets_MIN_SECRET_CHARS = 6;
/**
 * Everything that this run knows to be secret: none of it may stand in a log or a report.
 * @param environment of this process, which the agent inherits
 * @param keys made for the run
 */
function secrets_secretsOf(config, environment, keys = []) {
    const agents = [...(config.agent ? [config.agent] : []), ...Object.values(config.agents ?? {})];
    const named = [environment, ...agents.map(({ env }) => env ?? {})].flatMap((env) => Object.entries(env).flatMap(([name, value]) => (secrets_SECRET_NAME.test(name) ? [value] : [])));
    const candidates = [
        ...named,
        ...Object.values(config.headers ?? {}).flatMap((value) => [value, value.replace(/^(Basic|Bearer)\s+/i, '')]),
        ...agents.flatMap(({ url }) => (url === undefined ? [] : credentialsIn(url))),
        config.tracing.receiver.secretKey,
        ...keys,
    ];
    return [
        ...new Set(candidates.filter((value) => value !== undefined && value.length >= job_secrets_MIN_SECRET_CHARS)),
    ];
}
/** As they are written and as they are meant. */
function credentialsIn(url) {
    const { username, password } = new URL(url);
    return [username, password].flatMap((part) => [part, decodeURIComponent(part)]);
}

;// CONCATENATED MODULE: ./build/src/job/run-job.js
var run_job_addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var run_job_disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});












/**
 * Replays pinned sessions against the agent and compares: the whole job. What fails on the way is in the report, and
 * whatever was started is ended again, however it goes.
 * @throws AgentReplayError `CONFIG_INVALID`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`: nothing has been
 *   started or sent
 */
async function runJob(config, options = {}) {
    const plan = await plan_planJob(config, options);
    for (const agent of plan.agents)
        tracing_checkReachable(config, agent.options);
    options.on?.({ kind: 'planned', plan });
    const job = new Job(config, plan, options);
    await job.replay();
    return job.report();
}
class Job {
    #config;
    #plan;
    #options;
    #ledger;
    /** Those that come up on the way are added. */
    #secrets;
    constructor(config, plan, options) {
        this.#config = config;
        this.#plan = plan;
        this.#options = options;
        this.#ledger = new ledger_Ledger(config, plan);
        this.#secrets = secrets_secretsOf(config, process.env, options.secrets);
    }
    /** All sessions of all agents, one agent after another. Never rejects: failures are in the report. */
    async replay() {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { signal } = this.#options;
            const journal = run_job_addDisposableResource(env_1, await this.#openJournal(), true);
            for (const agent of this.#plan.agents) {
                try {
                    await this.#replayAgent(agent, journal);
                }
                catch (error) {
                    // That it was cancelled is said anyway.
                    if (!signal?.aborted)
                        this.#ledger.fail(asAgentReplayError(error), agent.sessions);
                }
            }
            await this.#keep(this.#ledger.close(signal));
            if (!signal?.aborted)
                await journal?.end();
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = run_job_disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    report() {
        return redact_redactReport(this.#ledger.report(this.#options), secrets_secretsRedactor(this.#secrets));
    }
    /** Starts one agent, replays its sessions, and ends it. */
    async #replayAgent(planned, journal) {
        const env_2 = { stack: [], error: void 0, hasError: false };
        try {
            const { signal } = this.#options;
            signal?.throwIfAborted();
            let redact = secrets_secretsRedactor(this.#secrets);
            this.#tell({ kind: 'agent', agent: planned, state: 'starting' });
            const agent = run_job_addDisposableResource(env_2, await live_agent_startLiveAgent(planned, this.#config, {
                signal,
                onSecret: (secret) => {
                    this.#secrets.push(secret);
                    redact = secrets_secretsRedactor(this.#secrets);
                },
                onOutput: (line) => this.#tell({ kind: 'agent-output', line: redact(line) }),
                onCrash: (crash) => this.#ledger.fail(crash, []),
            }), true);
            this.#tell({ kind: 'agent', agent: planned, state: 'ready' });
            try {
                for await (const result of agent.replay(planned.sessions))
                    await this.#take(result, journal);
            }
            finally {
                this.#tell({ kind: 'agent', agent: planned, state: 'stopping' });
                this.#ledger.log(agent.log());
            }
        }
        catch (e_2) {
            env_2.error = e_2;
            env_2.hasError = true;
        }
        finally {
            const result_2 = run_job_disposeResources(env_2);
            if (result_2)
                await result_2;
        }
    }
    async #take(result, journal) {
        await journal?.write(result);
        const behaviours = this.#ledger.take(result);
        this.#tell({ kind: 'replayed', result });
        if (behaviours === undefined)
            return;
        await this.#keep(behaviours);
        this.#tell({ kind: 'session-done', session: result.session });
    }
    async #openJournal() {
        const { outputDir } = this.#options;
        if (outputDir === undefined)
            return undefined;
        await removeBehaviours(external_node_path_.join(outputDir, 'traces')).catch(() => { });
        const sessions = plan_plannedSessions(this.#plan);
        const redaction = new Map(sessions.map(({ pin }) => [pin.session.id, pin.session.redacted]));
        return openJournal(external_node_path_.join(outputDir, 'journal.ndjson'), {
            tool: VERSION,
            startedAt: new Date().toISOString(),
            rules: this.#config.compare,
            runs: this.#config.runs,
            sessions: sessions.map(({ pin, turns }) => ({ id: pin.session.id, turns: [...turns] })),
        }, {
            onError: (error) => this.#tell({ kind: 'not-written', error }),
            redactRecording: (recording, { session }) => {
                const personal = redaction.get(session);
                return personal === undefined ? recording : redact_redactRecording(recording, personal);
            },
            redactText: (text) => secrets_secretsRedactor(this.#secrets)(text),
        });
    }
    async #keep(behaviours) {
        const { outputDir } = this.#options;
        if (outputDir === undefined)
            return;
        const redact = secrets_secretsRedactor(this.#secrets);
        await writeBehaviours(behaviours, { dir: external_node_path_.join(outputDir, 'traces'), redact }).catch((error) => this.#tell({ kind: 'not-written', error }));
    }
    #tell(event) {
        this.#options.on?.(event);
    }
}

;// CONCATENATED MODULE: ./build/src/job/self-test.js




/** Tries the comparison, under the user's own rules, on changed copies of the user's own pins. No agent is needed. */
async function selfTestPins(config, selection = {}) {
    const { pins, problems } = await loadPins(patternsOf(config, selection), {
        root: config.root,
        grep: selection.grep,
        allowEmpty: config.allowEmpty,
    });
    const hasTraces = config.tracing.source !== 'none';
    const trials = pins.flatMap(({ path: pin, session }) => session.turns.flatMap(({ recorded, baselines = [], request }, index) => {
        const turn = index + 1;
        if (selection.turn !== undefined && selection.turn !== turn)
            return [];
        return [recorded, ...baselines]
            .map((recording) => (hasTraces ? recording : responseOnly(recording.output)))
            .flatMap((recording) => selfTest(recording, config.compare, { request }))
            .map((trial) => ({ ...trial, pin, session: session.id, turn }));
    }));
    return { trials, problems };
}

;// CONCATENATED MODULE: ./build/src/job/turn-source.js







/** A behaviour as a run leaves it in `traces/`. */
const turn_source_behaviour = schemas/* object */.Ikc({
    session: schemas/* string */.YjP(),
    turn: schemas/* int */.Whr().positive(),
    cluster: schemas/* int */.Whr().nonnegative(),
    runs: schemas/* array */.YOg(schemas/* int */.Whr().positive()),
    recording: recording,
});
/**
 * Reads a pin, an OTLP/JSON file of traces, a behaviour that a run has kept, or the output folder of a run.
 * @param options.session of an output folder: the session that is meant, when it holds several
 * @throws AgentReplayError `INPUT_INVALID`, `TRACE_INVALID`, `PIN_...`, `USAGE`
 */
async function readTurns(file, options = {}) {
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined)
        throw turn_source_missing(file);
    if (stats.isDirectory())
        return fromBehaviours(file, await readBehaviours(file), options.session);
    const text = await readFile(file, 'utf8');
    const value = turn_source_attempt(text);
    if (isJsonObject(value) && 'turns' in value)
        return fromPin(file);
    if (isJsonObject(value) && 'recording' in value)
        return fromBehaviours(file, [behaviourIn(value, file)], undefined);
    const traces = tracesFromOtlp(text, options).toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
    if (traces.length === 0)
        throw new AgentReplayError('TRACE_INVALID', `${file} holds no trace.`, { location: { file } });
    const turns = traces.map((trace, index) => ({ turn: index + 1, recordings: [recordingOf(trace)] }));
    return { name: file, kind: 'traces', turns, redacted: undefined };
}
/**
 * The behaviours that a run has kept in its output folder.
 * @throws AgentReplayError `INPUT_INVALID`
 */
async function readBehaviours(outputDir) {
    const folder = path.basename(outputDir) === 'traces' ? outputDir : path.join(outputDir, 'traces');
    const files = await readdir(folder).catch(() => []);
    const kept = files.filter((name) => name.endsWith('.json')).map((name) => path.join(folder, name));
    return Promise.all(kept.map(async (file) => behaviourIn(turn_source_attempt(await readFile(file, 'utf8')), file)));
}
async function fromPin(file) {
    const { pins, problems } = await loadPins(path.basename(file), { root: path.dirname(path.resolve(file)) });
    const [pin] = pins;
    if (pin === undefined)
        throw problems[0];
    const turns = pin.session.turns.map(({ recorded, baselines = [], request }, index) => {
        return { turn: index + 1, recordings: [recorded, ...baselines], request };
    });
    return { name: file, kind: 'pin', session: pin.session.id, turns, redacted: pin.session.redacted };
}
function fromBehaviours(name, behaviours, wanted) {
    const sessions = new Set(behaviours.map(({ session }) => session));
    const session = wanted ?? [...sessions][0];
    const own = behaviours.filter((each) => each.session === session);
    if (own.length === 0) {
        throw new AgentReplayError('INPUT_INVALID', `${name} holds no behaviour${wanted === undefined ? '' : ` of ${wanted}`}.`, {
            hint: 'Give the output folder of a run of that session, such as .agent-replay.',
        });
    }
    if (wanted === undefined && sessions.size > 1) {
        throw new AgentReplayError('USAGE', `${name} holds several sessions.`, {
            evidence: [...sessions].sort(),
            hint: 'Name one file of its traces folder, or compare the folder with a pin.',
        });
    }
    const turns = own
        .toSorted((a, b) => a.turn - b.turn || a.cluster - b.cluster)
        .map(({ turn, cluster, recording }) => ({ turn, cluster, recordings: [recording] }));
    return { name, kind: 'behaviours', session, turns, redacted: undefined };
}
/** The recordings of one side, redacted as the other side was: both sides alike, or nothing is comparable. */
function redactedAs(recordings, redacted) {
    if (redacted === undefined)
        return recordings;
    const [first, ...others] = recordings;
    return [redactRecording(first, redacted), ...others.map((each) => redactRecording(each, redacted))];
}
function behaviourIn(value, file) {
    const parsed = turn_source_behaviour.safeParse(value);
    if (parsed.success)
        return parsed.data;
    throw new AgentReplayError('INPUT_INVALID', `${file} is no behaviour that a run has kept.`, {
        location: { file },
        hint: 'Give the files of the traces folder unchanged.',
    });
}
/** Files of one export a line are no JSON as a whole. */
function turn_source_attempt(text) {
    try {
        return parseJson(text);
    }
    catch (error) {
        if (error instanceof JsonError)
            return undefined;
        throw error;
    }
}
const TRACE_ID = /^[0-9a-f]{32}$/i;
function turn_source_missing(file) {
    return TRACE_ID.test(file)
        ? new AgentReplayError('USAGE', 'A trace cannot be read from a platform yet.', {
            hint: 'Export it as OTLP/JSON and give the file.',
        })
        : new AgentReplayError('INPUT_INVALID', `There is no ${file}.`, {
            location: { file },
            hint: 'Give a pin, a file of OTLP/JSON traces, or a file of the traces folder of a run.',
        });
}

;// CONCATENATED MODULE: ./build/src/job/index.js











;// CONCATENATED MODULE: ./build/src/index.js
// The configuration.
// The agent's process, its traces, and the calls.

// The comparison.



// The whole job: pinned sessions, agent, replays, comparison, report; and the same on demand.


// The report: what it holds, what it means, and how it is written.

// Pinned sessions.




/***/ })

};
