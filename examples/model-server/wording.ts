/**
 * Ways to say one thing, the likeliest first. All of them state the same facts: names, numbers, yes or no. None is
 * terse, because in a text of a few words every word counts as a fact.
 */
export type Wordings = readonly [string, ...string[]];

export interface Order {
  readonly id: string;
  readonly customer_id: string;
  readonly item: string;
  readonly total: number;
  readonly currency: string;
  readonly status: 'processing' | 'in transit' | 'delivered';
  /** Day of delivery, expected or past, such as `2026-11-24`. */
  readonly delivery: string;
}
export interface RefundPolicy {
  readonly eligible: boolean;
  readonly reason: string;
}
export interface Refund {
  readonly refund_id: string;
  readonly amount: number;
  readonly currency: string;
}
export interface Ticket {
  readonly ticket_id: string;
}
export interface Article {
  readonly title: string;
  readonly text: string;
}

export function orderStatus({ id, item, status, delivery }: Order): Wordings {
  switch (status) {
    case 'delivered':
      return [
        `Your order ${id} (${item}) was delivered on ${delivery}. Is there anything that I can do about it?`,
        `Good news about order ${id} (${item}): it was delivered on ${delivery}. What can I do about it?`,
        `It was on ${delivery} that your order ${id} (${item}) was delivered. Tell me if you need help with it.`,
      ];
    case 'in transit':
      return [
        `Your order ${id} (${item}) is on its way and should arrive on ${delivery}.`,
        `The parcel with your order ${id} (${item}) is on the road; we expect it to arrive on ${delivery}.`,
        `We have sent your order ${id} (${item}), and it is expected to reach you on ${delivery}.`,
      ];
    case 'processing':
      return [
        `We are still packing your order ${id} (${item}). It should arrive on ${delivery}.`,
        `Your order ${id} (${item}) is being packed at the moment and should reach you on ${delivery}.`,
      ];
  }
}

export function comparison(orders: readonly Order[]): Wordings {
  const byDelivery = orders.toSorted((a, b) => a.delivery.localeCompare(b.delivery));
  const list = byDelivery.map(({ id, item, delivery }) => `${id} (${item}) on ${delivery}`).join(', then ');
  return [
    `These arrive one after the other: ${list}.`,
    `In this order they reach you: ${list}.`,
    `Here is what comes when: ${list}.`,
  ];
}

export function unknownOrder(id: string): Wordings {
  return [
    `I am sorry, I could not find ${id}. Please check the number, or give me the email address of the order.`,
    `Sorry, but I could not find ${id}. If you tell me the email address that was used, I will search with it.`,
    `Unfortunately I could not find ${id}. Would you check it again, or tell me your email address?`,
  ];
}

export function foundOrders(orders: readonly Order[]): Wordings {
  const list = orders.map(({ id, item, status }) => `${id} (${item}, ${status})`).join('; ');
  return [
    `With that address I find ${list}. Which one is it about?`,
    `Here is what was ordered with that address: ${list}. Tell me which one you mean.`,
  ];
}

export function noOrders(email: string): Wordings {
  return [
    `I cannot find any orders of ${email}. Was it perhaps another address that you gave us at the time?`,
    `With ${email} I cannot find any orders. Please have a look whether you used another address at the time.`,
  ];
}

export function refunded(order: Order, { refund_id, amount, currency }: Refund): Wordings {
  const money = `${amount} ${currency}`;
  return [
    `Done: ${money} for order ${order.id} will go back to your account. The refund number is ${refund_id}.`,
    `I have refunded ${money} for order ${order.id}; please keep the refund number ${refund_id}.`,
    `Your money is coming back: ${money} for order ${order.id}, under the refund number ${refund_id}.`,
  ];
}

export function refundEscalated(order: Order, { ticket_id }: Ticket): Wordings {
  const money = `${order.total} ${order.currency}`;
  return [
    `A colleague has to decide on a refund of ${money} for order ${order.id}. I have opened ticket ${ticket_id}.`,
    `The refund of ${money} for order ${order.id} goes to a colleague, under the ticket ${ticket_id}.`,
    `I have asked a colleague to look at the refund of ${money} for order ${order.id}; see ticket ${ticket_id}.`,
  ];
}

export function noRefund({ id }: Order, { reason }: RefundPolicy): Wordings {
  return [
    `I am sorry, but I cannot refund order ${id}: ${reason}. Is there anything else that I can do for you?`,
    `Unfortunately I cannot refund order ${id}, because ${reason}. Tell me if I can help you with anything else.`,
    `Our rules say that I cannot refund order ${id}: ${reason}. I am happy to help you with anything else.`,
  ];
}

export function complaintTaken({ ticket_id }: Ticket): Wordings {
  return [
    `I am sorry about this. A colleague will call you; your ticket is ${ticket_id}.`,
    `That should go better, I am sorry. Under the ticket ${ticket_id} a colleague will call you back.`,
  ];
}

export function fromArticle({ title, text }: Article): Wordings {
  return [
    `${text} You can read more in "${title}".`,
    `Here is what our help pages say in "${title}": ${text}`,
    `${text} That is from our article "${title}".`,
  ];
}

export function nothingFound(): Wordings {
  return [
    'Our help pages do not answer that. Shall I open a ticket, so that a colleague gets back to you about it?',
    'That is something that our help pages do not answer. I can open a ticket for you if you like me to.',
  ];
}

export function failed(what: string): Wordings {
  return [
    `I am sorry, ${what} could not be completed just now. Please write to us again in a few minutes.`,
    `Unfortunately ${what} could not be completed. Would you be so kind and try again in a few minutes?`,
  ];
}

export function goodbye(): Wordings {
  return [
    'You are very welcome. Have a good day out there, and write to us again whenever you need something.',
    'It was a pleasure to help. Enjoy the trip, and come back to us whenever something comes up.',
    'Glad that I could help you with this. Write to us again at any time, and enjoy your trip.',
  ];
}

export function whichOrder(): Wordings {
  return [
    'Gladly. Which order is this about? The number is in your confirmation email and starts with two letters.',
    'I will see to it. Please tell me the order number from your confirmation email; it starts with two letters.',
  ];
}
