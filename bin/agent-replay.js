#!/usr/bin/env node
// Nothing is imported before the check: an old Node must get as far as the message, and not fail on newer syntax.
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);
const [first, ...more] = process.argv.slice(2);
if (isOld && !(major >= 20 && more.length === 0 && ['-V', '--version', '-h', '--help'].includes(first))) {
  console.error(`error: agent-replay needs Node 22.19 or newer, and this is Node ${process.versions.node}. (USAGE)
  -> Give it a Node of its own: npx --package node@24 -c 'agent-replay ${first || 'run'}'. Your agent's server may stay on Node 20: agent-replay/endpoint runs there.`);
  process.exitCode = 2;
} else {
  // The next start finds everything compiled: a fifth of its time.
  if (!isOld) process.getBuiltinModule('node:module').enableCompileCache();
  import('../lib/command.js').then(({ main }) => main(process.argv.slice(2)));
}
