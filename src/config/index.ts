export { addToIgnoreFile, type IgnoreFile } from './ignore-file.ts';
export { type LoadConfigOptions, loadConfig } from './load.ts';
export { blamingOptions } from './mistakes.ts';
export type { OptionValues } from './option-values.ts';
export { type ConfigOption, configOptions, readOption, readSetting, settingNamed, withOptions } from './options.ts';
export { idlePatterns, type OwnSettings, ownSettings, ownSettingsOf, withOwn } from './overrides.ts';
export { readSavedTargets, savedName, saveTarget } from './saved-targets.ts';
export { type Config, type ConfigInput, type ConfigSource, config, defineConfig, parseConfig } from './schema.ts';
