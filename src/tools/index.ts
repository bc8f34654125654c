export { startToolsEndpoint, type ToolsEndpoint } from './endpoint.ts';
export { mergedRules, type ReplayPolicy, ToolPolicies, type ToolSettings, toolSettings } from './settings.ts';
export { notWrapped, ToolError } from './tool-error.ts';
