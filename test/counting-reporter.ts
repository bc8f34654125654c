import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Ends each run with `N passed, M failed`. Failures outside of a test (a file, an unhandled error) count, too. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const results = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const outside = modules.reduce((sum, module) => sum + module.errors().length, unhandledErrors.length);
    const count = (state: string) => results.filter((result) => result === state).length;
    process.stdout.write(`${count('passed')} passed, ${count('failed') + outside} failed\n`);
  }
}
