import { describe, expect, test } from '@jest/globals';
import { DIALECTS, type OpenAiDialect } from './dialect';
import { passedMembers } from './passed-members';

const THINKER = new Set(['reasoning', 'effort_none', 'effort_low']);

describe('of a body that passes through', () => {
  const changed = (body: object, capabilities: ReadonlySet<string>, dialect: OpenAiDialect) =>
    Object.fromEntries(passedMembers(body as Record<string, unknown>, capabilities, dialect));

  test('a model without quirks keeps every byte', () => {
    expect(changed({ temperature: 0, user: 'u' }, new Set(), DIALECTS.openai)).toEqual({});
  });

  test('the sampling that OpenAI’s models refuse while they think is left out', () => {
    const gone = {
      temperature: undefined,
      top_p: undefined,
      presence_penalty: undefined,
      frequency_penalty: undefined,
    };
    expect(changed({ temperature: 0 }, THINKER, DIALECTS.openai)).toEqual(gone);
    expect(changed({ temperature: 0, reasoning_effort: 'low' }, THINKER, DIALECTS.openai)).toEqual(gone);
    expect(changed({ temperature: 0, reasoning_effort: 'none' }, THINKER, DIALECTS.openai)).toEqual({});
  });

  test('Mistral, who refuses what it does not know, gets its own names', () => {
    const members = changed({ seed: 7, user: 'u', stream_options: {} }, new Set(), DIALECTS.mistral);
    expect(members).toMatchObject({
      seed: undefined,
      random_seed: '7',
      user: undefined,
      stream_options: undefined,
    });
    expect(Object.keys(members)).toEqual(expect.arrayContaining(['seed', 'user', 'stream_options']));
    expect(changed({ seed: null }, new Set(), DIALECTS.mistral)).not.toHaveProperty('random_seed');
  });

  const history = [
    { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'gw1.anthropic.S' }],
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'reasoning', arguments: '{"reasoning":1}' },
          extra_content: { google: { thought_signature: 'gw1.gemini.S' } },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
  ];
  const bare = (more: object = {}) => [
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      content: null,
      ...more,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'reasoning', arguments: '{"reasoning":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
  ];

  test('what other models added to the history is left out where it is refused', () => {
    const messages = (dialect: OpenAiDialect) =>
      JSON.parse(changed({ messages: history }, new Set(), dialect).messages ?? 'null');
    expect(messages(DIALECTS.openai)).toEqual(bare({ refusal: null }));
    expect(messages(DIALECTS.mistral)).toEqual(bare());
    expect(messages(DIALECTS.deepseek)).toBeNull();
    expect(changed({ messages: bare() }, new Set(), DIALECTS.openai)).toEqual({});
  });

  test('and hints on tools', () => {
    const tool = { type: 'function', function: { name: 'f' } };
    const tools = [tool, { ...tool, cache_control: { type: 'ephemeral' } }];
    expect(JSON.parse(changed({ tools }, new Set(), DIALECTS.openai).tools ?? '')).toEqual([tool, tool]);
  });
});
