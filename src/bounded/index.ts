export { BodyRoom, free, Joined, wholeBody } from './body.ts';
export { endingIn, sleep, unlessEnded, within } from './wait.ts';
