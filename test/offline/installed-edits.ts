import type { PlantedEdit } from './edits.ts';
import type { InstalledAgent } from './installed.ts';
import type { Edit } from './project.ts';

interface EditedAgent extends InstalledAgent {
  readonly edits: readonly PlantedEdit[];
  /** Other releases of what it is built with. */
  readonly bumps?: readonly string[];
}

const prompt = /its system prompt differs/;
const tools = /its tools? .*differ/;
const inAgent = (from: string, to: string): Edit => ['agent.js', from, to];

/** What can be edited in the same words in all of them. */
const SHARED: readonly PlantedEdit[] = [
  ['a comment', 'nothing', inAgent('/** Takes one turn.', '/** It takes one turn.')],
  ['another name for a variable', 'nothing', inAgent('conversations', 'kept')],
  [
    'another name for a function',
    'nothing',
    inAgent("const tracer = trace.getTracer('shop')", "const spans = () => 1;\nconst tracer = trace.getTracer('shop')"),
  ],
  ['an extracted function', 'nothing', inAgent("'a ticket is open'", "((text) => text)('a ticket is open')")],
  ['another description of a tool', 'model', inAgent('Looks an order up', 'Finds an order'), tools],
  ['a limit in the prompt', 'model', inAgent('up to 200 EUR', 'up to 100 EUR'), prompt],
];

/** Those of the two agents whose tools are the same. */
const OF_SHOP: readonly PlantedEdit[] = [
  ['another price in the data', 'code', inAgent('?? 120', '?? 130'), /result of lookup/],
  [
    'one more key in a result',
    'code',
    inAgent('{ order, amount:', "{ order, state: 'sent', amount:"),
    /result of lookup/,
  ],
  ['another text of a result', 'code', inAgent("'refunded'", "'paid back'"), /result of refund/],
  [
    'a price as a text',
    'code',
    inAgent('amount: Number(process.env.SHOP_AMOUNT ?? 120)', "amount: '120'"),
    /result of lookup/,
  ],
  ['a line of the prompt', 'model', inAgent('a kind shop assistant', 'a rude shop assistant'), prompt],
];

export const INSTALLED_AGENTS: readonly EditedAgent[] = [
  {
    name: 'openai-agents',
    own: 'openai-agents/agent.js',
    edits: [
      ...SHARED.filter(([name]) => name !== 'another name for a function'),
      [
        'a line in the log',
        'nothing',
        inAgent('  const { finalOutput } = await', "  console.log('a turn');\n  const { finalOutput } = await"),
      ],
      ['another name for an agent', 'nothing', inAgent('orderDesk', 'desk')],
      ['a copy of the messages', 'nothing', inAgent('run(shop, messages)', 'run(shop, [...messages])')],
      ['another price in the data', 'code', inAgent('AMOUNT = 120', 'AMOUNT = 130'), /result of lookup/],
      ['a key left out of a result', 'code', inAgent(", state: 'sent'", ''), /result of lookup/],
      [
        'another text of a result',
        'code',
        inAgent(`\`refunded \${amount} EUR\``, `\`refunded \${amount}\``),
        /result of refund/,
      ],
      ['a price as a text', 'code', inAgent('amount: AMOUNT', 'amount: String(AMOUNT)'), /result of lookup/],
      [
        'one cent too much',
        'code',
        inAgent(`\`refunded \${amount} EUR\``, `\`refunded \${amount + 0.01} EUR\``),
        /result of refund/,
      ],
      ['a line of the first prompt', 'model', inAgent('Hand each question over', 'Give each question over'), prompt],
      ['a line of a sub-agent’s prompt', 'model', inAgent('You know every order', 'You know all orders'), prompt],
      ['a line of another one’s prompt', 'model', inAgent('kind to every guest', 'rude to every guest'), prompt],
      ['what a sub-agent is for', 'model', inAgent("'Refunds orders'", "'Pays orders back'"), tools],
      ['one more tool of a sub-agent', 'model', inAgent('tools: [lookup]', 'tools: [lookup, create_ticket]'), tools],
      ['another schema of a tool', 'model', inAgent('amount: z.number()', 'amount: z.number().describe("EUR")'), tools],
      ['another model', 'model', inAgent("'gpt-5-mini'", "'gpt-5-nano'"), /its model differs/],
    ],
  },
  {
    name: 'anthropic-sdk',
    altered: inAgent('system: SYSTEM', `system: \`\${SYSTEM}\nIt is \${new Date().toISOString()}.\``),
    env: { SHOP_STREAMS: '1' },
    bumps: ['@anthropic-ai/sdk@0.70.0', '@anthropic-ai/sdk@latest'],
    edits: [
      ...SHARED,
      ...OF_SHOP,
      [
        'a line in the log',
        'nothing',
        inAgent('  return textOf((await', "  console.log('a turn');\n  return textOf((await"),
      ],
      ['messages that are sliced', 'nothing', inAgent('[...messages]', 'messages.slice()')],
      ['a clock of its own', 'nothing', inAgent('new Date()', 'new Date(Date.now())')],
      [
        'tools one after another',
        'nothing',
        inAgent('await Promise.all(content.filter', 'await Array.fromAsync(content.filter'),
      ],
      [
        'an end after the first tools',
        'code',
        inAgent('if (results.length === 0)', 'if (all.length > 1)'),
        /nothing else .*end of the turn/,
      ],
      [
        'an order that is unknown',
        'code',
        inAgent('lookup: async ({ order }) =>', "lookup: async ({ order }) => order === '7' ? 'unknown' :"),
        /result of lookup/,
      ],
      ['another model', 'model', inAgent('claude-haiku-4-5', 'claude-sonnet-4-5'), /its model differs/],
      ['more tokens', 'model', inAgent('max_tokens: 1_000', 'max_tokens: 2_000'), /its max_tokens differs/],
      [
        'one more tool',
        'model',
        inAgent('const tools = [', "const tools = [\n  declared('wave', 'Says goodbye', order),"),
        tools,
      ],
      ['another schema of a tool', 'model', inAgent("{ type: 'number' }", "{ type: 'integer' }"), tools],
      [
        'a history without its start',
        'model',
        inAgent('[...messages]', 'messages.slice(-1)'),
        /its message 1 \(user\) differs/,
      ],
    ],
  },
  { name: 'openai-sdk', bumps: ['openai@6', 'openai@latest'], edits: [] },
  {
    name: 'langgraph',
    edits: [
      ...SHARED.filter(([name]) => name !== 'another name for a function'),
      ...OF_SHOP,
      [
        'a line in the log',
        'nothing',
        inAgent(
          '  const state = await answer(messages);',
          "  console.log('a turn');\n  const state = await answer(messages);",
        ),
      ],
      ['a copy of the messages', 'nothing', inAgent('invoke({ messages }', 'invoke({ messages: [...messages] }')],
      [
        'a tool less',
        'model',
        inAgent('createReactAgent({ llm, tools,', 'createReactAgent({ llm, tools: tools.slice(0, 2),'),
        tools,
      ],
      ['another model', 'model', inAgent("'gpt-5-mini'", "'gpt-5-nano'"), /its model differs/],
      [
        'a history without its start',
        'model',
        inAgent('invoke({ messages }', 'invoke({ messages: messages.slice(-1) }'),
        /its message 1 \(user\) differs/,
      ],
    ],
  },
];
