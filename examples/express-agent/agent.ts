import type { Message } from 'agent-replay/endpoint';
import { offered, tools } from './tools.ts';
import { traced } from './tracing.ts';

const { MODEL_BASE_URL, MODEL_API_KEY, MODEL = 'desk-1', SVC_AGENT_ID = 'desk' } = process.env;

/** More steps than any question of ours needs: a model that goes round in circles stops here. */
const MAX_STEPS = 8;

const SYSTEM = `You are the order desk of Fernhill Outdoor, a shop for camping and hiking gear.
Look an order up before you say anything about it, and answer other questions from the help articles.`;

const TEMPERATURE = 0;

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Said {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
}
/** What the chat-completions protocol takes: recorded messages as they came, and those of this turn. */
type ChatMessage = Message | Said;

/** Takes one turn of a conversation and returns the answer. Chats and replays both come through here. */
export function takeTurn(sessionId: string, conversation: readonly Message[]): Promise<string> {
  const metadata = {
    'session.id': sessionId,
    'langfuse.trace.metadata.agent_id': SVC_AGENT_ID,
    'langfuse.trace.metadata.session_id': sessionId,
  };
  const question = conversation.at(-1)?.content;
  return traced(
    'desk-turn',
    { 'gen_ai.operation.name': 'invoke_agent', 'langfuse.observation.input': question, ...metadata },
    () => answer([{ role: 'system', content: SYSTEM }, ...conversation]),
    (output) => ({ 'langfuse.observation.output': output }),
  );
}

async function answer(messages: ChatMessage[]): Promise<string> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const said = await askModel(messages);
    if (said.tool_calls === undefined) return said.content ?? '';
    const results = await Promise.all(said.tool_calls.map(callTool));
    messages.push(said, ...results);
  }
  throw new Error(`No answer after ${MAX_STEPS} steps.`);
}

function askModel(messages: readonly ChatMessage[]): Promise<Said> {
  return traced(
    `chat ${MODEL}`,
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.temperature': TEMPERATURE,
      'gen_ai.input.messages': messages,
      'gen_ai.tool.definitions': offered,
    },
    async () => {
      const response = await fetch(`${MODEL_BASE_URL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_API_KEY}` },
        body: JSON.stringify({ model: MODEL, temperature: TEMPERATURE, messages, tools: offered }),
      });
      if (!response.ok) throw new Error(`The model answered ${response.status}.`);
      const { choices } = (await response.json()) as { choices: { message: Said }[] };
      const [first] = choices;
      if (first === undefined) throw new Error('The model answered nothing.');
      return first.message;
    },
    (message) => ({ 'gen_ai.output.messages': [message] }),
  );
}

/** A tool that fails is told to the model, which tells the customer. */
async function callTool({ id, function: { name, arguments: args } }: ToolCall): Promise<Message> {
  const run = () =>
    traced(
      `execute_tool ${name}`,
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.call.arguments': args,
      },
      async () => {
        const tool = tools[name];
        if (tool === undefined) throw new Error(`There is no tool ${name}.`);
        return tool(JSON.parse(args));
      },
      (result) => ({ 'gen_ai.tool.call.result': result }),
    );
  const content = await run().then(JSON.stringify, (error: Error) => error.message);
  return { role: 'tool', tool_call_id: id, content };
}
