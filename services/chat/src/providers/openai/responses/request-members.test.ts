import { expect, test } from '@jest/globals';
import { tagSignature } from '../../../domain/signature-tag';
import { QUIRKS } from '../quirks';
import { sealed } from './encrypted-reasoning';
import { responseMembers } from './request-members';

const membersFor = (body: object, provider: 'openai' | 'xai' = 'openai', capabilities = ['reasoning']) =>
  Object.fromEntries(
    [
      ...responseMembers(
        body as Record<string, unknown>,
        new Set(capabilities),
        QUIRKS[provider],
        QUIRKS[provider].responses,
        'acct',
      ),
    ].map(([member, json]) => [member, json === undefined ? undefined : JSON.parse(json)]),
  );
const reasoning = (encrypted_content?: string) => ({
  type: 'reasoning',
  id: 'rs_ours',
  summary: [],
  encrypted_content,
});

test('items without ids pass as they are', () => {
  const input = [
    { role: 'user', content: 'a' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
  ];
  expect(membersFor({ input })).not.toHaveProperty('input');
  expect(membersFor({ input: 'a' })).not.toHaveProperty('input');
});

test('reasoning returns to its account under its own id, and other reasoning is left out', () => {
  const foreign = [
    reasoning(),
    reasoning(sealed('another', 'rs_1', 'A')),
    reasoning(tagSignature({ wire: 'anthropic', value: 'B' })),
  ];
  const input = [...foreign, reasoning(sealed('acct', 'rs_theirs', 'C~D'))];
  expect(membersFor({ input }).input).toEqual([
    { type: 'reasoning', id: 'rs_theirs', summary: [], encrypted_content: 'C~D' },
  ]);
});

test('ids of the gateway and parts of chat completions are written as the API has them', () => {
  const input = [
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'text', text: 'a' }] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }] },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
  ];
  expect(membersFor({ input }).input).toEqual([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b', detail: 'auto' }] },
    input[2],
  ]);
});

test('xAI gets instructions as a message, and a bound of its turns', () => {
  const body = { input: 'a', instructions: 'Be brief.', max_tool_calls: 3, safety_identifier: 'u' };
  expect(membersFor(body, 'xai')).toMatchObject({
    instructions: undefined,
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a' },
    ],
    ...{ max_tool_calls: undefined, max_turns: 3, safety_identifier: undefined, user: 'u' },
  });
  const openai = membersFor(body);
  for (const field of Object.keys(body)) expect(openai).not.toHaveProperty(field);
});

test('sampling parameters are left out while the model thinks', () => {
  const body = { input: 'a', temperature: 0.5 };
  expect(membersFor(body)).toMatchObject({ temperature: undefined });
  expect(membersFor({ ...body, reasoning: { effort: 'none' } })).not.toHaveProperty('temperature');
});

test('a model that does not reason is asked for no reasoning', () => {
  const include = ['reasoning.encrypted_content', 'web_search_call.action.sources'];
  const body = { input: 'a', reasoning: { effort: 'low' }, include };
  expect(membersFor(body, 'openai', [])).toEqual({
    ...{ reasoning: undefined, include: ['web_search_call.action.sources'] },
  });
});
