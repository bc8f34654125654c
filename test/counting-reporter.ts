import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Ends each run with `N passed, M failed`, and before it a line for each failure: `failed: FILE > TEST: MESSAGE`.
 * Failures outside of a test (a file, an unhandled error) count, too.
 */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const failures: string[] = unhandledErrors.map(({ message }) => `unhandled: ${message}`);
    let passed = 0;
    for (const module of modules) {
      for (const { message } of module.errors()) failures.push(`${module.relativeModuleId}: ${message}`);
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') {
          failures.push(`${module.relativeModuleId} > ${test.fullName}: ${errors?.[0]?.message ?? ''}`);
        }
      }
    }
    for (const failure of failures) process.stdout.write(`failed: ${failure.replace(/\s+/g, ' ').slice(0, 400)}\n`);
    process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  }
}
