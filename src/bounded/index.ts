export { BodyRoom, wholeBody } from './body.ts';
export { endingIn, sleep, unlessEnded, within } from './wait.ts';
