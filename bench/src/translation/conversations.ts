import type { CallerFormat } from '../load/caller-format';
import { type Directive, QUESTION, SYSTEM, withDirective } from '../prompts';

/** A turn independent of a format. A tool call is followed by its result. */
type Turn =
  | { readonly user: string }
  | { readonly assistant: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly input: object } }
  | { readonly id: string; readonly result: string };

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

export interface Conversation {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
}

const RULES = [
  'You are the assistant of a shop for tools and spare parts. Customers ask you about their orders.',
  'Look an order up before you speak of it. Never guess a number, a date or a state: say what you have looked up.',
  'Prices are in euros and include tax. Quote them as they stand in the order, with two decimals.',
  'A parcel that is late by more than five working days may be sent again once; after that a human decides.',
  'Refunds go back to the means of payment. Tell the customer that the bank may take three working days.',
  'Do not promise what the shop has not promised. If the customer is angry, stay calm, be brief, be exact.',
  'Answer in the language of the question. Use short sentences, no lists unless there are more than three things.',
  'When something is ambiguous, ask one question rather than several, and say why you ask it.',
  'Personal data of other customers is never shown. If an order belongs to someone else, say it was not found.',
];
const SYSTEM_PARTS = 3;

const TOOLS: readonly Tool[] = [
  {
    name: 'find_order',
    description:
      'Looks an order up by its number, with its items, its payments and the state of each parcel.',
    schema: object({ number: text('The number as the customer wrote it'), with_items: { type: 'boolean' } }, [
      'number',
    ]),
  },
  {
    name: 'track_parcel',
    description: 'Where a parcel was seen last, and when it is expected.',
    schema: object(
      {
        carrier: { type: 'string', enum: ['post', 'express', 'freight'] },
        code: text('As printed on the label'),
        since: { type: 'string', format: 'date-time', description: 'Leaves out older events' },
      },
      ['carrier', 'code'],
    ),
  },
  {
    name: 'send_again',
    description: 'Sends items of an order again at no cost. Only after the customer has agreed.',
    schema: object(
      {
        number: text('Of the order'),
        items: {
          type: 'array',
          minItems: 1,
          items: object({ sku: text('Of the item'), count: { type: 'integer', minimum: 1 } }, ['sku']),
        },
        address: object(
          { street: text('With its number'), city: text('Its name'), code: text('Postal') },
          [],
        ),
      },
      ['number', 'items'],
    ),
  },
];

const SMALL_TALK = [
  ['Hello, is this the right place to ask about a delivery?', 'Yes. Which order is it about?'],
  [
    'I have two of them, one from March and one from this month.',
    'Which of the two do you want to start with?',
  ],
  ['The newer one. The older one came, but a screw was missing.', 'I can look at both, one after the other.'],
  ['Can you also see what I paid? My bank shows another sum.', 'Yes, once I have the number of the order.'],
  [
    'I am looking for it, the mail is somewhere here.',
    'Take your time. It begins with two letters, such as SP.',
  ],
  [
    'It says "SP-20418", and there is a bar code under it.',
    'Thank you. The bar code is not needed for this.',
  ],
  ['And it should have been here on Tuesday, they said.', 'I will check what the carrier has promised.'],
  [
    'The neighbour has nothing either, I asked her twice.',
    'Good that you asked. I will look for the parcel.',
  ],
  [
    'If it is lost I would rather have it sent again than refunded.',
    'I will keep that in mind when I see it.',
  ],
  ['There are four hinges and a box of "M6 × 40" screws in it.', 'I will compare that with the order.'],
  [
    'One more thing: the invoice has my old address on it.',
    'We can correct it after the delivery is settled.',
  ],
  ['All right. Then please look for the parcel first.', 'I am looking the order up now.'],
] as const;

/** Returns a one-line system prompt and one question. */
export function shortConversation(directive: Directive): Conversation {
  return { system: SYSTEM, turns: [{ user: withDirective(QUESTION, directive) }], tools: [] };
}

/** Returns about thirty turns with three tools, of which two were called after the last question. */
export function longConversation(directive: Directive): Conversation {
  return {
    system: Array.from({ length: SYSTEM_PARTS }, (_, part) => `# Part ${part + 1}\n${RULES.join('\n')}`).join(
      '\n\n',
    ),
    turns: [
      ...SMALL_TALK.flatMap(([user, assistant]): Turn[] => [{ user }, { assistant }]),
      { user: withDirective('So where is it?', directive) },
      {
        call: { id: 'call_4pQ1bZ7tXn', name: 'find_order', input: { number: 'SP-20418', with_items: true } },
      },
      { id: 'call_4pQ1bZ7tXn', result: ORDER },
      {
        call: { id: 'call_9sW8mK2dLf', name: 'track_parcel', input: { carrier: 'post', code: 'RR1284 "A"' } },
      },
      { id: 'call_9sW8mK2dLf', result: 'Last seen on Monday at 06:12 in the hub, waiting for a lorry.' },
    ],
    tools: TOOLS,
  };
}

const ORDER = JSON.stringify({
  number: 'SP-20418',
  placed: '2026-11-12T09:41:07Z',
  items: [
    { sku: 'HG-110', name: 'Hinge, steel, 110 mm', count: 4, price: '3.95' },
    { sku: 'SC-M6-40', name: 'Screws M6 × 40, box of 50', count: 1, price: '7.20' },
  ],
  paid: '23.00',
  parcels: [{ carrier: 'post', code: 'RR1284 "A"', state: 'on its way', promised: '2026-11-17' }],
});

/** Returns the request body without its model. */
export function bodyOf(conversation: Conversation, format: CallerFormat): object {
  return format === 'openai' ? openAiBody(conversation) : anthropicBody(conversation);
}

function openAiBody({ system, turns, tools }: Conversation): object {
  return {
    messages: [{ role: 'system', content: system }, ...turns.map(openAiMessage)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
    }),
  };
}

function openAiMessage(turn: Turn): object {
  if ('user' in turn) return { role: 'user', content: turn.user };
  if ('assistant' in turn) return { role: 'assistant', content: turn.assistant };
  if ('result' in turn) return { role: 'tool', tool_call_id: turn.id, content: turn.result };
  const { id, name, input } = turn.call;
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

const MAX_TOKENS = 16_384;

function anthropicBody({ system, turns, tools }: Conversation): object {
  return {
    max_tokens: MAX_TOKENS,
    system,
    messages: turns.map(anthropicMessage),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    }),
  };
}

function anthropicMessage(turn: Turn): object {
  if ('user' in turn) return { role: 'user', content: turn.user };
  if ('assistant' in turn) return { role: 'assistant', content: turn.assistant };
  if ('result' in turn) {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.id, content: turn.result }] };
  }
  return { role: 'assistant', content: [{ type: 'tool_use', ...turn.call }] };
}

function object(properties: object, required: readonly string[]): object {
  return { type: 'object', properties, required };
}

function text(description: string): object {
  return { type: 'string', description };
}
