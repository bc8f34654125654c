// Loaded into a measured command: stores what it used.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const took = { peakMiB: process.resourceUsage().maxRSS / 1024, cpuMs: (user + system) / 1_000 };
  writeFileSync(process.env.PEAK_FILE, JSON.stringify(took));
});
