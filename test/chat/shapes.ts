import type { Json } from '../../src/json/index.ts';

/**
 * One conversation in the shape of each provider, SDK and convention. The system says "Be kind.", the user asks for
 * order 7, the model looks it up, and the user wants a refund. Now the model thinks, says something and asks for the
 * refund. `results` is the same with a lookup that failed.
 */
export interface Shape {
  readonly input: Json;
  readonly output: Json;
  /** The failure of the lookup, as the model got it. */
  readonly failed?: Json;
  /** The last answer, as an output of a turn. */
  readonly answer: Json;
  /** The shape has no ids for calls. */
  readonly noIds?: true;
  readonly noReasoning?: true;
  readonly noSystem?: true;
}

export const SCHEMA = { type: 'object', properties: { order: { type: 'number' } } };
export const ARGS = '{"order":7}';
export const STATE = '{"state":"lost"}';

const chatTool = { type: 'function', function: { name: 'lookup', description: 'Looks up', parameters: SCHEMA } };

export const SHAPES: Readonly<Record<string, Shape>> = {
  'OpenAI chat': {
    input: {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: ARGS } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: STATE },
        { role: 'user', content: 'Refund it.' },
      ],
      tools: [chatTool],
    },
    output: {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            reasoning_content: 'They paid.',
            content: 'One moment.',
            tool_calls: [{ id: 'c2', type: 'function', function: { name: 'refund', arguments: '{"amount":17}' } }],
          },
        },
      ],
    },
    answer: { role: 'assistant', content: 'Done.', refusal: null },
  },
  'OpenAI chat, without types and with arguments as objects (Mistral, Ollama)': {
    input: [
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Where is order 7?' }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: { order: 7 } } }],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'lookup', content: STATE },
      { role: 'user', content: 'Refund it.' },
    ],
    output: {
      role: 'assistant',
      thinking: 'They paid.',
      content: 'One moment.',
      tool_calls: [{ id: 'c2', function: { name: 'refund', arguments: { amount: 17 } } }],
    },
    answer: 'Done.',
  },
  'OpenAI chat of old: function_call': {
    input: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where is order 7?' },
      { role: 'assistant', content: null, function_call: { name: 'lookup', arguments: ARGS } },
      { role: 'function', name: 'lookup', content: STATE },
      { role: 'user', content: 'Refund it.' },
    ],
    output: {
      role: 'assistant',
      content: 'One moment.',
      function_call: { name: 'refund', arguments: '{"amount":17}' },
    },
    answer: { role: 'assistant', content: 'Done.' },
    noIds: true,
    noReasoning: true,
  },
  'OpenAI Responses': {
    input: {
      instructions: 'Be kind.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Where is order 7?' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'lookup', arguments: ARGS },
        { type: 'function_call_output', call_id: 'c1', output: STATE },
        { role: 'user', content: 'Refund it.' },
      ],
      tools: [{ type: 'function', name: 'lookup', description: 'Looks up', parameters: SCHEMA }],
    },
    output: {
      id: 'resp_1',
      object: 'response',
      output: [
        { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 'They paid.' }] },
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'One moment.' }] },
        { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'refund', arguments: '{"amount":17}' },
      ],
    },
    answer: [{ type: 'message', id: 'msg_2', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }],
  },
  'OpenAI Agents SDK': {
    input: [
      { type: 'message', role: 'system', content: 'Be kind.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where is order 7?' }] },
      { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'An order.' }] },
      { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'lookup', status: 'completed', arguments: ARGS },
      {
        type: 'function_call_result',
        callId: 'c1',
        name: 'lookup',
        status: 'completed',
        output: { type: 'text', text: STATE },
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Refund it.' }] },
    ],
    output: [
      { type: 'reasoning', id: 'rs_2', content: [{ type: 'input_text', text: 'They paid.' }] },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'One moment.' }] },
      { type: 'function_call', id: 'fc_2', callId: 'c2', name: 'refund', arguments: '{"amount":17}' },
    ],
    answer: 'Done.',
  },
  Anthropic: {
    input: {
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'An order.', signature: 's' },
            { type: 'tool_use', id: 'c1', name: 'lookup', input: { order: 7 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: STATE }] },
            { type: 'text', text: 'Refund it.' },
          ],
        },
      ],
      tools: [{ name: 'lookup', description: 'Looks up', input_schema: SCHEMA }],
    },
    output: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'They paid.', signature: 's' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool_use', id: 'c2', name: 'refund', input: { amount: 17 } },
      ],
    },
    failed: { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: 'no' },
    answer: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
  },
  'AI SDK 5 to 7: model messages': {
    input: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Where is order 7?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'An order.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', input: { order: 7 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'lookup',
            output: { type: 'json', value: { state: 'lost' } },
          },
        ],
      },
      { role: 'user', content: 'Refund it.' },
    ],
    output: {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'They paid.' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'refund', input: { amount: 17 } },
      ],
    },
    failed: {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'lookup',
      output: { type: 'error-text', value: 'no' },
    },
    answer: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  },
  'AI SDK 4': {
    input: {
      system: 'Be kind.',
      messages: [
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', args: { order: 7 } }],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'lookup', result: { state: 'lost' } }],
        },
        { role: 'user', content: 'Refund it.' },
      ],
    },
    output: {
      text: 'One moment.',
      reasoning: 'They paid.',
      toolCalls: [{ toolCallType: 'function', toolCallId: 'c2', toolName: 'refund', args: '{"amount":17}' }],
    },
    answer: 'Done.',
  },
  'AI SDK: messages for the screen': {
    input: [
      { id: 'm0', role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
      { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Where is order 7?' }] },
      {
        id: 'm2',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          {
            type: 'tool-lookup',
            toolCallId: 'c1',
            state: 'output-available',
            input: { order: 7 },
            output: { state: 'lost' },
          },
        ],
      },
      { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'Refund it.' }] },
    ],
    output: {
      id: 'm4',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'They paid.' },
        { type: 'text', text: 'One moment.' },
        { type: 'dynamic-tool', toolName: 'refund', toolCallId: 'c2', state: 'input-available', input: { amount: 17 } },
      ],
    },
    answer: { id: 'm5', role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] },
  },
  'LangChain: constructors': {
    input: {
      messages: [
        [
          lc('SystemMessage', { content: 'Be kind.' }),
          lc('HumanMessage', { content: 'Where is order 7?', id: 'h1' }),
          lc('AIMessage', {
            content: '',
            tool_calls: [{ name: 'lookup', args: { order: 7 }, id: 'c1', type: 'tool_call' }],
          }),
          lc('ToolMessage', { content: STATE, tool_call_id: 'c1', name: 'lookup', status: 'success' }),
          lc('HumanMessage', { content: 'Refund it.' }),
        ],
      ],
    },
    output: {
      generations: [
        [
          {
            text: 'One moment.',
            message: lc('AIMessageChunk', {
              content: [
                { type: 'reasoning', reasoning: 'They paid.' },
                { type: 'text', text: 'One moment.' },
                { type: 'tool_use', id: 'c2', name: 'refund', input: { amount: 17 } },
              ],
              tool_calls: [{ name: 'refund', args: { amount: 17 }, id: 'c2', type: 'tool_call' }],
              additional_kwargs: {
                tool_calls: [{ id: 'c2', function: { name: 'refund', arguments: '{"amount":17}' } }],
              },
            }),
          },
        ],
      ],
    },
    answer: { messages: [lc('HumanMessage', { content: 'Refund it.' }), lc('AIMessage', { content: 'Done.' })] },
  },
  'LangChain: stored, and as Python dumps it': {
    input: [
      { type: 'system', data: { content: 'Be kind.' } },
      { type: 'human', data: { content: 'Where is order 7?' } },
      { type: 'ai', content: '', tool_calls: [{ name: 'lookup', args: { order: 7 }, id: 'c1' }] },
      { type: 'tool', content: STATE, tool_call_id: 'c1', status: 'success' },
      { type: 'human', data: { content: 'Refund it.' } },
    ],
    output: {
      type: 'ai',
      data: {
        content: 'One moment.',
        additional_kwargs: {
          reasoning_content: 'They paid.',
          tool_calls: [{ id: 'c2', type: 'function', function: { name: 'refund', arguments: '{"amount":17}' } }],
        },
      },
    },
    answer: { type: 'ai', content: 'Done.', tool_calls: [] },
    noReasoning: true,
  },
  "LangChain: Langfuse's handler, which writes the tool's name as the role": {
    input: {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is order 7?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: ARGS } }],
        },
        { role: 'lookup', content: STATE, additional_kwargs: {} },
        { role: 'user', content: 'Refund it.' },
      ],
      tools: [chatTool],
    },
    output: {
      role: 'assistant',
      content: 'One moment.',
      tool_calls: [{ id: 'c2', type: 'function', function: { name: 'refund', arguments: '{"amount":17}' } }],
    },
    answer: {
      messages: [
        { role: 'user', content: 'Refund it.' },
        { role: 'assistant', content: 'Done.' },
      ],
    },
    noReasoning: true,
  },
  'Gemini, ADK': {
    input: {
      model: 'gemini',
      contents: [
        { role: 'user', parts: [{ text: 'Where is order 7?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'lookup', args: { order: 7 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { state: 'lost' } } }] },
        { role: 'user', parts: [{ text: 'Refund it.' }] },
      ],
      config: {
        systemInstruction: { parts: [{ text: 'Be kind.' }] },
        tools: [{ functionDeclarations: [{ name: 'lookup', description: 'Looks up', parameters: SCHEMA }] }],
      },
    },
    output: {
      candidates: [
        {
          finishReason: 'STOP',
          content: {
            role: 'model',
            parts: [
              { text: 'They paid.', thought: true },
              { text: 'One moment.' },
              { functionCall: { name: 'refund', args: { amount: 17 } } },
            ],
          },
        },
      ],
    },
    answer: { content: { role: 'model', parts: [{ text: 'Done.' }] } },
    noIds: true,
  },
  'Bedrock Converse, Strands': {
    input: {
      system: [{ text: 'Be kind.' }],
      messages: [
        { role: 'user', content: [{ text: 'Where is order 7?' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'lookup', input: { order: 7 } } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', status: 'success', content: [{ json: { state: 'lost' } }] } },
            { text: 'Refund it.' },
          ],
        },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: 'lookup', description: 'Looks up', inputSchema: { json: SCHEMA } } }],
      },
    },
    output: {
      stopReason: 'tool_use',
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'They paid.', signature: 's' } } },
            { text: 'One moment.' },
            { toolUse: { toolUseId: 'c2', name: 'refund', input: { amount: 17 } } },
          ],
        },
      },
    },
    failed: { toolResult: { toolUseId: 'c1', status: 'error', content: [{ text: 'no' }] } },
    answer: { output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } } },
  },
  Genkit: {
    input: {
      messages: [
        { role: 'system', content: [{ text: 'Be kind.' }] },
        { role: 'user', content: [{ text: 'Where is order 7?' }] },
        { role: 'model', content: [{ toolRequest: { name: 'lookup', ref: 'c1', input: { order: 7 } } }] },
        { role: 'tool', content: [{ toolResponse: { name: 'lookup', ref: 'c1', output: { state: 'lost' } } }] },
        { role: 'user', content: [{ text: 'Refund it.' }] },
      ],
      tools: [{ name: 'lookup', description: 'Looks up', inputSchema: SCHEMA }],
    },
    output: {
      finishReason: 'stop',
      message: {
        role: 'model',
        content: [
          { reasoning: 'They paid.' },
          { text: 'One moment.' },
          { toolRequest: { name: 'refund', ref: 'c2', input: { amount: 17 } } },
        ],
      },
    },
    answer: { message: { role: 'model', content: [{ text: 'Done.' }] } },
  },
  'Pydantic AI': {
    input: [
      {
        kind: 'request',
        parts: [
          { part_kind: 'system-prompt', content: 'Be kind.' },
          { part_kind: 'user-prompt', content: 'Where is order 7?' },
        ],
      },
      {
        kind: 'response',
        parts: [{ part_kind: 'tool-call', tool_name: 'lookup', args: ARGS, tool_call_id: 'c1' }],
      },
      {
        kind: 'request',
        parts: [
          { part_kind: 'tool-return', tool_name: 'lookup', content: { state: 'lost' }, tool_call_id: 'c1' },
          { part_kind: 'user-prompt', content: 'Refund it.' },
        ],
      },
    ],
    output: {
      kind: 'response',
      parts: [
        { part_kind: 'thinking', content: 'They paid.' },
        { part_kind: 'text', content: 'One moment.' },
        { part_kind: 'tool-call', tool_name: 'refund', args: { amount: 17 }, tool_call_id: 'c2' },
      ],
    },
    answer: 'Done.',
  },
  Logfire: {
    input: [
      { 'event.name': 'gen_ai.system.message', role: 'system', content: 'Be kind.' },
      { 'event.name': 'gen_ai.user.message', role: 'user', content: 'Where is order 7?' },
      {
        'event.name': 'gen_ai.assistant.message',
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: ARGS } }],
      },
      { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'c1', name: 'lookup', content: STATE },
      { 'event.name': 'gen_ai.user.message', role: 'user', content: 'Refund it.' },
    ],
    output: {
      'event.name': 'gen_ai.choice',
      index: 0,
      message: {
        role: 'assistant',
        content: 'One moment.',
        tool_calls: [{ id: 'c2', type: 'function', function: { name: 'refund', arguments: '{"amount":17}' } }],
      },
    },
    answer: 'Done.',
    noReasoning: true,
  },
  'OpenTelemetry GenAI': {
    input: {
      messages: [
        { role: 'system', parts: [{ type: 'text', content: 'Be kind.' }] },
        { role: 'user', parts: [{ type: 'text', content: 'Where is order 7?' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'lookup', arguments: { order: 7 } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { state: 'lost' } }] },
        { role: 'user', parts: [{ type: 'text', content: 'Refund it.' }] },
      ],
      tools: [{ type: 'function', name: 'lookup', description: 'Looks up', parameters: SCHEMA }],
    },
    output: [
      {
        role: 'assistant',
        finish_reason: 'tool_call',
        parts: [
          { type: 'reasoning', content: 'They paid.' },
          { type: 'text', content: 'One moment.' },
          { type: 'tool_call', id: 'c2', name: 'refund', arguments: { amount: 17 } },
        ],
      },
    ],
    answer: [{ role: 'assistant', parts: [{ type: 'text', content: 'Done.' }], finish_reason: 'stop' }],
  },
  OpenInference: {
    input: [
      { message: { role: 'system', content: 'Be kind.' } },
      { message: { role: 'user', contents: [{ message_content: { type: 'text', text: 'Where is order 7?' } }] } },
      {
        message: {
          role: 'assistant',
          tool_calls: [{ tool_call: { id: 'c1', function: { name: 'lookup', arguments: ARGS } } }],
        },
      },
      { message: { role: 'tool', tool_call_id: 'c1', content: STATE } },
      { message: { role: 'user', content: 'Refund it.' } },
    ],
    output: [
      {
        message: {
          role: 'assistant',
          content: 'One moment.',
          tool_calls: [{ tool_call: { id: 'c2', function: { name: 'refund', arguments: '{"amount":17}' } } }],
        },
      },
    ],
    answer: [{ message: { role: 'assistant', content: 'Done.' } }],
    noReasoning: true,
  },
  'OpenLLMetry, flattened': {
    input: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where is order 7?' },
      { role: 'assistant', tool_calls: [{ id: 'c1', name: 'lookup', arguments: ARGS }] },
      { role: 'tool', tool_call_id: 'c1', content: STATE },
      { role: 'user', content: 'Refund it.' },
    ],
    output: [
      {
        role: 'assistant',
        content: 'One moment.',
        finish_reason: 'tool_calls',
        tool_calls: [{ id: 'c2', name: 'refund', arguments: '{"amount":17}' }],
      },
    ],
    answer: 'Done.',
    noReasoning: true,
  },
  'LiveKit: a chat context': {
    input: {
      items: [
        { type: 'message', role: 'system', content: ['Be kind.'] },
        { type: 'message', role: 'user', content: ['Where is order 7?'] },
        { type: 'function_call', call_id: 'c1', name: 'lookup', arguments: ARGS },
        { type: 'function_call_output', call_id: 'c1', name: 'lookup', output: STATE, is_error: false },
        { type: 'message', role: 'user', content: ['Refund it.'] },
      ],
    },
    output: {
      role: 'assistant',
      content: 'One moment.',
      tool_calls: [{ type: 'function_call', call_id: 'c2', name: 'refund', arguments: '{"amount":17}' }],
    },
    answer: 'Done.',
    noReasoning: true,
  },
};

function lc(name: string, kwargs: { [key: string]: Json }): Json {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs };
}
