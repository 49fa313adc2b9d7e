import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { callWith } from '../app/recorded-call.fixture';
import type { ChatProvider } from '../domain/chat-provider';
import { recordedMessages } from './bedrock/messages.fixture';
import { KINDS } from './connect-provider';
import { type ReceivedReply, readAsAnthropic, readAsOpenAi } from './received-reply.fixture';
import { END, type Finish, LENGTH, REFUSAL, TOOL_CALLS } from './recorded-replies.fixture';

const ACCESS = { baseUrl: 'http://provider.invalid/v1', apiKey: 'k', options: {} };
const quota = new Quota({ limit: 1_000_000 });
const PROVIDERS: Readonly<Record<string, ChatProvider>> = {
  openai: KINDS.openai({ ...ACCESS, id: 'compatible' }, quota),
  anthropic: KINDS.anthropic({ ...ACCESS, id: 'anthropic' }, quota),
  gemini: KINDS.gemini({ ...ACCESS, id: 'gemini' }),
  cohere: KINDS.cohere({ ...ACCESS, id: 'cohere' }),
  bedrock: KINDS.bedrock({ ...ACCESS, id: 'bedrock', options: { region: 'us-east-1' } }),
};

/** What a reply of the test contains. */
type Content = 'text' | 'call' | 'nothing';

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const sse = (...data: object[]): Buffer =>
  Buffer.from(data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
const named = (...data: { type: string }[]): Buffer =>
  Buffer.from(data.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''));

/** Replies of each format that end with a reason. */
const REPLIES: Readonly<
  Record<string, (reason: string | null, content: Content, streamed: boolean) => Buffer>
> = {
  openai(reason, content, streamed) {
    const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":"sea"}' } };
    const said = {
      text: { content: 'Blue.' },
      call: { content: null, tool_calls: [streamed ? { index: 0, ...call } : call] },
      nothing: { content: '' },
    }[content];
    const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
    const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: reason }];
    if (!streamed) return json({ id: 'c1', object: 'chat.completion', model: 'm', choices, usage });
    const chunk = (delta: object, finish: string | null) => ({
      id: 'c1',
      object: 'chat.completion.chunk',
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const chunks = sse(chunk({ role: 'assistant', ...said }, null), chunk({}, reason));
    return Buffer.concat([chunks, sse({ id: 'c1', choices: [], usage }), Buffer.from('data: [DONE]\n\n')]);
  },
  anthropic(reason, content, streamed) {
    const blocks = {
      text: [{ type: 'text', text: 'Blue.' }],
      call: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: { q: 'sea' } }],
      nothing: [],
    }[content];
    const usage = { input_tokens: 9, output_tokens: 5 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage };
    if (!streamed) return json({ ...message, content: blocks, stop_reason: reason, stop_sequence: null });
    const events = blocks.flatMap((block, index) => {
      const { type } = block;
      const delta =
        type === 'text'
          ? { type: 'text_delta', text: 'Blue.' }
          : { type: 'input_json_delta', partial_json: '{"q":"sea"}' };
      const empty = type === 'text' ? { type, text: '' } : { ...block, input: {} };
      return [
        { type: 'content_block_start', index, content_block: empty },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
    });
    return named(
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } } as { type: string },
      ...events,
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage } as {
        type: string;
      },
      { type: 'message_stop' },
    );
  },
  gemini(reason, content, streamed) {
    const parts = {
      text: [{ text: 'Blue.' }],
      call: [{ functionCall: { name: 'find', args: { q: 'sea' } } }],
      nothing: [],
    }[content];
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 };
    const response = {
      candidates: [{ content: { role: 'model', parts }, ...(reason && { finishReason: reason }), index: 0 }],
      usageMetadata,
    };
    return streamed ? sse(response) : json(response);
  },
  cohere(reason, content, streamed) {
    const call = { id: 'find_1', type: 'function', function: { name: 'find', arguments: '{"q":"sea"}' } };
    const usage = { billed_units: { input_tokens: 9, output_tokens: 5 } };
    const message = {
      text: { content: [{ type: 'text', text: 'Blue.' }] },
      call: { tool_calls: [call] },
      nothing: { content: [] },
    }[content];
    if (!streamed)
      return json({ id: 'c1', message: { role: 'assistant', ...message }, finish_reason: reason, usage });
    const events = {
      text: [{ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Blue.' } } } }],
      call: [{ type: 'tool-call-start', index: 0, delta: { message: { tool_calls: call } } }],
      nothing: [],
    }[content];
    return sse({ type: 'message-start', id: 'c1' }, ...events, {
      type: 'message-end',
      delta: { finish_reason: reason, usage },
    });
  },
  bedrock(reason, content, streamed) {
    const usage = { inputTokens: 9, outputTokens: 5, totalTokens: 14 };
    const toolUse = { toolUseId: 'tooluse_1', name: 'find' };
    const blocks = {
      text: [{ text: 'Blue.' }],
      call: [{ toolUse: { ...toolUse, input: { q: 'sea' } } }],
      nothing: [],
    }[content];
    const message = { role: 'assistant', content: blocks };
    if (!streamed) return json({ output: { message }, stopReason: reason, usage });
    const events = {
      text: [{ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Blue.' } } }],
      call: [
        { contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"q":"sea"}' } } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
      ],
      nothing: [],
    }[content];
    const lines = [
      { messageStart: { role: 'assistant' } },
      ...events,
      { messageStop: { stopReason: reason } },
    ];
    const all = [...lines, { metadata: { usage } }];
    return Buffer.concat(recordedMessages(all.map((line) => JSON.stringify(line)).join('\n')));
  },
};

const CLIENTS = [
  ['openai', readAsOpenAi],
  ['anthropic', readAsAnthropic],
] as const;

async function replyOf(
  format: string,
  reason: string | null,
  content: Content,
  streamed: boolean,
  [wire, read]: (typeof CLIENTS)[number],
): Promise<ReceivedReply | string | undefined> {
  const body = REPLIES[format]!(reason, content, streamed);
  const result = await callWith(PROVIDERS[format]!, { status: 200, isStream: streamed, body }, wire);
  return result.body === undefined ? result.error?.code : read(result.body, streamed);
}

const FORMATS = Object.keys(REPLIES);
/** The reasons of each format: an end, a stop sequence, tool calls, one that no documentation has. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  openai: ['stop', 'tool_calls', 'function_call', 'eos', 'finished_by_magic'],
  anthropic: ['end_turn', 'stop_sequence', 'tool_use', 'finished_by_magic'],
  gemini: ['STOP', 'FINISHED_BY_MAGIC', 'OTHER'],
  cohere: ['COMPLETE', 'STOP_SEQUENCE', 'TOOL_CALL', 'FINISHED_BY_MAGIC'],
  bedrock: ['end_turn', 'stop_sequence', 'tool_use', 'finished_by_magic'],
};
const CASES = FORMATS.flatMap((format) =>
  ENDS[format]!.flatMap((reason) =>
    [true, false].flatMap((streamed) => CLIENTS.map((client) => ({ format, reason, streamed, client }))),
  ),
).map((each) => ({ ...each, wire: each.client[0], form: each.streamed ? 'stream' : 'reply' }));

test.each(CASES)(
  'a $form of $format with a tool call that ends with $reason ends with tool calls for a client of $wire',
  async ({ format, reason, streamed, client }) => {
    const reply = await replyOf(format, reason, 'call', streamed, client);
    expect(reply).toMatchObject({ finish: TOOL_CALLS[client[0]], calls: [{ input: { q: 'sea' } }] });
  },
);

test.each(CASES)(
  'a $form of $format with text that ends with $reason is complete for a client of $wire, without tool calls',
  async ({ format, reason, streamed, client }) => {
    const reply = await replyOf(format, reason, 'text', streamed, client);
    expect(reply).toMatchObject({ text: 'Blue.', errorCode: undefined });
    const { finish } = reply as ReceivedReply;
    // A newer reason of Anthropic's is for its client to read.
    expect(['stop', 'end_turn', 'stop_sequence', 'finished_by_magic']).toContain(finish);
    expect(client[0] === 'openai' && finish !== 'stop').toBe(false);
  },
);

const CUT: readonly (readonly [string, string, Finish])[] = [
  ['openai', 'length', LENGTH],
  ['openai', 'content_filter', REFUSAL],
  ['anthropic', 'max_tokens', LENGTH],
  ['anthropic', 'refusal', REFUSAL],
  ['gemini', 'MAX_TOKENS', LENGTH],
  ['gemini', 'SAFETY', REFUSAL],
  ['cohere', 'MAX_TOKENS', LENGTH],
  ['bedrock', 'max_tokens', LENGTH],
  ['bedrock', 'content_filtered', REFUSAL],
];
test.each(CUT)(
  'a tool call of %s that was cut by %s says so: it must not be run',
  async (format, reason, cut) => {
    for (const streamed of [true, false]) {
      for (const client of CLIENTS) {
        const reply = await replyOf(format, reason, 'call', streamed, client);
        expect(reply).toMatchObject({ finish: cut[client[0]] });
      }
    }
  },
);

describe('a reply without a reason', () => {
  test.each([
    ['openai', 'text', END],
    ['openai', 'call', TOOL_CALLS],
    ['anthropic', 'text', END],
    ['anthropic', 'call', TOOL_CALLS],
    ['gemini', 'text', END],
    ['gemini', 'call', TOOL_CALLS],
    ['cohere', 'text', END],
    ['cohere', 'call', TOOL_CALLS],
  ] as const)('of %s that is whole has the one of its content: %s', async (format, content, finish) => {
    for (const client of CLIENTS) {
      const reply = await replyOf(format, null, content, false, client);
      expect(reply).toMatchObject({ finish: finish[client[0]] });
    }
  });

  test('that is a stream of openai with a tool call, up to its last event, ends with tool calls', async () => {
    for (const client of CLIENTS) {
      const reply = await replyOf('openai', null, 'call', true, client);
      expect(reply).toMatchObject({ finish: TOOL_CALLS[client[0]], errorCode: undefined });
    }
  });
});

test.each(['error', 'insufficient_system_resource', 'network_error'])(
  'a stream of OpenAI’s format that ends with %s after its text has failed',
  async (reason) => {
    for (const client of CLIENTS) {
      const reply = await replyOf('openai', reason, 'text', true, client);
      expect(reply).toMatchObject({ text: 'Blue.', errorCode: 'upstream_failed' });
    }
  },
);

test('a reply of Gemini without content that ends with an unknown reason has failed', async () => {
  for (const streamed of [true, false]) {
    for (const client of CLIENTS)
      expect(await replyOf('gemini', 'FINISHED_BY_MAGIC', 'nothing', streamed, client)).toBe(
        'upstream_failed',
      );
  }
});

test('a choice that Azure filtered has no message, and is a refusal', async () => {
  const azure = KINDS['azure-openai']({ ...ACCESS, id: 'azure', options: {} }, quota);
  const filtered = {
    index: 0,
    finish_reason: 'content_filter',
    content_filter_results: { hate: { filtered: true } },
  };
  const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 };
  const body = json({ id: 'c1', object: 'chat.completion', model: 'm', choices: [filtered], usage });
  for (const [wire, read] of CLIENTS) {
    const { body: received } = await callWith(azure, { status: 200, isStream: false, body }, wire);
    expect(read(received!, false).finish).toBe(REFUSAL[wire]);
  }
});
