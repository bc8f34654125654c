import { randomBytes } from 'node:crypto';
import articles from './data/articles.json' with { type: 'json' };
import customers from './data/customers.json' with { type: 'json' };
import ordersOnFile from './data/orders.json' with { type: 'json' };

/** With `ORDERS=none` nobody has ordered anything yet, as in a database that was set up for a test. */
const orders = process.env.ORDERS === 'none' ? [] : ordersOnFile;

let refundsExecuted = 0;

/** Refunds since the agent was started, in sandboxes too. */
export function executedRefunds(): number {
  return refundsExecuted;
}

export interface Refund {
  readonly refund_id: string;
  readonly order_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: string;
}

export interface Ticket {
  readonly ticket_id: string;
  readonly subject: string;
  readonly created_at: string;
}

/** The shop's data: what is on file never changes, refunds and tickets are added. */
export class Shop {
  readonly #refunds: Map<string, Refund>;
  readonly #tickets: Ticket[];

  constructor(refunds: Iterable<[string, Refund]> = [], tickets: Iterable<Ticket> = []) {
    this.#refunds = new Map(refunds);
    this.#tickets = [...tickets];
  }

  /** A copy to try things out on: what happens in it stays in it. */
  sandbox(): Shop {
    return new Shop(this.#refunds, this.#tickets);
  }

  ordersOf(email: string) {
    const customer = customers.find((candidate) => candidate.email === email.toLowerCase());
    return orders.filter((order) => order.customer_id === customer?.id);
  }

  /** @throws when there is no such order */
  order(id: string) {
    return found(
      orders.find((order) => order.id === id),
      `There is no order ${id}.`,
    );
  }

  /** @throws when there is no such customer */
  customer(id: string) {
    return found(
      customers.find((customer) => customer.id === id),
      `There is no customer ${id}.`,
    );
  }

  /** The articles that share most words with the query, best first. */
  articles(query: string) {
    const words = new Set(query.toLowerCase().match(/[a-z]+/g));
    return articles
      .map((article) => ({ article, score: article.keywords.filter((keyword) => words.has(keyword)).length }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ article: { id, title, text } }) => ({ id, title, text }));
  }

  /** Whether an order may be refunded, and why not. */
  refundPolicy(orderId: string): { order_id: string; eligible: boolean; reason: string } {
    const { status, final_sale } = this.order(orderId);
    const answer = (eligible: boolean, reason: string) => ({ order_id: orderId, eligible, reason });
    if (this.#refunds.has(orderId)) return answer(false, 'it has been refunded already');
    if (status !== 'delivered') return answer(false, 'it has not been delivered yet');
    if (final_sale) return answer(false, 'it was a final sale');
    return answer(true, 'it was delivered and is not a final sale');
  }

  /** @throws when the order is not eligible */
  refund(orderId: string): Refund {
    const { total, currency } = this.order(orderId);
    const { eligible, reason } = this.refundPolicy(orderId);
    if (!eligible) throw new Error(`Order ${orderId} cannot be refunded: ${reason}.`);
    const refund = { refund_id: newId('rf'), order_id: orderId, amount: total, currency, created_at: now() };
    this.#refunds.set(orderId, refund);
    refundsExecuted++;
    return refund;
  }

  openTicket(subject: string): Ticket {
    const ticket = { ticket_id: newId('tk'), subject, created_at: now() };
    this.#tickets.push(ticket);
    return ticket;
  }
}

function found<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise);
  return value;
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`;
}

function now(): string {
  return new Date().toISOString();
}
