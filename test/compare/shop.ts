import { hash } from 'node:crypto';
import { canonical, type Json, type JsonObject } from '../../src/json/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import type { Recording } from '../../src/trace/index.ts';
import { type Act, PLAIN, record } from './agents.ts';

/** One conversation with an agent of a shop: what it did, and the digest of the shop's database afterwards. */
export interface Visit {
  readonly recording: Recording;
  readonly effect: string;
}

interface Order {
  status: 'open' | 'cancelled';
  refunded: number;
  items: string[];
  address: string;
  notes: number;
}

/** A shop whose database is the truth about what an agent did. What is written in a note is no part of it, that it is there is. */
class Shop {
  readonly #orders: Record<string, Order> = {
    'A-1042': { status: 'open', refunded: 0, items: ['tent-2', 'lamp-1'], address: 'Kirkegata 7, Bergen', notes: 0 },
    'B-2077': { status: 'open', refunded: 0, items: ['saddle-9'], address: 'Kirkegata 7, Bergen', notes: 0 },
  };
  readonly #id: () => string;

  constructor(id: () => string) {
    this.#id = id;
  }

  get digest(): string {
    return hash('sha256', canonical(this.#orders as unknown as Json));
  }

  call(tool: string, args: JsonObject): Json {
    const order = this.#orders[String(args.order_id)];
    if (order === undefined && tool !== 'find_customer') return { error: 'no such order' };
    switch (tool) {
      case 'find_customer':
        return { customer: 'marit', orders: Object.keys(this.#orders) };
      case 'get_order':
        return { ...(order as Order), items: [...(order as Order).items] };
      case 'check_stock':
        return { item: args.item ?? null, stock: 4 };
      case 'cancel_order':
        if (order?.status === 'cancelled') return { error: 'already cancelled' };
        (order as Order).status = 'cancelled';
        return { ok: true };
      case 'refund_order':
        if (Number(args.amount) > 500) return { error: 'the amount is over the limit' };
        (order as Order).refunded += Number(args.amount);
        return { ok: true, refund_id: this.#id() };
      case 'exchange_item':
        (order as Order).items = (order as Order).items.map((item) => (item === args.item ? String(args.for) : item));
        return { ok: true };
      case 'change_address':
        (order as Order).address = String(args.address);
        return { ok: true };
      case 'add_note':
        (order as Order).notes++;
        return { ok: true, note_id: this.#id() };
      default:
        return { ok: true };
    }
  }
}

const WANTS = ['refund', 'exchange', 'cancel', 'move'] as const;
const NOTES = [
  'The customer wrote that the tent came with a torn seam and asks for help',
  'Torn seam on arrival according to the customer, who has sent two photos',
  'Customer reports a damaged tent; she was friendly and has been with us for years',
];
const ANSWERS = [
  'I have taken care of your order A-1042, and you will get a mail about it soon.',
  'All done: your order A-1042 is taken care of, and a mail about it will reach you soon.',
  'Your order A-1042 has been taken care of. We will send you a mail about it soon!',
];

/**
 * A scripted model in the place of a live one: it looks things up in its own way, tries what fails, writes notes in its own
 * words, and now and then does something else than it should. It only calls tools; what came of it the database knows.
 * @param slips how often it makes a mistake, from 0 to 1
 */
export function visit(task: number, seed: number, slips: number): Visit {
  const random = randomFrom(`${task} ${seed}`);
  const isTrue = (chance: number) => random(1_000) < chance * 1_000;
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;
  const shop = new Shop(() => `0b9a7c52-3f51-4f0e-9a55-${String(random(10 ** 9)).padStart(12, '0')}`);
  const acts: Act[] = [];
  const call = (tool: string, args: JsonObject) => {
    acts.push({ thought: isTrue(0.3) ? pick(NOTES) : '', calls: [{ tool, args, result: shop.call(tool, args) }] });
  };
  const slip = () => isTrue(slips);
  if (isTrue(0.7)) call('find_customer', { email: 'marit@example.com' });
  call('get_order', { order_id: 'A-1042' });
  if (isTrue(0.4)) call('get_order', { order_id: 'B-2077' });
  if (isTrue(0.4)) call('check_stock', { item: pick(['tent-2', 'tent-3', 'lamp-1']) });
  const order = slip() ? 'B-2077' : 'A-1042';
  const amount = 40 + task;
  const main = () => {
    switch (WANTS[task % WANTS.length]) {
      case 'refund':
        if (isTrue(0.2)) call('refund_order', { order_id: order, amount: 900 + random(90) });
        call('refund_order', { order_id: order, amount: slip() ? amount + 5 : amount });
        return slip() && call('refund_order', { order_id: order, amount });
      case 'exchange':
        return call('exchange_item', { order_id: order, item: 'tent-2', for: slip() ? 'tent-4' : 'tent-3' });
      case 'cancel':
        if (!slip()) call('cancel_order', { order_id: order });
        return isTrue(0.1) && call('cancel_order', { order_id: order });
      default:
        // It corrects itself: another way with the same effect, and the one that aspects take for another.
        if (isTrue(0.02)) call('change_address', { order_id: order, address: 'Storgata 1, Oslo' });
        return call('change_address', { order_id: order, address: slip() ? 'Storgata 12, Oslo' : 'Storgata 11, Oslo' });
    }
  };
  const note = () => call('add_note', { order_id: 'B-2077', text: pick(NOTES) });
  const isNoteFirst = isTrue(0.5);
  if (isNoteFirst) note();
  main();
  if (!isNoteFirst) note();
  if (isTrue(0.01)) call('hand_over_to_human', {});
  if (isTrue(0.3)) call('get_order', { order_id: 'A-1042' });
  const request = { messages: [{ role: 'user', content: 'My order A-1042: please help me with it.' }] };
  const recording = record({ request, acts, answer: pick(ANSWERS) }, { ...PLAIN, seed });
  return { recording, effect: shop.digest };
}
