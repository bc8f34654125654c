export const id = 295;
export const ids = [295];
export const modules = {

/***/ 7295:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   sweep: () => (/* binding */ sweep)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8500);


/** A process can start another one while we look: again until none is left, but not for ever. */
const MAX_ROUNDS = 50;
const ROUND_MS = 20;
/**
 * The post step, the last broom: kills every process that the main step left, found by the variable that all of them
 * inherited, so that no other process can be meant. Only where the system shows environments (Linux); elsewhere the
 * watchdog of the agent has to do.
 * @returns the exit code: 0, since this changes no verdict
 */
async function sweep(jobId) {
    const killed = new Set();
    for (let round = 0; round < MAX_ROUNDS; round++) {
        const left = listProcesses().filter((id) => isOf(id, jobId));
        if (left.length === 0)
            break;
        for (const id of left)
            if (kill(id))
                killed.add(id);
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_1__.setTimeout)(ROUND_MS);
    }
    if (killed.size > 0)
        console.log(`agent-replay has ended what was left of the agent: ${killed.size} processes`);
    return 0;
}
function listProcesses() {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readdirSync)('/proc').map(Number).filter(Number.isInteger);
    }
    catch {
        return [];
    }
}
function isOf(id, jobId) {
    if (id === process.pid)
        return false;
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${id}/environ`, 'latin1').split('\0').includes(`AGENT_REPLAY_JOB_ID=${jobId}`);
    }
    catch {
        // Ended in the meantime, or another user's.
        return false;
    }
}
function kill(id) {
    try {
        process.kill(id, 'SIGKILL');
        return true;
    }
    catch {
        return false;
    }
}


/***/ })

};
