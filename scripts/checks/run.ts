/**
 * Runs a tool that only the checks need, which the first check installs: `node scripts/checks/run.ts biome ci .`. It weighs as
 * much as everything that a demo loads.
 */
import path from 'node:path';
import { ensureInstalled, runOrEnd } from '../installed.ts';

const FOLDER = import.meta.dirname;
const [tool = '', ...args] = process.argv.slice(2);

ensureInstalled(FOLDER);
runOrEnd(path.join(FOLDER, 'node_modules', '.bin', tool), args);
