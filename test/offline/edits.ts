import path from 'node:path';
import type { Edit } from './project.ts';

/** What an edit does to the agent: nothing; its code does something else; or only its model can say. */
type Does = 'nothing' | 'code' | 'model';

export type PlantedEdit = readonly [name: string, does: Does, edit: Edit, told?: RegExp];

interface EditedAgent {
  readonly example: string;
  readonly start: string;
  readonly env?: Readonly<Record<string, string>>;
  /** They only read, so their code is tested, too. */
  readonly reads: readonly string[];
  /** The edit, what it does, and how a run without a model tells it. */
  readonly edits: readonly PlantedEdit[];
}

/** Settings with which only these tools act. */
export function withTools({ reads }: Pick<EditedAgent, 'reads'>): object {
  const live = Object.fromEntries(reads.map((name) => [name, { replay: 'live' }]));
  return { tools: { '*': { replay: 'recorded' }, ...live } };
}

const node = `"${process.execPath}" server.ts`;
const answer = /✘ \S+ (?:did|said) (?:turn|step) \d+ answer\b/;
const prompt = /its system prompt differs/;
const tools = /its tools? .*differ/;

export const AGENTS: readonly EditedAgent[] = [
  {
    example: 'support-agent',
    start: node,
    reads: ['search_help_articles', 'get_customer', 'find_orders', 'lookup_order', 'check_refund_policy'],
    edits: [
      ['a comment', 'nothing', ['agent.ts', '/** Takes one turn.', '/** It takes one turn.']],
      ['another name for a variable', 'nothing', ['agent.ts', 'provider', 'models']],
      [
        'a line in the log',
        'nothing',
        ['server.ts', 'const answer = await takeTurn', 'console.log("a turn");\n  const answer = await takeTurn'],
      ],
      [
        'an extracted function',
        'nothing',
        ['shop.ts', 'new Date().toISOString()', '((at: Date) => at.toISOString())(new Date())'],
      ],
      ['keys of a result in another order', 'nothing', ['shop.ts', '({ id, title, text })', '({ text, title, id })']],
      ['a higher limit of steps', 'nothing', ['agent.ts', 'MAX_STEPS = 8', 'MAX_STEPS = 9']],
      ['an answer without its end', 'code', ['agent.ts', 'output: text,', 'output: text.slice(0, -2),'], answer],
      ['an answer in capitals', 'code', ['agent.ts', 'output: text,', 'output: text.toUpperCase(),'], answer],
      [
        'too low a limit of steps',
        'code',
        ['agent.ts', 'MAX_STEPS = 8', 'MAX_STEPS = 1'],
        /small-refund .*refund_order is not called/,
      ],
      [
        'another price in the data',
        'code',
        ['data/orders.json', '"total": ', '"total": 1'],
        /(?:result|outcome) of lookup_order/,
      ],
      [
        'a key left out of a result',
        'code',
        ['shop.ts', '({ id, title, text })', '({ id, title })'],
        /(?:result|outcome) of search_help_articles/,
      ],
      [
        'a policy that allows all',
        'code',
        ['shop.ts', 'if (final_sale) return', 'if (false) return'],
        /final-sale .*result of check_refund_policy/,
      ],
      [
        'orders that are not found',
        'code',
        ['shop.ts', 'order.id === id', 'order.id === id.slice(1)'],
        /(?:result|outcome) of lookup_order/,
      ],
      ['a line of the prompt', 'model', ['prompts/system.md', 'You are', 'You really are'], prompt],
      ['another description of a tool', 'model', ['tools.ts', 'Look up one order', 'Find one order'], tools],
      ['another schema of a tool', 'model', ['tools.ts', "'wrong_item', ", "'wrong_item', 'lost', "], tools],
      ['another model', 'model', ['settings.ts', "'support-1'", "'support-2'"], /its model differs/],
      [
        'a higher temperature',
        'model',
        ['settings.ts', 'max(2).default(0)', 'max(2).default(0.5)'],
        /its temperature differs/,
      ],
      [
        'one more tool',
        'model',
        [
          'tools.ts',
          '    find_orders: tool',
          '    find_order: tool({ description: "One", inputSchema: z.object({}) }),\n    find_orders: tool',
        ],
        tools,
      ],
    ],
  },
  {
    example: 'hono-agent',
    start: node,
    reads: ['search_help_articles'],
    edits: [
      ['a comment', 'nothing', ['agent.ts', '/** Takes one turn', '/** This takes one turn']],
      ['another name for a variable', 'nothing', ['agent.ts', 'piece', 'part']],
      [
        'pieces that are gathered first',
        'nothing',
        ['agent.ts', 'output += piece;', 'output = [output, piece].join("");'],
      ],
      ['only the last piece', 'code', ['agent.ts', 'output += piece', 'output = piece'], answer],
      ['pieces that are trimmed', 'code', ['agent.ts', 'output += piece', 'output += piece.trim()'], answer],
      [
        'another text of an article',
        'code',
        ['agent.ts', 'in 30 days', 'in 14 days'],
        /(?:result|outcome) of search_help_articles/,
      ],
      [
        'a search that finds nothing',
        'code',
        ['agent.ts', 'query.includes(word)', 'query === word'],
        /(?:result|outcome) of search_help_articles/,
      ],
      ['a higher limit of steps', 'nothing', ['agent.ts', 'MAX_STEPS = 6', 'MAX_STEPS = 7']],
      ['a greeting first', 'code', ['agent.ts', "let output = ''", "let output = 'Hello. '"], answer],
      [
        'another title of an article',
        'code',
        ['agent.ts', "'Returns and exchanges'", "'Returns'"],
        /(?:result|outcome) of search_help_articles/,
      ],
      ['another line of the prompt', 'model', ['agent.ts', 'hand complaints over', 'hand all complaints over'], prompt],
      ['another model', 'model', ['agent.ts', "MODEL = 'desk-1'", "MODEL = 'desk-2'"], /its model differs/],
      [
        'another description of a tool',
        'model',
        ['agent.ts', 'Search the help articles', 'Search help articles'],
        tools,
      ],
      ['a line of the prompt', 'model', ['agent.ts', 'You are the night desk', 'You are a night desk'], prompt],
      ['a priority less', 'model', ['agent.ts', "['normal', 'high']", "['normal', 'high', 'low']"], tools],
      [
        'a higher temperature',
        'model',
        ['agent.ts', 'temperature: 0,', 'temperature: 0.3,'],
        /its temperature differs/,
      ],
    ],
  },
  {
    example: 'express-agent',
    start: node,
    reads: ['lookup_order', 'search_help_articles'],
    edits: [
      ['a comment', 'nothing', ['agent.ts', '/** A tool that fails', '/** Any tool that fails']],
      ['another name for a function', 'nothing', ['agent.ts', 'askModel', 'asked']],
      [
        'tools one after another',
        'nothing',
        [
          'agent.ts',
          'await Promise.all(said.tool_calls.map(callTool))',
          'await said.tool_calls.reduce(async (done: Promise<Message[]>, call) => [...(await done), await callTool(call)], Promise.resolve([]))',
        ],
      ],
      [
        'an answer cut short',
        'code',
        ['agent.ts', "return said.content ?? ''", "return (said.content ?? '').slice(0, 20)"],
        answer,
      ],
      [
        'only the first of parallel calls',
        'code',
        ['agent.ts', 'said.tool_calls.map(callTool)', 'said.tool_calls.slice(0, 1).map(callTool)'],
        /two-parcels .*result of lookup_order/,
      ],
      [
        'arguments in lower case',
        'code',
        ['agent.ts', 'tool(JSON.parse(args))', 'tool(JSON.parse(args.toLowerCase()))'],
        /(?:result|outcome) of lookup_order/,
      ],
      [
        'another message of an error',
        'code',
        ['tools.ts', 'There is no order', 'No order'],
        /unknown-order .*outcome of lookup_order/,
      ],
      [
        'a history without its start',
        'model',
        [
          'agent.ts',
          'body: JSON.stringify({ model: MODEL, temperature: TEMPERATURE, messages,',
          'body: JSON.stringify({ model: MODEL, temperature: TEMPERATURE, messages: messages.slice(1),',
        ],
        prompt,
      ],
      ['a higher limit of steps', 'nothing', ['agent.ts', 'MAX_STEPS = 8', 'MAX_STEPS = 9']],
      ['another name for a variable', 'nothing', ['agent.ts', 'results', 'outcomes']],
      [
        'orders that are not found',
        'code',
        ['tools.ts', 'id === order_id', `id === \`\${order_id}0\``],
        /(?:result|outcome) of lookup_order/,
      ],
      ['another model', 'model', ['agent.ts', "MODEL = 'desk-1'", "MODEL = 'desk-2'"], /its model differs/],
      [
        'a higher temperature',
        'model',
        ['agent.ts', 'TEMPERATURE = 0;', 'TEMPERATURE = 0.5;'],
        /its temperature differs/,
      ],
      ['another description of a tool', 'model', ['tools.ts', 'Look up one order:', 'Find one order:'], tools],
      ['a line of the prompt', 'model', ['agent.ts', 'You are the order desk', 'You are an order desk'], prompt],
      ['a tool less', 'model', ['tools.ts', '].map((definition) =>', '].slice(0, 1).map((definition) =>'], tools],
    ],
  },
  {
    example: 'python-agent',
    start: 'python3 server.py',
    env: { PYTHONPATH: path.join(import.meta.dirname, '../../python/src'), PYTHONDONTWRITEBYTECODE: '1' },
    reads: ['lookup_order', 'search_help_articles'],
    edits: [
      ['a comment', 'nothing', ['agent.py', '"""A tool that fails', '"""Any tool that fails']],
      ['another name for a variable', 'nothing', ['agent.py', 'said', 'told']],
      [
        'an answer in capitals',
        'code',
        ['agent.py', 'return said["content"]', 'return said["content"].upper()'],
        answer,
      ],
      [
        'another delivery in the data',
        'code',
        ['agent.py', '2026-11-24', '2026-12-24'],
        /rain-jacket .*result of lookup_order/,
      ],
      [
        'a result without the id',
        'code',
        ['agent.py', '{"id": order_id, **ORDERS', '{**ORDERS'],
        /(?:result|outcome) of lookup_order/,
      ],
      ['a higher limit of steps', 'nothing', ['agent.py', 'MAX_STEPS = 8', 'MAX_STEPS = 9']],
      [
        'a line in the log',
        'nothing',
        ['agent.py', '            answer = work(', '            print("a turn")\n            answer = work('],
      ],
      [
        'another text of an article',
        'code',
        ['agent.py', 'warranty of 3 years', 'warranty of 2 years'],
        /(?:result|outcome) of search_help_articles/,
      ],
      ['an answer cut short', 'code', ['agent.py', 'return said["content"]', 'return said["content"][:20]'], answer],
      [
        'another message of an error',
        'code',
        ['agent.py', 'There is no order', 'No order'],
        /unknown-order .*outcome of lookup_order/,
      ],
      ['another model', 'model', ['agent.py', '"MODEL", "desk-1"', '"MODEL", "desk-2"'], /its model differs/],
      ['another description of a tool', 'model', ['agent.py', 'Search the help articles.', 'Search articles.'], tools],
      [
        'a history without its start',
        'model',
        ['agent.py', '"messages": messages, "tools"', '"messages": messages[1:], "tools"'],
        prompt,
      ],
      ['a line of the prompt', 'model', ['agent.py', 'You are the order desk', 'You are an order desk'], prompt],
      [
        'a higher temperature',
        'model',
        ['agent.py', 'TEMPERATURE = 0', 'TEMPERATURE = 0.7'],
        /its temperature differs/,
      ],
    ],
  },
];
