import { expect, test } from '@jest/globals';
import { parseChatRequest } from '../../../formats/openai/chat-request';
import { type OpenAiQuirks, QUIRKS } from '../quirks';
import { writeRequest } from '../write-request';
import { writeResponseRequest } from './write-request';

function written(fields: object, quirks: OpenAiQuirks = QUIRKS.openai): Record<string, unknown> {
  const body = { model: 'a/b', messages: [{ role: 'user', content: 'hi' }], ...fields };
  const conversation = parseChatRequest(Buffer.from(JSON.stringify(body))).conversation();
  const chat = JSON.parse(writeRequest(conversation, 'gpt', 100, new Set(), quirks).toString());
  return JSON.parse(writeResponseRequest(conversation, chat, quirks.responses!).toString());
}

const location = { type: 'approximate', approximate: { city: 'Oslo' } };
const search = { web_search_options: { user_location: location } };

test('a conversation becomes items, and a search a tool with a bound', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const parameters = { type: 'object', properties: {} };
  expect(
    written({
      ...search,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/b' } }] },
        { role: 'assistant', content: 'Wait.', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema: parameters, strict: false } },
    }),
  ).toEqual({
    ...{ model: 'gpt', store: false, max_output_tokens: 100, max_tool_calls: 10 },
    include: ['web_search_call.action.sources'],
    input: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [{ type: 'input_image', image_url: 'https://example.com/b', detail: 'auto' }],
      },
      { role: 'assistant', content: 'Wait.' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
    ],
    text: { format: { type: 'json_schema', name: 'r', schema: parameters, strict: false } },
    tools: [
      { type: 'function', name: 'f', parameters, strict: false },
      { type: 'web_search', user_location: { type: 'approximate', city: 'Oslo' } },
    ],
  });
});

test('xAI gets no location, and a bound of its turns', () => {
  const body = written(search, QUIRKS.xai);
  expect(body).toMatchObject({ tools: [{ type: 'web_search' }], max_turns: 10 });
  expect(body).not.toHaveProperty('include');
});

test('stop sequences, which the format lacks, are refused', () => {
  expect(() => written({ ...search, stop: ['x'] })).toThrow(
    expect.objectContaining({ detail: expect.stringContaining('stop') }),
  );
});
