import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../../domain/caller-request';
import type { Conversation } from '../../domain/conversation';
import { NO_USAGE } from '../../domain/usage';
import { anthropicReplies } from '../../formats/anthropic/anthropic-replies';
import { parseMessagesRequest } from '../../formats/anthropic/messages-request';
import { readMessage } from '../../formats/anthropic/testing/read-message';
import { parseChatRequest } from '../../formats/openai/chat-request';
import { openAiReplies } from '../../formats/openai/openai-replies';
import { geminiProvider } from './gemini-provider';
import type { SentRequest } from './request-rules.fixture';
import { CALLS, eventOf, TEXT_CHUNKS } from './responses.fixture';

const NO_COST = { ...NO_USAGE, costNano: 0n };

const IDENTITY = { requestId: 'r', model: 'google/gemini-3.5-flash', createdAtMs: 0 };
const provider = geminiProvider({
  id: 'google',
  baseUrl: 'https://example.com',
  apiKey: 'k',
  newToolId: () => 'made_1',
});

const replyTo = (response: object) => provider.readReply(response as Record<string, unknown>);
const eventsOf = (responses: readonly object[]) => {
  const stream = provider.readStream();
  return responses.flatMap((response) => stream.read(eventOf(response)));
};
const sentBack = (conversation: Conversation): SentRequest =>
  JSON.parse(provider.writeRequest(conversation, 'gemini-3.5-flash', 100, new Set()).toString());

/** The calls as they came, and their answers. */
const CALLS_AND_ANSWERS = [
  {
    role: 'model',
    parts: [
      { functionCall: { id: 'fc_1', name: 'find', args: { q: 'ä', n: 2 } }, thoughtSignature: 'Zmlyc3Q=' },
      { functionCall: { id: 'made_1', name: 'tell', args: {} } },
    ],
  },
  {
    role: 'user',
    parts: [
      { functionResponse: { id: 'fc_1', name: 'find', response: { output: 'one' } } },
      { functionResponse: { id: 'made_1', name: 'tell', response: { output: 'two' } } },
    ],
  },
];

describe("in OpenAI's format", () => {
  const read = (...messages: object[]) => {
    const body = { model: IDENTITY.model, messages: [{ role: 'user', content: 'q' }, ...messages] };
    return parseChatRequest(Buffer.from(JSON.stringify(body))).conversation();
  };
  const messageOf = (response: object) =>
    JSON.parse(openAiReplies.write(replyTo(response), NO_COST, IDENTITY).toString()).choices[0].message;
  const answers = [
    { role: 'tool', tool_call_id: 'made_1', content: 'two' },
    { role: 'tool', tool_call_id: 'fc_1', content: 'one' },
  ];

  test('parallel tool calls of a reply are sent back unchanged', () => {
    expect(sentBack(read(messageOf(CALLS), ...answers)).contents.slice(1)).toEqual(CALLS_AND_ANSWERS);
  });

  test('parallel tool calls of a stream are sent back unchanged', () => {
    const writer = openAiReplies.stream(IDENTITY, { includeUsage: false, estimatedInput: 1 });
    const deltas = writer
      .write(eventsOf([CALLS]))
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice('data: '.length)).choices[0].delta);
    const calls: { function: { arguments: string } }[] = [];
    for (const { index, ...call } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
      if (calls[index]) calls[index].function.arguments += call.function.arguments;
      else calls[index] = call;
    }
    const message = { role: 'assistant', content: null, tool_calls: calls };
    expect(sentBack(read(message, ...answers)).contents.slice(1)).toEqual(CALLS_AND_ANSWERS);
  });

  test('the signature of a text is sent back on the text', () => {
    const parts = TEXT_CHUNKS.flatMap(({ candidates }) => candidates[0].content.parts as readonly object[]);
    const message = messageOf({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
    expect(sentBack(read(message, { role: 'user', content: 'on' })).contents[1]).toEqual({
      role: 'model',
      parts: [{ text: 'Ein Satz.', thoughtSignature: 'c2lnbmVk' }],
    });
  });
});

describe("in Anthropic's format", () => {
  const read = (content: unknown): CallerRequest =>
    parseMessagesRequest(
      Buffer.from(
        JSON.stringify({
          model: IDENTITY.model,
          max_tokens: 100,
          messages: [
            { role: 'user', content: 'q' },
            { role: 'assistant', content },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: 'fc_1', content: 'one' },
                { type: 'tool_result', tool_use_id: 'made_1', content: 'two' },
              ],
            },
          ],
        }),
      ),
      {},
    );

  test('parallel tool calls of a reply are sent back unchanged', () => {
    const message = JSON.parse(anthropicReplies.write(replyTo(CALLS), NO_COST, IDENTITY).toString());
    const { contents } = sentBack(read(message.content).conversation());
    expect(contents.slice(1)).toEqual(CALLS_AND_ANSWERS);
  });

  test('parallel tool calls of a stream are sent back unchanged', () => {
    const writer = anthropicReplies.stream(IDENTITY, { includeUsage: true, estimatedInput: 1 });
    const message = readMessage(writer.write(eventsOf([CALLS])) + writer.end(NO_COST));
    const { contents } = sentBack(read(message.content).conversation());
    expect(contents.slice(1)).toEqual(CALLS_AND_ANSWERS);
  });
});
