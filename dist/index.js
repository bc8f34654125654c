import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 2613:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("assert");

/***/ }),

/***/ 5317:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("child_process");

/***/ }),

/***/ 6982:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");

/***/ }),

/***/ 4434:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("events");

/***/ }),

/***/ 9896:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");

/***/ }),

/***/ 8611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 5692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 9278:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("net");

/***/ }),

/***/ 4589:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:assert");

/***/ }),

/***/ 6698:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:async_hooks");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 1421:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");

/***/ }),

/***/ 7540:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:console");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 3053:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:diagnostics_channel");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 3024:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 7067:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 2467:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http2");

/***/ }),

/***/ 4708:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:https");

/***/ }),

/***/ 8995:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:module");

/***/ }),

/***/ 7030:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 8161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 643:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:perf_hooks");

/***/ }),

/***/ 1792:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:querystring");

/***/ }),

/***/ 99:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:sqlite");

/***/ }),

/***/ 7075:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 7830:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/web");

/***/ }),

/***/ 7997:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers");

/***/ }),

/***/ 8500:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");

/***/ }),

/***/ 1692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 3429:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util/types");

/***/ }),

/***/ 5919:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:worker_threads");

/***/ }),

/***/ 8522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 857:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");

/***/ }),

/***/ 6928:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");

/***/ }),

/***/ 3193:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("string_decoder");

/***/ }),

/***/ 3557:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("timers");

/***/ }),

/***/ 4756:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tls");

/***/ }),

/***/ 9023:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("util");

/***/ }),

/***/ 9163:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _inputs_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(896);

/** Set by the main step for the post step, which runs the same file. */
const jobId = process.env.STATE_jobId;
const EXIT_ERROR = 2;
const exitCode = jobId === undefined ? await main() : await (await __nccwpck_require__.e(/* import() */ 295).then(__nccwpck_require__.bind(__nccwpck_require__, 7295))).sweep(jobId);
// Whatever still holds a pipe or a socket must not keep a job alive for hours. What was written comes first.
await new Promise((written) => process.stdout.write('', () => written()));
process.exit(exitCode);
async function main() {
    let inputs;
    try {
        inputs = (0,_inputs_js__WEBPACK_IMPORTED_MODULE_0__/* .takeInputs */ .LY)(process.env);
    }
    catch (error) {
        const { reportError } = await Promise.all(/* import() */[__nccwpck_require__.e(238), __nccwpck_require__.e(888)]).then(__nccwpck_require__.bind(__nccwpck_require__, 1888));
        reportError(error);
        return EXIT_ERROR;
    }
    const { run } = await Promise.all(/* import() */[__nccwpck_require__.e(238), __nccwpck_require__.e(692), __nccwpck_require__.e(888), __nccwpck_require__.e(392)]).then(__nccwpck_require__.bind(__nccwpck_require__, 392));
    return run(inputs);
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 896:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  dz: () => (/* binding */ InputError),
  Uk: () => (/* binding */ inputFor),
  LY: () => (/* binding */ takeInputs)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __nccwpck_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __nccwpck_require__(6760);
;// CONCATENATED MODULE: ./build/action/settings.js
/** Written by scripts/action.ts from the schema of the configuration: `npm run generate:action`. */
const SETTINGS = [
    { input: 'root', path: 'root', kind: 'text' },
    { input: 'agent-id', path: 'agent.id', kind: 'text' },
    { input: 'start', path: 'agent.command', kind: 'text' },
    { input: 'url', path: 'agent.url', kind: 'text' },
    { input: 'agent-cwd', path: 'agent.cwd', kind: 'text' },
    { input: 'agent-env', path: 'agent.env', kind: 'pairs' },
    { input: 'agent-timeout', path: 'agent.timeout', kind: 'number' },
    { input: 'agent-reuse-existing-server', path: 'agent.reuseExistingServer', kind: 'boolean' },
    {
        input: 'agent-graceful-shutdown-signal',
        path: 'agent.gracefulShutdown.signal',
        kind: 'text',
        choices: ['SIGTERM', 'SIGINT'],
    },
    { input: 'agent-graceful-shutdown-timeout', path: 'agent.gracefulShutdown.timeout', kind: 'number' },
    { input: 'agent-stdout', path: 'agent.stdout', kind: 'text', choices: ['pipe', 'ignore'] },
    { input: 'agent-stderr', path: 'agent.stderr', kind: 'text', choices: ['pipe', 'ignore'] },
    { input: 'agent-wait-url', path: 'agent.wait.url', kind: 'text' },
    { input: 'agent-wait-status', path: 'agent.wait.status', kind: 'numbers' },
    { input: 'agent-wait-stdout', path: 'agent.wait.stdout', kind: 'text' },
    { input: 'agent-wait-stderr', path: 'agent.wait.stderr', kind: 'text' },
    { input: 'agent-watch', path: 'agent.watch', kind: 'list' },
    { input: 'sessions', path: 'sessions', kind: 'text' },
    { input: 'allow-empty', path: 'allowEmpty', kind: 'boolean' },
    { input: 'runs', path: 'runs', kind: 'number' },
    { input: 'workers', path: 'workers', kind: 'number' },
    { input: 'retries', path: 'retries', kind: 'number' },
    { input: 'idempotent', path: 'idempotent', kind: 'boolean' },
    { input: 'carrier', path: 'carrier', kind: 'text', choices: ['both', 'body', 'headers'] },
    { input: 'headers', path: 'headers', kind: 'pairs' },
    { input: 'output-pointer', path: 'outputPointer', kind: 'text' },
    { input: 'context', path: 'context', kind: 'text', choices: ['recorded', 'sequence'] },
    { input: 'order', path: 'order', kind: 'text', choices: ['parallel', 'serial'] },
    { input: 'max-calls', path: 'maxCalls', kind: 'number' },
    { input: 'timeouts-call', path: 'timeouts.call', kind: 'number' },
    { input: 'timeouts-trace', path: 'timeouts.trace', kind: 'number' },
    { input: 'timeouts-total', path: 'timeouts.total', kind: 'number' },
    { input: 'max-response', path: 'maxResponse', kind: 'number' },
    { input: 'tracing', path: 'tracing', kind: 'text', choices: ['embedded', 'platform', 'none'] },
    { input: 'tracing-source', path: 'tracing.source', kind: 'text', choices: ['embedded', 'platform', 'none'] },
    { input: 'tracing-receiver-host', path: 'tracing.receiver.host', kind: 'text' },
    { input: 'tracing-receiver-port', path: 'tracing.receiver.port', kind: 'number' },
    { input: 'tracing-receiver-public-key', path: 'tracing.receiver.publicKey', kind: 'text' },
    { input: 'tracing-receiver-secret-key', path: 'tracing.receiver.secretKey', kind: 'text' },
    { input: 'request-system', path: 'request.system', kind: 'text', choices: ['drop', 'keep'] },
    {
        input: 'strictness',
        path: 'compare.strictness',
        kind: 'text',
        choices: ['exact', 'wording', 'steps', 'behaviour', 'outcome'],
    },
    { input: 'compare-ignore', path: 'compare.ignore', kind: 'list' },
    { input: 'compare-include', path: 'compare.include', kind: 'list' },
    { input: 'compare-identities', path: 'compare.identities', kind: 'text', choices: ['renamed', 'literal'] },
    { input: 'fail-on', path: 'failOn', kind: 'list' },
    { input: 'fail-on-changed', path: 'failOn.changed', kind: 'text', choices: ['error', 'warn', 'off'] },
    { input: 'fail-on-unsettled', path: 'failOn.unsettled', kind: 'text', choices: ['error', 'warn', 'off'] },
    { input: 'fail-on-flaky', path: 'failOn.flaky', kind: 'text', choices: ['error', 'warn', 'off'] },
    { input: 'fail-on-inconclusive', path: 'failOn.inconclusive', kind: 'text', choices: ['error', 'warn'] },
    { input: 'fail-on-cause', path: 'failOn.cause', kind: 'pairs' },
    { input: 'min-agreement', path: 'minAgreement', kind: 'number' },
    { input: 'redact-personal', path: 'redact.personal', kind: 'boolean' },
    { input: 'redact-request', path: 'redact.request', kind: 'boolean' },
    { input: 'identifiers-brand', path: 'identifiers.brand', kind: 'text' },
    { input: 'identifiers-tracing', path: 'identifiers.tracing', kind: 'text' },
];

;// CONCATENATED MODULE: ./build/action/inputs.js



/** An input that cannot be what was meant. */
class InputError extends Error {
    name = 'InputError';
    /** What to write instead, one sentence. */
    hint;
    constructor(input, mistake, hint) {
        super(`The input "${input}" ${mistake}.`);
        this.hint = hint;
    }
}
/**
 * Reads the inputs, and takes them out of the environment: they hold tokens and keys, and nothing that is started
 * later should find them there. Loads nothing, so that a mistake is told at once.
 * @throws InputError
 */
function takeInputs(env) {
    const inputs = new Map();
    for (const [name, value = ''] of Object.entries(env)) {
        if (!name.startsWith('INPUT_'))
            continue;
        if (value.trim() !== '')
            inputs.set(name.slice('INPUT_'.length).toLowerCase(), value.trim());
        delete env[name];
    }
    const given = SETTINGS.flatMap((setting) => {
        const text = inputs.get(setting.input);
        return text === undefined ? [] : [[setting.path, settingValue(setting, text)]];
    });
    return {
        config: inputs.get('config'),
        workingDirectory: existingFolder(inputs.get('working-directory') ?? '.'),
        token: inputs.get('github-token'),
        settings: new Map(given),
    };
}
/** The input by which a setting can be given, if there is one. */
function inputFor(settingPath) {
    return SETTINGS.find(({ path }) => path === settingPath)?.input;
}
function settingValue({ input, path, kind, choices = [] }, text) {
    switch (kind) {
        case 'boolean':
            return oneOf(input, text.toLowerCase(), ['true', 'false']) === 'true';
        case 'number':
            return numberIn(input, text);
        case 'numbers':
            return listIn(text).map((part) => numberIn(input, part));
        case 'list':
            return listIn(text);
        case 'pairs':
            return Object.fromEntries(linesIn(text).map((line) => pairIn(input, line)));
        case 'text':
            // Several patterns, one a line: a comma can be part of one.
            if (path === 'sessions')
                return linesIn(text);
            return choices.length > 0 ? oneOf(input, text, choices) : text;
    }
}
function oneOf(input, text, choices) {
    if (choices.includes(text))
        return text;
    throw new InputError(input, `cannot be ${JSON.stringify(text)}`, `Write one of: ${choices.join(', ')}.`);
}
function numberIn(input, text) {
    const number = Number(text);
    if (text !== '' && Number.isFinite(number))
        return number;
    throw new InputError(input, `takes a number, not ${JSON.stringify(text)}`, `Write digits, as in ${input}: 5.`);
}
/** The value is not shown: it may be a secret. */
function pairIn(input, line) {
    const at = line.indexOf('=');
    if (at > 0)
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    throw new InputError(input, 'has a line that is not NAME=VALUE', 'Write one NAME=VALUE on each line.');
}
function linesIn(text) {
    return partsOf(text, /\r?\n/);
}
function listIn(text) {
    return partsOf(text, /\r?\n|,/);
}
function partsOf(text, separator) {
    return text
        .split(separator)
        .map((part) => part.trim())
        .filter((part) => part !== '');
}
function existingFolder(folder) {
    const absolute = external_node_path_.resolve(folder);
    if ((0,external_node_fs_.statSync)(absolute, { throwIfNoEntry: false })?.isDirectory())
        return absolute;
    throw new InputError('working-directory', `is no folder: ${JSON.stringify(folder)}`, 'Write a folder of the repository, from its root, and check it out before.');
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		id: moduleId,
/******/ 		loaded: false,
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Flag the module as loaded
/******/ 	module.loaded = true;
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/node module decorator */
/******/ (() => {
/******/ 	__nccwpck_require__.nmd = (module) => {
/******/ 		module.paths = [];
/******/ 		if (!module.children) module.children = [];
/******/ 		return module;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(9163);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
