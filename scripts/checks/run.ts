/**
 * Runs a tool that only the checks need: `node scripts/checks/run.ts biome ci .`. The first check installs it. A clone
 * does not, because the tools are as large as everything that a demo loads.
 */
import path from 'node:path';
import { ensureInstalled, runOrEnd } from '../installed.ts';

const FOLDER = import.meta.dirname;
const [tool = '', ...args] = process.argv.slice(2);

ensureInstalled(FOLDER);
runOrEnd(path.join(FOLDER, 'node_modules', '.bin', tool), args);
