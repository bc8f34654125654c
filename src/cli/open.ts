import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a file or an address. It is printed as well, in case there is no browser to open it. */
export function openInBrowser(place: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, place], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
