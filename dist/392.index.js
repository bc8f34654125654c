export const id = 392;
export const ids = [392];
export const modules = {

/***/ 392:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  run: () => (/* binding */ run)
});

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./node_modules/@actions/core/lib/core.js + 14 modules
var core = __webpack_require__(6421);
// EXTERNAL MODULE: ./build/src/index.js + 154 modules
var src = __webpack_require__(7996);
// EXTERNAL MODULE: ./build/action/announce.js
var announce = __webpack_require__(1888);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./node_modules/@octokit/core/dist-src/index.js + 13 modules
var dist_src = __webpack_require__(9311);
// EXTERNAL MODULE: ./node_modules/undici/index.js
var undici = __webpack_require__(6752);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
;// CONCATENATED MODULE: ./build/action/github.js




const comment = schemas/* object */.Ikc({
    id: schemas/* int */.Whr(),
    body: schemas/* string */.YjP()
        .nullish()
        .transform((body) => body ?? ''),
    html_url: schemas/* string */.YjP(),
    user: schemas/* object */.Ikc({ login: schemas/* string */.YjP(), type: schemas/* string */.YjP() }).nullable(),
});
const PER_PAGE = 100;
/** A pull request with more comments than this has other troubles. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** A longer pause that GitHub asks for is not worth a job's time: the summary has it all. */
const MAX_PAUSE_MS = 5_000;
/** Opens the comments of a pull request that the owner of the token wrote. */
async function openOwnComments({ owner, repo, number }, access) {
    const request = requester(access);
    const login = await ownLogin(request, access.graphqlUrl);
    const isOwn = ({ user }) => user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`);
    const ofIssue = { owner, repo, issue_number: number };
    return {
        list: async () => {
            const found = [];
            for (let page = 1; page <= MAX_PAGES; page++) {
                const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
                const comments = schemas/* array */.YOg(comment).parse(await request(route, { ...ofIssue, per_page: PER_PAGE, page }));
                found.push(...comments.filter(isOwn));
                if (comments.length < PER_PAGE)
                    break;
            }
            return found.sort((a, b) => a.id - b.id);
        },
        create: async (body) => {
            await request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...ofIssue, body });
        },
        update: async (id, body) => {
            await request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { owner, repo, comment_id: id, body });
        },
        remove: async (id) => {
            const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
            await request(route, { owner, repo, comment_id: id }).catch((error) => {
                if (statusOf(error) !== 404)
                    throw error;
            });
        },
    };
}
/** The status of the answer that an error stands for; undefined when there was no answer. */
function statusOf(error) {
    const { status, response } = Object(error);
    return response === undefined ? undefined : status;
}
function requester({ token, apiUrl, signal }) {
    const dispatcher = new undici/* EnvHttpProxyAgent */.J2();
    const silent = () => { };
    const octokit = new dist_src/* Octokit */.E({
        auth: token,
        baseUrl: apiUrl,
        userAgent: 'agent-replay',
        log: { debug: silent, info: silent, warn: silent, error: silent },
        request: { fetch: (url, init) => (0,undici/* fetch */.hd)(url, { ...init, dispatcher }) },
    });
    return async (route, parameters) => {
        for (let tries = 1;; tries++) {
            try {
                const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]) };
                return (await octokit.request(route, { ...parameters, request: limited })).data;
            }
            catch (error) {
                const pause = pauseBefore(error, tries, route.startsWith('POST /repos'));
                signal.throwIfAborted();
                if (pause === undefined)
                    throw error;
                await (0,promises_.setTimeout)(pause, undefined, { signal });
            }
        }
    };
}
/** How long to wait before the same request may be sent again; undefined when it must not be. */
function pauseBefore(error, tries, isCreate) {
    if (tries >= MAX_TRIES || isCreate)
        return undefined;
    const status = statusOf(error);
    if (status === undefined || status >= 500)
        return FIRST_PAUSE_MS * 2 ** (tries - 1);
    const { headers = {} } = error.response;
    const asked = Number(headers['retry-after']) * 1_000;
    return (status === 403 || status === 429) && asked <= MAX_PAUSE_MS ? asked : undefined;
}
/** Asked of GraphQL: REST does not tell the token of a workflow who it is. */
async function ownLogin(request, graphqlUrl) {
    const answer = await request(`POST ${graphqlUrl}`, { query: 'query { viewer { login } }' });
    return schemas/* object */.Ikc({ data: schemas/* object */.Ikc({ viewer: schemas/* object */.Ikc({ login: schemas/* string */.YjP().min(1) }) }) }).parse(answer).data.viewer
        .login;
}

;// CONCATENATED MODULE: ./build/action/comment.js




/** GitHub takes 65,536. */
const MAX_CHARS = 60_000;
/** For everything: the verdict is there already, and nobody should wait for its comment. */
const BUDGET_MS = 45_000;
/** Between two of them the comments are listed again. */
const MAX_LOOKS = 4;
/**
 * Shows a report in the one comment that this job has on a pull request. Trouble with it is told in a notice, and
 * changes no verdict.
 * @returns the address of the comment, if there is one
 */
async function commentOn(pull, report, { token, subject, env, signal }) {
    const stamp = stampOf(pull, subject, env);
    const foot = `\n<sub>${pull.headSha.slice(0, 7)}, [run ${stamp.run}](${runUrl(env)})</sub>\n`;
    const head = `${markerOf(stamp)}\n`;
    const body = head + (0,src/* renderMarkdown */.Gc)(report, { maxChars: MAX_CHARS - head.length - foot.length }) + foot;
    const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
    try {
        const { GITHUB_API_URL: apiUrl = 'https://api.github.com', GITHUB_GRAPHQL_URL: graphqlUrl = `${apiUrl}/graphql` } = env;
        const comments = await openOwnComments(pull, { token, apiUrl, graphqlUrl, signal: within });
        return await settle(comments, body, stamp);
    }
    catch (error) {
        return signal.aborted ? undefined : (0,announce/* notice */.lm)(`No comment was written: ${reasonOf(error)} See the job summary.`);
    }
}
/**
 * Leaves one comment: the oldest one, with this body. Other jobs do the same at the same time, and a failed call may
 * have had an effect, so that after each change it is looked at again what is there.
 */
async function settle(comments, body, stamp) {
    let failure;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
        const present = (await comments.list()).filter((comment) => stampIn(comment)?.key === stamp.key);
        const [oldest, ...extras] = present;
        const newer = present.find((comment) => isNewer(stampIn(comment), stamp));
        try {
            if (newer !== undefined) {
                // Who wrote it clears away what is older; what came after it, that run may never see.
                const late = present.filter((comment) => comment.id > newer.id && !isNewer(stampIn(comment), stamp));
                for (const { id } of late)
                    await comments.remove(id);
                return newer.html_url;
            }
            if (oldest === undefined) {
                await comments.create(body);
                continue;
            }
            if (oldest.body !== body)
                await comments.update(oldest.id, body);
            for (const { id } of extras)
                await comments.remove(id);
            return oldest.html_url;
        }
        catch (error) {
            if (!isWorthAnotherLook(error))
                throw error;
            failure = error;
        }
    }
    throw failure ?? new Error('The comments change faster than they can be read.');
}
/** Gone in the meantime, or nobody knows whether it was done. */
function isWorthAnotherLook(error) {
    const status = statusOf(error);
    return status === undefined || status === 404 || status >= 500;
}
function isNewer(a, b) {
    return a.run === b.run ? a.attempt > b.attempt : a.run > b.run;
}
/** Two jobs have two comments. */
function stampOf({ headSha }, subject, env) {
    const job = [env.GITHUB_WORKFLOW, env.GITHUB_JOB, subject];
    return {
        key: (0,external_node_crypto_.createHash)('sha256').update(JSON.stringify(job)).digest('hex').slice(0, 12),
        run: Number(env.GITHUB_RUN_NUMBER) || 0,
        attempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
        sha: headSha,
    };
}
function markerOf({ key, run, attempt, sha }) {
    return `<!-- agent-replay key=${key} run=${run}.${attempt} sha=${sha} -->`;
}
/** Only at the very start: what a report quotes comes later. */
function stampIn({ body }) {
    const found = /^<!-- agent-replay key=([0-9a-f]{12}) run=(\d{1,15})\.(\d{1,15}) sha=([0-9a-f]+) -->/.exec(body);
    if (found === null)
        return undefined;
    const [, key = '', run, attempt, sha = ''] = found;
    return { key, run: Number(run), attempt: Number(attempt), sha };
}
function runUrl({ GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY, GITHUB_RUN_ID }) {
    return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
}
/** In words of ours: an error of the network can quote a token. */
function reasonOf(error) {
    const status = statusOf(error);
    switch (status) {
        case undefined:
            return 'GitHub could not be reached in time, or gave an answer that is not understood.';
        case 401:
            return 'GitHub does not know the token (401). Check the input "github-token".';
        case 403:
            return 'the token may not do it, or the conversation is locked, or the limit is reached (403). The job needs "permissions: pull-requests: write".';
        case 404:
            return 'the token cannot see the pull request (404). The job needs "permissions: pull-requests: write".';
        case 410:
            return 'comments are switched off here (410).';
        case 422:
            return 'GitHub did not take it (422): the conversation may be locked.';
        case 429:
            return 'the request limit of the token is reached (429).';
        default:
            return `GitHub answered with status ${status}.`;
    }
}

// EXTERNAL MODULE: external "node:fs/promises"
var external_node_fs_promises_ = __webpack_require__(1455);
;// CONCATENATED MODULE: ./build/action/event.js



const pullRequest = schemas/* object */.Ikc({
    number: schemas/* int */.Whr().positive(),
    head: schemas/* object */.Ikc({
        sha: schemas/* string */.YjP().regex(/^[0-9a-f]{7,64}$/),
        repo: schemas/* object */.Ikc({ full_name: schemas/* string */.YjP() }).nullable(),
    }),
});
/** Events with the secrets and the write token of the base repository, whoever wrote the code. */
const PRIVILEGED_EVENTS = new Set(['pull_request_target', 'workflow_run', 'issue_comment']);
/** Reads the event of the workflow. One that is missing or malformed is as one without a pull request. */
async function readEvent(env) {
    const { GITHUB_EVENT_NAME: name = '', GITHUB_REPOSITORY: repository = '', GITHUB_EVENT_PATH = '' } = env;
    const payload = await (0,external_node_fs_promises_.readFile)(GITHUB_EVENT_PATH, 'utf8')
        .then(JSON.parse)
        .catch(() => undefined);
    const { data } = schemas/* object */.Ikc({ pull_request: pullRequest }).safeParse(payload);
    return { name, repository, pullRequest: data?.pull_request };
}
/**
 * The pull request whose code this is. Only of `pull_request`: on other events, those of the merge queue included,
 * another commit than its head is checked out.
 */
function commentablePullRequest({ name, repository, pullRequest }) {
    const [owner, repo, ...rest] = repository.split('/');
    if (name !== 'pull_request' || pullRequest === undefined || !owner || !repo || rest.length > 0)
        return undefined;
    const { number, head } = pullRequest;
    return { owner, repo, number, headSha: head.sha, isFork: head.repo?.full_name !== repository };
}
/** The action runs code of the checked-out repository: with the secrets of the base, a stranger could take them. */
function warnOfForeignCode({ name }) {
    if (!PRIVILEGED_EVENTS.has(name))
        return;
    (0,core/* warning */.$e)(`On ${name} a workflow has the secrets of the repository: never check out the code of a pull request here, because the agent is started from it. Use the event pull_request.`, { title: 'agent-replay: unsafe event' });
}

// EXTERNAL MODULE: ./build/action/inputs.js + 1 modules
var inputs = __webpack_require__(896);
// EXTERNAL MODULE: ./build/action/masks.js
var masks = __webpack_require__(2130);
// EXTERNAL MODULE: external "node:module"
var external_node_module_ = __webpack_require__(8995);
;// CONCATENATED MODULE: ./build/action/package-name.js

/** All that a configuration needs of the package. */
const STAND_IN = 'data:text/javascript,export const defineConfig = (config) => config;';
/**
 * Lets a configuration import `defineConfig` from `agent-replay` in a project that uses the action and has not
 * installed the package. One that is installed is used.
 */
function resolvePackageName() {
    (0,external_node_module_.registerHooks)({
        resolve(specifier, context, nextResolve) {
            try {
                return nextResolve(specifier, context);
            }
            catch (error) {
                if (specifier !== 'agent-replay')
                    throw error;
                return { url: STAND_IN, format: 'module', shortCircuit: true };
            }
        },
    });
}

;// CONCATENATED MODULE: ./build/action/run.js
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










const EXIT_ERROR = 2;
const OUTPUT_FOLDER = '.agent-replay';
const FORMATS = ['json', 'junit', 'markdown'];
/** The main step. @returns the exit code of the process */
async function run(inputs) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const lifetime = __addDisposableResource(env_1, (0,src/* startLifetime */.o9)(announce.reportError), false);
        // Before the configuration is loaded, which is code that may print.
        const known = (0,src/* secretsOf */.Fj)((0,src/* parseConfig */.o4)({}, { folder: inputs.workingDirectory }), process.env);
        (0,masks/* maskSecrets */.Q)(inputs.token === undefined ? known : [inputs.token, ...known]);
        rememberJob();
        const event = await readEvent(process.env);
        warnOfForeignCode(event);
        try {
            const config = await configFor(inputs);
            (0,masks/* maskSecrets */.Q)((0,src/* secretsOf */.Fj)(config, process.env));
            const { report, plan, complete } = await replay(config, inputs, lifetime.signal);
            print((0,src/* linesForTerminal */.Zx)((0,src/* renderTerminal */.bF)(report).trimEnd()));
            (0,announce/* annotate */.fz)(report, plan, config.root);
            await (0,announce/* writeSummary */.Sy)(report);
            (0,announce/* publishOutputs */.eB)(report, external_node_path_.join(inputs.workingDirectory, OUTPUT_FOLDER, 'report.json'));
            const url = await publishComment(report, inputs, event, lifetime.signal);
            core/* setOutput */.uH('comment-url', url ?? '');
            const verdict = (0,src/* exitCodeOf */.FO)(report.results.status, report.evidence.interruptedBy);
            // A pass that left no report behind is none.
            return lifetime.exitCode ?? (verdict === 0 && !complete ? EXIT_ERROR : verdict);
        }
        catch (error) {
            (0,announce.reportError)(error);
            return lifetime.exitCode ?? EXIT_ERROR;
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
/** By this variable, which everything that comes from us inherits, the post step finds what should have ended. */
function rememberJob() {
    const jobId = (0,external_node_crypto_.randomUUID)();
    process.env.AGENT_REPLAY_JOB_ID = jobId;
    core/* saveState */.LZ('jobId', jobId);
}
async function configFor({ config: file, workingDirectory, settings }) {
    resolvePackageName();
    try {
        return await (0,src/* loadConfig */.Z9)({ cwd: workingDirectory, file, options: settings });
    }
    catch (error) {
        throw error instanceof src/* AgentReplayError */.V4 && error.code === 'CONFIG_INVALID' ? namingInputs(error, settings) : error;
    }
}
/** A setting that an input gave is called by the name of the input. */
function namingInputs(error, settings) {
    const evidence = error.evidence.map((fact) => {
        const given = [...settings.keys()].find((setting) => fact.startsWith(`${setting}:`) || fact.startsWith(`${setting}.`));
        return given === undefined ? fact : `input "${(0,inputs/* inputFor */.Uk)(given)}": ${fact}`;
    });
    const { code, message, hint, location } = error;
    return new src/* AgentReplayError */.V4(code, message, {
        evidence,
        cause: error,
        ...(hint && { hint }),
        ...(location && { location }),
    });
}
/** The job, by the same path as the command. `complete`: every output could be written. */
async function replay(config, { config: configFile, workingDirectory, token }, signal) {
    let plan;
    let complete = true;
    const outputDir = external_node_path_.join(workingDirectory, OUTPUT_FOLDER);
    const follow = (event) => {
        if (event.kind === 'planned')
            plan = event.plan;
        if (event.kind === 'not-written')
            complete = false;
        print(told(event));
    };
    const secrets = token === undefined ? [] : [token];
    const report = await (0,src/* runJob */.b5)(config, { signal, outputDir, secrets, configFile, command: 'GitHub Action', on: follow });
    try {
        await (0,src/* writeReport */.u5)(report, { dir: outputDir, formats: FORMATS });
    }
    catch (error) {
        complete = false;
        (0,announce.reportError)(error);
    }
    return { report, plan, complete };
}
/** What the log says of an event: safe lines. */
function told(event) {
    switch (event.kind) {
        case 'planned':
            return [`${event.plan.calls} calls are to be made`, ...mutatingNotes(event.plan)].flatMap(src/* linesForTerminal */.Zx);
        case 'agent':
            return (0,src/* linesForTerminal */.Zx)(`the agent ${event.agent.id ?? ''} is ${event.state}`.replace('  ', ' '));
        case 'agent-output':
            return [event.line];
        case 'replayed':
            return [];
        case 'session-done':
            return (0,src/* linesForTerminal */.Zx)(`done: ${event.session}`);
        case 'not-written':
            return (0,src/* linesForTerminal */.Zx)(`warning: ${event.error.message} (${event.error.code})`);
    }
}
function mutatingNotes({ mutatingCalls }) {
    return [...mutatingCalls].map(([tool, count]) => `note: ${count} recorded calls of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it`);
}
async function publishComment(report, inputs, event, signal) {
    // Half a result must not stand where a whole one stood.
    if (signal.aborted)
        return undefined;
    const pull = commentablePullRequest(event);
    if (pull === undefined)
        return undefined;
    if (inputs.token === undefined)
        return (0,announce/* notice */.lm)('No comment was written: the input "github-token" is empty.');
    if (pull.isFork) {
        return (0,announce/* notice */.lm)('No comment was written: the token of a pull request from a fork cannot write. See the job summary.');
    }
    return commentOn(pull, report, { token: inputs.token, subject: subjectOf(inputs), env: process.env, signal });
}
/** Stays the same from run to run of one step, and tells two steps of one workflow apart. */
function subjectOf({ config, workingDirectory, settings }) {
    const about = [settings.get('agent.id'), settings.get('sessions')];
    return JSON.stringify([config, external_node_path_.relative(process.cwd(), workingDirectory), ...about]);
}
function print(lines) {
    for (const line of lines)
        core/* info */.pq(line);
}


/***/ })

};
