export { type Checkout, checkOut } from './checkout.ts';
