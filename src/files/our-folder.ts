/** By default, everything that we keep in a project is in this folder. */
export const OUR_FOLDER = '.agent-replay';
