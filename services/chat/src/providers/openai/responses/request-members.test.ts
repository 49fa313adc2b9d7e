import { expect, test } from '@jest/globals';
import { tagSignature } from '../../../domain/signature-tag';
import { QUIRKS } from '../quirks';
import { sealed } from './encrypted-reasoning';
import { responseMembers } from './request-members';

const membersFor = (body: object, capabilities = ['reasoning']) =>
  Object.fromEntries(
    [...responseMembers(body as Record<string, unknown>, new Set(capabilities), QUIRKS.openai, 'acct')].map(
      ([member, json]) => [member, json === undefined ? undefined : JSON.parse(json)],
    ),
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
    {
      type: 'web_search_call',
      id: 'ws_01890000-0000-7000-8000-000000000001_2',
      status: 'completed',
      action: { type: 'search' },
    },
  ];
  expect(membersFor({ input }).input).toEqual([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b', detail: 'auto' }] },
    input[2],
  ]);
});

test('a search that the gateway does not know is left out, like reasoning without content', () => {
  const input = [
    { type: 'web_search_call', id: 'ws_of_another', action: { type: 'search' } },
    reasoning(tagSignature({ wire: 'responses', value: 'acct~rs_of_another~' })),
  ];
  expect(membersFor({ input }).input).toEqual([]);
});

test('a preview of web search is the search that has a price', () => {
  const tool = { type: 'web_search_preview_2025_03_11', search_context_size: 'low' };
  expect(
    membersFor({ input: 'a', tools: [tool], tool_choice: { type: 'web_search_preview' } }),
  ).toMatchObject({
    tools: [{ ...tool, type: 'web_search' }],
    tool_choice: { type: 'web_search' },
  });
});

test("Mistral's word for a required tool is written as the API has it", () => {
  expect(membersFor({ input: 'a', tool_choice: 'any' })).toMatchObject({ tool_choice: 'required' });
});

test('sampling parameters are left out while the model thinks', () => {
  const body = { input: 'a', temperature: 0.5 };
  expect(membersFor(body)).toMatchObject({ temperature: undefined });
  expect(membersFor({ ...body, reasoning: { effort: 'none' } })).not.toHaveProperty('temperature');
});

test('a model that does not reason is asked for no reasoning', () => {
  const include = ['reasoning.encrypted_content', 'web_search_call.action.sources'];
  const body = { input: 'a', reasoning: { effort: 'low' }, include };
  expect(membersFor(body, [])).toEqual({
    ...{ reasoning: undefined, include: ['web_search_call.action.sources'] },
  });
});
