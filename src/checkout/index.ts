export { type Checkout, checkOut } from './checkout.ts';
export { askGit } from './git.ts';
