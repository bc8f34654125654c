import { expect, test } from 'vitest';
import { vitestProject } from './vitest-project.ts';

const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
const coverage = { enabled: true, provider: 'custom', customProviderModule: './provider.js' };
export default defineConfig({ plugins: [agentReplay()], test: { coverage } });
`;
/** Says which of the files it is asked about would count, as the providers of Vitest do. */
const PROVIDER = `
import { BaseCoverageProvider } from 'vitest/node';
class Provider extends BaseCoverageProvider {
  name = 'custom';
  initialize(vitest) {
    this.version = vitest.version;
    this._initialize(vitest);
    for (const file of ['replays/one.session.json', 'src.ts']) {
      console.log('counted: ' + file + ' ' + this.isIncluded(vitest.config.root + '/' + file));
    }
  }
  clean() {}
  onAfterSuiteRun() {}
  generateCoverage() {}
  reportCoverage() {}
}
export default { getProvider: () => new Provider(), startCoverage() {}, takeCoverage() {}, stopCoverage() {} };
`;

test('fault 101: pins are no sources to --coverage', async () => {
  await using project = await vitestProject({
    sessions: { one: 'a' },
    files: { 'vitest.config.ts': CONFIG, 'provider.js': PROVIDER },
  });
  const { output } = await project.vitest();
  expect(output).toContain('counted: replays/one.session.json false');
  expect(output).toContain('counted: src.ts true');
});
