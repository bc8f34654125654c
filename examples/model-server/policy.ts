import type { Conversation, ToolResult } from './conversation.ts';
import { type Intent, type RefundReason, readIntent } from './intent.ts';
import type { Sampler } from './sampling.ts';
import * as say from './wording.ts';

interface ToolCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** What the model does next: it calls tools, several at once if need be, or it answers. */
export type Move =
  | { readonly calls: readonly ToolCall[]; readonly text?: undefined }
  | { readonly calls?: undefined; readonly text: string };

/**
 * The "mind" of the model: rules in place of weights. Like a real model it sees only the request. It follows the
 * directives in the system text, calls the tools it is offered, reads their results and says what came of it.
 */
export function decide(conversation: Conversation, sampler: Sampler): Move {
  const scene: Scene = { conversation, sampler, directives: readDirectives(conversation.system) };
  const intent = readIntent(conversation);
  switch (intent.kind) {
    case 'orders':
      return tellAboutOrders(scene, intent.orderIds);
    case 'find-orders':
      return findOrders(scene, intent.email);
    case 'refund':
      return refund(scene, intent);
    case 'help':
      return help(scene, intent.queries);
    case 'complaint':
      return complain(scene, intent.orderId);
    case 'thanks':
      return answer(scene, say.goodbye());
    case 'unclear':
      return answer(scene, say.whichOrder());
  }
}

interface Scene {
  readonly conversation: Conversation;
  readonly sampler: Sampler;
  readonly directives: Directives;
}

/** The rules of a system text that change what the model does. */
interface Directives {
  readonly checksPolicy: boolean;
  readonly looksUpCustomer: boolean;
  readonly refundLimit: number;
}

function readDirectives(system: string): Directives {
  const limit = /never refund (?:more than|above|over) (\d+)/i.exec(system)?.[1];
  return {
    checksPolicy: /check the refund policy (?:first|before)/i.test(system),
    looksUpCustomer: /look up the customer (?:first|before)/i.test(system),
    refundLimit: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit),
  };
}

function tellAboutOrders(scene: Scene, orderIds: readonly string[]): Move {
  const isKnown = (id: string) => lookup(scene, id) !== undefined;
  const calls = orderIds.filter((id) => !isKnown(id)).map((order_id) => ({ name: 'lookup_order', args: { order_id } }));
  const [first] = calls;
  // Wandering, it asks one after the other what it would have asked at once.
  if (first !== undefined && can(scene, 'lookup_order')) return { calls: scene.sampler.behaviour([calls, [first]]) };
  const failed = orderIds.filter((id) => lookup(scene, id)?.error !== undefined);
  if (failed.length > 0) return answer(scene, say.unknownOrder(failed.join(', ')));
  const orders = orderIds.map((id) => lookup(scene, id)?.value as say.Order | undefined).filter((order) => !!order);
  const [order] = orders;
  if (order === undefined) return answer(scene, say.whichOrder());
  return answer(scene, orders.length > 1 ? say.comparison(orders) : say.orderStatus(order));
}

function findOrders(scene: Scene, email: string): Move {
  const found = result(scene, 'find_orders', { email });
  if (found === undefined && can(scene, 'find_orders')) return call('find_orders', { email });
  const { orders = [] } = (found?.value ?? {}) as { orders?: readonly say.Order[] };
  return answer(scene, orders.length === 0 ? say.noOrders(email) : say.foundOrders(orders));
}

function refund(scene: Scene, { orderId, reason }: Extract<Intent, { kind: 'refund' }>): Move {
  const found = lookup(scene, orderId);
  if (found === undefined && can(scene, 'lookup_order')) return call('lookup_order', { order_id: orderId });
  if (found?.value === undefined) return answer(scene, say.unknownOrder(orderId));
  const order = found.value as say.Order;
  const isSettled = ['refund_order', 'create_ticket'].some((tool) => thisTurn(scene, tool) !== undefined);
  const check = isSettled ? undefined : checkBeforeRefund(scene, order);
  if (check !== undefined) return check;
  const policy = result(scene, 'check_refund_policy', { order_id: orderId })?.value as say.RefundPolicy | undefined;
  if (policy?.eligible === false) return answer(scene, say.noRefund(order, policy));
  return order.total > scene.directives.refundLimit ? escalateRefund(scene, order) : payRefund(scene, order, reason);
}

/** What the system text asks for before a refund. Wandering, the model does what it was not asked to, or leaves it out. */
function checkBeforeRefund(scene: Scene, order: say.Order): Move | undefined {
  const { checksPolicy, looksUpCustomer } = scene.directives;
  const checks = [
    { isWanted: looksUpCustomer, tool: 'get_customer', args: { customer_id: order.customer_id } },
    { isWanted: checksPolicy, tool: 'check_refund_policy', args: { order_id: order.id } },
  ];
  const next = checks.find(
    ({ isWanted, tool, args }) =>
      can(scene, tool) && result(scene, tool, args) === undefined && scene.sampler.behaviour([isWanted, !isWanted]),
  );
  return next && call(next.tool, next.args);
}

function payRefund(scene: Scene, order: say.Order, reason: RefundReason): Move {
  const paid = thisTurn(scene, 'refund_order');
  if (paid === undefined && can(scene, 'refund_order')) {
    return call('refund_order', { order_id: order.id, reason: scene.sampler.behaviour([reason, 'other']) });
  }
  const value = paid?.value as say.Refund | undefined;
  return answer(scene, value === undefined ? say.failed('the refund') : say.refunded(order, value));
}

function escalateRefund(scene: Scene, order: say.Order): Move {
  const subject = scene.sampler.behaviour([`Refund of ${order.id}`, `Refund request ${order.id}`]);
  return openTicket(scene, { subject, priority: 'normal', order_id: order.id }, (ticket) =>
    say.refundEscalated(order, ticket),
  );
}

function complain(scene: Scene, orderId: string | undefined): Move {
  const about = orderId === undefined ? {} : { order_id: orderId };
  const priority = scene.sampler.behaviour(['high', 'normal']);
  return openTicket(scene, { subject: 'Customer complaint', priority, ...about }, say.complaintTaken);
}

function openTicket(scene: Scene, args: ToolCall['args'], told: (ticket: say.Ticket) => say.Wordings): Move {
  const opened = thisTurn(scene, 'create_ticket');
  if (opened === undefined && can(scene, 'create_ticket')) return call('create_ticket', args);
  const ticket = opened?.value as say.Ticket | undefined;
  return answer(scene, ticket === undefined ? say.failed('the ticket') : told(ticket));
}

function help(scene: Scene, queries: readonly [string, ...string[]]): Move {
  const searched = thisTurn(scene, 'search_help_articles');
  if (searched === undefined && can(scene, 'search_help_articles')) {
    return call('search_help_articles', { query: scene.sampler.behaviour(queries) });
  }
  const { articles = [] } = (searched?.value ?? {}) as { articles?: readonly say.Article[] };
  const [article] = articles;
  return answer(scene, article === undefined ? say.nothingFound() : say.fromArticle(article));
}

function call(name: string, args: ToolCall['args']): Move {
  return { calls: [{ name, args }] };
}

function answer({ sampler }: Scene, wordings: say.Wordings): Move {
  return { text: sampler.wording(wordings) };
}

function can({ conversation }: Scene, tool: string): boolean {
  return conversation.tools.has(tool);
}

function lookup(scene: Scene, order_id: string): ToolResult | undefined {
  return result(scene, 'lookup_order', { order_id });
}

/** The latest result of a call with these arguments, from any turn. */
function result({ conversation }: Scene, tool: string, args: ToolCall['args']): ToolResult | undefined {
  const wanted = Object.entries(args);
  return conversation.results.findLast(
    (result) => result.tool === tool && wanted.every(([key, value]) => result.args[key] === value),
  );
}

function thisTurn({ conversation }: Scene, tool: string): ToolResult | undefined {
  return conversation.results.findLast((result) => result.thisTurn && result.tool === tool);
}
