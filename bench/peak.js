// Loaded into a measured command: stores what it used.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';

let startMs;
/** Until its first request. */
subscribe('undici:request:create', () => {
  startMs ??= spentMs();
});

function spentMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

process.on('exit', () => {
  const took = { peakMiB: process.resourceUsage().maxRSS / 1024, cpuMs: spentMs(), startMs };
  writeFileSync(process.env.PEAK_FILE, JSON.stringify(took));
});
