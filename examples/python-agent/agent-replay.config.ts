/** No `defineConfig`: a project in another language has no package to import it from. The command brings the types. */
export default {
  agent: { id: 'python-desk', command: 'node demo.ts', url: 'http://127.0.0.1:4340/replay' },
  runs: 3,
};
