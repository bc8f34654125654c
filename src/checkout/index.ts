export { type Checkout, type CheckoutOptions, checkOut } from './checkout.ts';
