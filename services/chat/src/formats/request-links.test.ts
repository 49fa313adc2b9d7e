import { expect, test } from '@jest/globals';
import { parseMessagesRequest } from './anthropic/messages-request';
import { parseGenerateContent } from './gemini/gemini-request';
import { parseChatRequest } from './openai/chat-request';
import { parseModerationsRequest } from './openai/moderations-request';
import { parseResponsesRequest } from './responses/responses-request';

const LINK = 'https://images.example.com/a.png';
const DATA = 'data:image/png;base64,iVBORw0KGgo=';
const bytesOf = (body: object) => Buffer.from(JSON.stringify({ model: 'sim/chat', ...body }));

const chat = (...parts: object[]) =>
  parseChatRequest(bytesOf({ messages: [{ role: 'user', content: parts }] })).size.links;
const messages = (...blocks: object[]) =>
  parseMessagesRequest(bytesOf({ max_tokens: 9, messages: [{ role: 'user', content: blocks }] }), {}).size
    .links;
const responses = (...input: object[]) => parseResponsesRequest(bytesOf({ input })).withItems().size.links;
const gemini = (...parts: object[]) =>
  parseGenerateContent(Buffer.from(JSON.stringify({ contents: [{ role: 'user', parts }] })), {
    model: 'sim/chat',
    stream: false,
  }).size.links;
const moderation = (...input: object[]) => parseModerationsRequest(bytesOf({ input })).links;

const imageUrl = (url: string) => ({ type: 'image_url', image_url: { url } });
const urlSource = { type: 'url', url: LINK };
const fileData = { fileData: { fileUri: LINK, mimeType: 'image/png' } };

test.each<[string, readonly string[] | undefined]>([
  ['an image in chat', chat(imageUrl(LINK), imageUrl(DATA))],
  ['a file in chat', chat({ type: 'file', file: { file_data: LINK, filename: 'a.pdf' } })],
  ['an image in messages', messages({ type: 'image', source: urlSource })],
  ['a document in messages', messages({ type: 'document', source: urlSource })],
  [
    'an image in the result of a tool in messages',
    messages({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [{ type: 'image', source: urlSource }],
    }),
  ],
  ['an image in responses', responses({ role: 'user', content: [{ type: 'input_image', image_url: LINK }] })],
  ['a file in responses', responses({ role: 'user', content: [{ type: 'input_file', file_url: LINK }] })],
  [
    'an image in the output of a function in responses',
    responses(
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: LINK }] },
    ),
  ],
  ["a file in Google's format", gemini(fileData)],
  ['an image in a moderation', moderation(imageUrl(LINK), imageUrl(DATA))],
])('the link of %s is known', (_where, links) => {
  expect(links).toEqual([LINK]);
});

test.each<[string, readonly string[] | undefined]>([
  ['chat', chat({ type: 'text', text: LINK }, imageUrl(DATA))],
  ['messages', messages({ type: 'text', text: LINK })],
  ['responses', responses({ role: 'user', content: LINK })],
  ["Google's format", gemini({ text: LINK })],
])('a link that is text of a prompt in %s is not fetched', (_format, links) => {
  expect(links).toBeUndefined();
});
