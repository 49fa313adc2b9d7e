import { GatewayError } from '@gateway/errors';
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

describe('the assistant turns of a body for Mistral', () => {
  const messagesOf = (message: object, capabilities = THINKER) => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', ...message },
      { role: 'user', content: 'b' },
    ];
    const changed = passedMembers({ messages }, capabilities, DIALECTS.mistral).get('messages');
    return changed === undefined ? undefined : JSON.parse(changed).slice(1, -1);
  };
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };

  test('get reasoning_content back as a part of the content', () => {
    expect(messagesOf({ content: 'x', reasoning_content: 'hm' })).toEqual([
      { role: 'assistant', content: [thinking, { type: 'text', text: 'x' }] },
    ]);
    expect(messagesOf({ content: '', reasoning_content: 'hm' })).toEqual([
      { role: 'assistant', content: [thinking] },
    ]);
    const tool_calls = [{ id: 'aaaaaaaaa', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(messagesOf({ content: null, reasoning_content: 'hm', tool_calls })).toEqual([
      { role: 'assistant', content: [thinking], tool_calls },
    ]);
  });

  test('lose it where the model does not reason', () => {
    expect(messagesOf({ content: 'x', reasoning_content: 'hm' }, new Set())).toEqual([
      { role: 'assistant', content: 'x' },
    ]);
  });

  test('are left out when they are empty, which Mistral refuses', () => {
    expect(messagesOf({ content: '' })).toEqual([]);
    expect(messagesOf({ content: 'x' })).toBeUndefined();
  });
});

describe('fields that only some providers document', () => {
  const changed = (body: object, dialect: OpenAiDialect, capabilities: ReadonlySet<string> = THINKER) =>
    Object.fromEntries(passedMembers(body as Record<string, unknown>, capabilities, dialect));
  const refusal = (body: object, dialect: OpenAiDialect) => {
    try {
      changed(body, dialect);
      return undefined;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'invalid_request') return error.detail;
      throw error;
    }
  };

  test.each([
    [{ thinking: { type: 'disabled' } }, DIALECTS.deepseek],
    [{ thinking: { type: 'enabled' } }, DIALECTS.deepseek],
    [{ thinking: { type: 'adaptive' } }, DIALECTS.common],
    [{ top_k: -1 }, DIALECTS.common],
    [{ safe_prompt: true }, DIALECTS.mistral],
    [{ prompt_mode: 'reasoning' }, DIALECTS.mistral],
    [{ random_seed: 7 }, DIALECTS.mistral],
    [{ top_k: 5, min_p: 0.1, repetition_penalty: 1.1, chat_template_kwargs: { x: 1 } }, DIALECTS.common],
    [{ reasoning: { effort: 'low' }, enable_thinking: true }, DIALECTS.common],
  ])('%j reaches the provider that documents it as it is', (body, dialect) => {
    const members = changed(body, dialect, new Set());
    for (const field of Object.keys(body)) expect(members).not.toHaveProperty(field);
  });

  test.each([
    [{ top_k: 5 }, DIALECTS.openai],
    [{ min_p: 0.1 }, DIALECTS.deepseek],
    [{ repetition_penalty: 1.1 }, DIALECTS.xai],
    [{ safe_prompt: true }, DIALECTS.openai],
    [{ prompt_mode: 'reasoning' }, DIALECTS.deepseek],
    [{ chat_template_kwargs: { enable_thinking: false } }, DIALECTS.mistral],
  ])('%j is refused elsewhere, by its name', (body, dialect) => {
    expect(refusal(body, dialect)).toBe(`${Object.keys(body)[0]}: not supported by this model`);
  });

  test.each([0, -1])('are left out where they ask for nothing, such as top_k %d', (topK) => {
    const body = {
      top_k: topK,
      min_p: 0,
      repetition_penalty: 1,
      safe_prompt: false,
      chat_template_kwargs: null,
    };
    const gone = Object.fromEntries(Object.keys(body).map((field) => [field, undefined]));
    expect(changed(body, DIALECTS.deepseek)).toEqual(gone);
  });

  test.each([
    [
      { thinking: { type: 'disabled' } },
      DIALECTS.openai,
      { thinking: undefined, reasoning_effort: '"none"' },
    ],
    [
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      DIALECTS.xai,
      { thinking: undefined, reasoning_effort: '"low"' },
    ],
    [{ reasoning: { effort: 'low' } }, DIALECTS.mistral, { reasoning: undefined, reasoning_effort: '"low"' }],
    [
      { reasoning: { enabled: false } },
      DIALECTS.deepseek,
      { reasoning: undefined, thinking: '{"type":"disabled"}' },
    ],
    [{ enable_thinking: true }, DIALECTS.openai, { enable_thinking: undefined }],
    [{ thinking: { type: 'adaptive' } }, DIALECTS.deepseek, { thinking: undefined }],
    [
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      DIALECTS.deepseek,
      { thinking: undefined, reasoning_effort: '"low"' },
    ],
    [
      { thinking: { type: 'disabled', budget_tokens: 500 } },
      DIALECTS.deepseek,
      { thinking: '{"type":"disabled"}' },
    ],
    [
      { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
      DIALECTS.xai,
      { reasoning: undefined, reasoning_effort: '"low"' },
    ],
    [
      { thinking: { type: 'enabled' }, reasoning: { effort: 'high' } },
      DIALECTS.deepseek,
      { reasoning: undefined },
    ],
    [{ random_seed: 7 }, DIALECTS.openai, { random_seed: undefined, seed: '7' }],
    [{ random_seed: 7, seed: 8 }, DIALECTS.openai, { random_seed: undefined }],
  ])('%j is translated', (body, dialect, members) => {
    expect(changed(body, dialect)).toMatchObject(members);
  });

  test('a way to switch thinking off lets OpenAI’s models keep their sampling', () => {
    const off = { thinking: { type: 'disabled' }, temperature: 0 };
    expect(changed(off, DIALECTS.openai)).not.toHaveProperty('temperature');
  });

  test('a file is refused where the provider has no part for it', () => {
    const messages = [
      { role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AA' } }] },
    ];
    expect(refusal({ messages }, DIALECTS.xai)).toBe(
      'messages[0].content[0]: documents are not supported by this model',
    );
    expect(refusal({ messages }, DIALECTS.openai)).toBeUndefined();
  });
});
