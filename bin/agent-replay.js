#!/usr/bin/env node
// Old syntax only, and no import at the top: an old Node must get as far as the message.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write(
    'error: agent-replay needs Node 22.19 or newer, and this is Node ' + process.versions.node + '. (USAGE)\n',
  );
  process.exitCode = 2;
} else {
  import('../lib/src/cli/main.js').then((cli) => cli.main(process.argv.slice(2)));
}
