import type { Conversation } from './conversation.ts';

/** What the user wants in this turn. */
export type Intent =
  | { readonly kind: 'orders'; readonly orderIds: readonly string[] }
  | { readonly kind: 'find-orders'; readonly email: string }
  | { readonly kind: 'refund'; readonly orderId: string; readonly reason: RefundReason }
  | { readonly kind: 'help'; readonly queries: readonly [string, ...string[]] }
  | { readonly kind: 'complaint'; readonly orderId: string | undefined }
  | { readonly kind: 'thanks' }
  | { readonly kind: 'unclear' };

export type RefundReason = 'damaged' | 'wrong_item' | 'late' | 'changed_mind' | 'other';

const ORDER_ID = /\b[A-Z]{2}-\d{4}\b/g;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;

/** Reads the last question; "it" and "that order" mean the order that was spoken of last. */
export function readIntent({ question, earlierQuestions }: Conversation): Intent {
  const mentioned = unique(question.match(ORDER_ID) ?? []);
  const orderIds = mentioned.length > 0 ? mentioned : earlierQuestions.flatMap(lastOrderId).slice(0, 1);
  const orderId = orderIds[0];
  const email = EMAIL.exec(question)?.[0];

  if (/\b(complain|complaint|manager|human|person)\b/i.test(question)) return { kind: 'complaint', orderId };
  if (asksForRefund(question) && orderId !== undefined) return { kind: 'refund', orderId, reason: reasonIn(question) };
  if (mentioned.length === 0) {
    const topic = TOPICS.find(({ words }) => words.test(question));
    if (topic !== undefined) return { kind: 'help', queries: topic.queries };
    if (email !== undefined) return { kind: 'find-orders', email };
    if (/\b(thanks|thank you|great|perfect)\b/i.test(question)) return { kind: 'thanks' };
  }
  if (orderId !== undefined) return { kind: 'orders', orderIds };
  return { kind: 'unclear' };
}

function asksForRefund(question: string): boolean {
  return (
    /\b(refund|money back|send it back|return it)\b/i.test(question) && !/\b(how long|when|policy)\b/i.test(question)
  );
}

const REASONS: readonly (readonly [RegExp, RefundReason])[] = [
  [/\b(damaged|broken|leaks?|torn|cracked|defect)/i, 'damaged'],
  [/\b(wrong|instead of)\b/i, 'wrong_item'],
  [/\b(late|too long|never arrived)\b/i, 'late'],
  [/\b(changed my mind|too small|too big|do(n't| not) (need|like|fit))/i, 'changed_mind'],
];

function reasonIn(question: string): RefundReason {
  return REASONS.find(([words]) => words.test(question))?.[1] ?? 'other';
}

/** What a help search would be for, the likeliest query first. */
const TOPICS: readonly { readonly words: RegExp; readonly queries: readonly [string, ...string[]] }[] = [
  {
    words: /\b(how long|when)\b.*\b(refund|money)\b/i,
    queries: ['refund duration', 'how long does a refund take', 'refund bank days'],
  },
  { words: /\b(warranty|guarantee)\b/i, queries: ['warranty', 'warranty period', 'how long is the warranty'] },
  { words: /\b(shipping|ship|postage)\b/i, queries: ['shipping cost', 'shipping abroad cost', 'postage'] },
  { words: /\b(returns?|exchange)\b/i, queries: ['return an item', 'returns period', 'exchange or return'] },
];

function lastOrderId(question: string): string[] {
  return question.match(ORDER_ID)?.slice(-1) ?? [];
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
