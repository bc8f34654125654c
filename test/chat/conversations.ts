import type { Message } from '../../src/chat/index.ts';
import type { AssistantMessage, Part } from '../../src/chat/message.ts';
import fc from '../fast-check.ts';

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((each) => each.trim() !== '');
/** A text that is not JSON, like most of what people and models say. */
const plain = text.filter((each) => !/^\s*[[{"]/.test(each));
const word = fc.stringMatching(/^[a-z]\w{0,8}$/);
const object = fc.dictionary(word, fc.oneof(plain, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 });

const image = fc.constantFrom<Part>(
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
);

const user = fc.oneof(
  plain.map((content): Message => ({ role: 'user', content })),
  fc
    .tuple(plain, image)
    .map(([said, part]): Message => ({ role: 'user', content: [{ type: 'text', text: said }, part] })),
);

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
}
const call: fc.Arbitrary<Call> = fc.record({
  name: word,
  args: object,
  result: fc.oneof(
    plain,
    object.map((each) => JSON.stringify(each)),
  ),
});

/** What the assistant says, with the calls that it makes and their results. */
const answered = fc.tuple(fc.option(plain), fc.array(call, { maxLength: 3 }));

/** Conversations that are well-formed: each call is answered, and the user speaks first and last. */
export const conversations: fc.Arbitrary<Message[]> = fc
  .tuple(fc.option(plain), fc.array(fc.tuple(user, answered, plain), { maxLength: 3 }), user)
  .map(([system, turns, last]) => {
    let count = 0;
    const messages: Message[] = system === null ? [] : [{ role: 'system', content: system }];
    for (const [asked, [said, calls], answer] of turns) {
      messages.push(asked);
      if (calls.length > 0) {
        const made = calls.map((each) => ({ ...each, id: `call_${++count}` }));
        const message: AssistantMessage = {
          role: 'assistant',
          content: said,
          tool_calls: made.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        };
        messages.push(message);
        for (const { id, name, result } of made) {
          messages.push({ role: 'tool', tool_call_id: id, name, content: result });
        }
      }
      messages.push({ role: 'assistant', content: answer });
    }
    return [...messages, last];
  });
