export { addToIgnoreFile } from './ignore-file.ts';
export { isConfigLoading, loadConfig } from './load.ts';
export type { OptionValues } from './option-values.ts';
export { type ConfigOption, configOptions, joinSettings, readSetting } from './options.ts';
export { idlePatterns, looksFrom, type OwnSettings, ownSettings, ownSettingsOf, withOwn } from './overrides.ts';
export { PLATFORM_TRACE_MS, parseConfig } from './parse.ts';
export { readSavedTargets, savedName, saveTarget } from './saved-targets.ts';
export { type Config, type ConfigInput, configSchema, defineConfig, type Prices, recordedAt } from './schema.ts';
export { canMask, declaredIn, redactionOf, secretsOf, secretWords, variablesOf } from './secrets.ts';
