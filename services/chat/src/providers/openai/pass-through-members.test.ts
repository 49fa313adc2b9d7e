import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { passThroughMembers } from './pass-through-members';
import { type OpenAiQuirks, QUIRKS } from './quirks';

const THINKER = new Set(['reasoning', 'effort_none', 'effort_low']);

describe('the members of a pass-through body', () => {
  const changed = (body: object, capabilities: ReadonlySet<string>, quirks: OpenAiQuirks) =>
    Object.fromEntries(passThroughMembers(body as Record<string, unknown>, capabilities, quirks));

  test('are unchanged for a model without quirks', () => {
    expect(changed({ temperature: 0, user: 'u' }, new Set(), QUIRKS.openai)).toEqual({});
  });

  test("lose the sampling parameters that OpenAI's models reject while they reason", () => {
    const gone = {
      temperature: undefined,
      top_p: undefined,
      presence_penalty: undefined,
      frequency_penalty: undefined,
    };
    expect(changed({ temperature: 0 }, THINKER, QUIRKS.openai)).toEqual(gone);
    expect(changed({ temperature: 0, reasoning_effort: 'low' }, THINKER, QUIRKS.openai)).toEqual(gone);
    expect(changed({ temperature: 0, reasoning_effort: 'none' }, THINKER, QUIRKS.openai)).toEqual({});
  });

  test("get Mistral's own names, because it rejects unknown ones", () => {
    const members = changed({ seed: 7, user: 'u', stream_options: {} }, new Set(), QUIRKS.mistral);
    expect(members).toMatchObject({
      seed: undefined,
      random_seed: '7',
      user: undefined,
      stream_options: undefined,
    });
    expect(Object.keys(members)).toEqual(expect.arrayContaining(['seed', 'user', 'stream_options']));
    expect(changed({ seed: null }, new Set(), QUIRKS.mistral)).not.toHaveProperty('random_seed');
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

  test('lose the history that other models added, where it is rejected', () => {
    const messages = (quirks: OpenAiQuirks) =>
      JSON.parse(changed({ messages: history }, new Set(), quirks).messages ?? 'null');
    expect(messages(QUIRKS.openai)).toEqual(bare({ refusal: null }));
    expect(messages(QUIRKS.mistral)).toEqual(bare());
    expect(messages(QUIRKS.deepseek)).toBeNull();
    expect(changed({ messages: bare() }, new Set(), QUIRKS.openai)).toEqual({});
  });

  test('lose cache hints on tools', () => {
    const tool = { type: 'function', function: { name: 'f' } };
    const tools = [tool, { ...tool, cache_control: { type: 'ephemeral' } }];
    expect(JSON.parse(changed({ tools }, new Set(), QUIRKS.openai).tools ?? '')).toEqual([tool, tool]);
  });

  test('keep cache hints for an endpoint that takes them, without a lifetime that its usage would not tell', () => {
    const quirks = { ...QUIRKS.openai, unsupportedFields: [] };
    const usual = { cache_control: { type: 'ephemeral' } };
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const messages = (hint: object) => [{ role: 'user', content: [{ type: 'text', text: 'a', ...hint }] }];
    const tools = (hint: object) => [{ type: 'function', function: { name: 'f' }, ...hint }];
    expect(changed({ messages: messages(usual), tools: tools(usual) }, new Set(), quirks)).toEqual({});
    const members = changed({ messages: messages(hour), tools: tools(hour) }, new Set(), quirks);
    expect(JSON.parse(members.messages ?? '')).toEqual(messages(usual));
    expect(JSON.parse(members.tools ?? '')).toEqual(tools(usual));
  });
});

describe('assistant messages for Mistral', () => {
  const messagesOf = (message: object, capabilities = THINKER) => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', ...message },
      { role: 'user', content: 'b' },
    ];
    const changed = passThroughMembers({ messages }, capabilities, QUIRKS.mistral).get('messages');
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

  test('lose reasoning_content where the model does not reason', () => {
    expect(messagesOf({ content: 'x', reasoning_content: 'hm' }, new Set())).toEqual([
      { role: 'assistant', content: 'x' },
    ]);
  });

  test('are omitted when empty, because Mistral rejects them', () => {
    expect(messagesOf({ content: '' })).toEqual([]);
    expect(messagesOf({ content: 'x' })).toBeUndefined();
  });
});

describe('fields that only some providers document', () => {
  const changed = (body: object, quirks: OpenAiQuirks, capabilities: ReadonlySet<string> = THINKER) =>
    Object.fromEntries(passThroughMembers(body as Record<string, unknown>, capabilities, quirks));
  const refusal = (body: object, quirks: OpenAiQuirks) => {
    try {
      changed(body, quirks);
      return undefined;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'invalid_request') return error.detail;
      throw error;
    }
  };

  test.each([
    [{ thinking: { type: 'disabled' } }, QUIRKS.deepseek],
    [{ thinking: { type: 'enabled' } }, QUIRKS.deepseek],
    [{ thinking: { type: 'adaptive' } }, QUIRKS.common],
    [{ top_k: -1 }, QUIRKS.common],
    [{ safe_prompt: true }, QUIRKS.mistral],
    [{ prompt_mode: 'reasoning' }, QUIRKS.mistral],
    [{ random_seed: 7 }, QUIRKS.mistral],
    [{ top_k: 5, min_p: 0.1, repetition_penalty: 1.1, chat_template_kwargs: { x: 1 } }, QUIRKS.common],
    [{ reasoning: { effort: 'low' }, enable_thinking: true }, QUIRKS.common],
  ])('%j is sent unchanged to the provider that documents it', (body, quirks) => {
    const members = changed(body, quirks, new Set());
    for (const field of Object.keys(body)) expect(members).not.toHaveProperty(field);
  });

  test.each([
    [{ top_k: 5 }, QUIRKS.openai],
    [{ min_p: 0.1 }, QUIRKS.deepseek],
    [{ repetition_penalty: 1.1 }, QUIRKS.xai],
    [{ safe_prompt: true }, QUIRKS.openai],
    [{ prompt_mode: 'reasoning' }, QUIRKS.deepseek],
    [{ chat_template_kwargs: { enable_thinking: false } }, QUIRKS.mistral],
  ])('%j is rejected by name elsewhere', (body, quirks) => {
    expect(refusal(body, quirks)).toBe(`${Object.keys(body)[0]}: not supported by this model`);
  });

  test.each([0, -1])('are omitted where they have no effect, such as top_k %d', (topK) => {
    const body = {
      top_k: topK,
      min_p: 0,
      repetition_penalty: 1,
      safe_prompt: false,
      chat_template_kwargs: null,
    };
    const gone = Object.fromEntries(Object.keys(body).map((field) => [field, undefined]));
    expect(changed(body, QUIRKS.deepseek)).toEqual(gone);
  });

  test.each([
    [{ thinking: { type: 'disabled' } }, QUIRKS.openai, { thinking: undefined, reasoning_effort: '"none"' }],
    [
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      QUIRKS.xai,
      { thinking: undefined, reasoning_effort: '"low"' },
    ],
    [{ reasoning: { effort: 'low' } }, QUIRKS.mistral, { reasoning: undefined, reasoning_effort: '"low"' }],
    [
      { reasoning: { enabled: false } },
      QUIRKS.deepseek,
      { reasoning: undefined, thinking: '{"type":"disabled"}' },
    ],
    [{ enable_thinking: true }, QUIRKS.openai, { enable_thinking: undefined }],
    [{ thinking: { type: 'adaptive' } }, QUIRKS.deepseek, { thinking: undefined }],
    [
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      QUIRKS.deepseek,
      { thinking: undefined, reasoning_effort: '"low"' },
    ],
    [
      { thinking: { type: 'disabled', budget_tokens: 500 } },
      QUIRKS.deepseek,
      { thinking: '{"type":"disabled"}' },
    ],
    [
      { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
      QUIRKS.xai,
      { reasoning: undefined, reasoning_effort: '"low"' },
    ],
    [
      { thinking: { type: 'enabled' }, reasoning: { effort: 'high' } },
      QUIRKS.deepseek,
      { reasoning: undefined },
    ],
    [{ random_seed: 7 }, QUIRKS.openai, { random_seed: undefined, seed: '7' }],
    [{ random_seed: 7, seed: 8 }, QUIRKS.openai, { random_seed: undefined }],
  ])('%j is translated', (body, quirks, members) => {
    expect(changed(body, quirks)).toMatchObject(members);
  });

  test("disabling reasoning lets OpenAI's models keep their sampling parameters", () => {
    const off = { thinking: { type: 'disabled' }, temperature: 0 };
    expect(changed(off, QUIRKS.openai)).not.toHaveProperty('temperature');
  });

  test('a file is rejected where the provider has no part for it', () => {
    const messages = [
      { role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AA' } }] },
    ];
    expect(refusal({ messages }, QUIRKS.xai)).toBe(
      'messages[0].content[0]: documents are not supported by this model',
    );
    expect(refusal({ messages }, QUIRKS.openai)).toBeUndefined();
  });
});

describe('the quirks that operators set', () => {
  const changed = (body: object, quirks: Partial<OpenAiQuirks>, capabilities = THINKER) =>
    Object.fromEntries(
      passThroughMembers(body as Record<string, unknown>, capabilities, { ...QUIRKS.compatible, ...quirks }),
    );
  const messagesOf = (message: object, quirks: Partial<OpenAiQuirks>) =>
    JSON.parse(changed({ messages: [message] }, quirks).messages ?? 'null');

  test('leave a plain body of a compatible server unchanged', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }];
    expect(changed({ messages, temperature: 2, tool_choice: 'required', seed: 1 }, {})).toEqual({});
  });

  test.each([
    ['required', { requiredToolChoice: 'any' }, '"any"'],
    ['any', {}, '"required"'],
    ['any', { requiredToolChoice: 'auto' }, '"auto"'],
    ['required', { requiredToolChoice: 'auto' }, '"auto"'],
    [{ type: 'function', function: { name: 'f' } }, { namedToolChoice: 'auto' }, '"auto"'],
    [
      { type: 'function', function: { name: 'f' } },
      { namedToolChoice: 'required', requiredToolChoice: 'any' },
      '"any"',
    ],
  ] as const)('send the tool choice %j with %j as %s', (choice, quirks, written) => {
    expect(changed({ tool_choice: choice }, quirks)).toEqual({ tool_choice: written });
  });

  test.each(['auto', 'none', undefined])('leave the tool choice %s unchanged', (choice) => {
    const quirks = { requiredToolChoice: 'any', namedToolChoice: 'auto' } as const;
    expect(changed({ tool_choice: choice }, quirks)).toEqual({});
  });

  test('lower a temperature above the maximum of the provider', () => {
    expect(changed({ temperature: 1.5 }, { maxTemperature: 1 })).toEqual({ temperature: '1' });
    expect(changed({ temperature: 0.5 }, { maxTemperature: 1 })).toEqual({});
  });

  test('remove dropped parameters, also a tool choice that was fitted', () => {
    const quirks = { refusedHints: ['tool_choice', 'seed'], requiredToolChoice: 'any' } as const;
    expect(changed({ tool_choice: 'required', seed: 1 }, quirks)).toEqual({
      tool_choice: undefined,
      seed: undefined,
    });
  });

  test('send developer messages as system messages, unless the provider knows the role', () => {
    const message = { role: 'developer', content: 'a' };
    expect(messagesOf(message, {})).toEqual([{ role: 'system', content: 'a' }]);
    expect(messagesOf(message, { developerRole: true })).toBeNull();
  });

  test('join text parts for a provider that accepts only strings, and leave other content', () => {
    const parts = ['a', 'b'].map((text) => ({ type: 'text', text }));
    const image = { type: 'image_url', image_url: { url: 'https://x/y.png' } };
    const quirks = { stringContent: true };
    expect(messagesOf({ role: 'user', content: parts }, quirks)).toEqual([{ role: 'user', content: 'a\nb' }]);
    expect(messagesOf({ role: 'user', content: [...parts, image] }, quirks)).toBeNull();
  });

  test.each([
    ['reasoning', { content: 'x', reasoning_content: 'hm' }, { content: 'x', reasoning: 'hm' }],
    ['reasoning_content', { content: 'x', reasoning: 'hm' }, { content: 'x', reasoning_content: 'hm' }],
    ['think_tags', { content: 'x', reasoning: 'hm' }, { content: '<think>hm</think>x' }],
    ['think_tags', { content: null, reasoning_content: 'hm' }, { content: '<think>hm</think>' }],
  ] as const)('send thinking of earlier turns as %s, given %j', (reasoningReplay, given, sent) => {
    expect(messagesOf({ role: 'assistant', ...given }, { reasoningReplay })).toEqual([
      { role: 'assistant', ...sent },
    ]);
  });

  test('remove thinking in a field that models without reasoning refuse', () => {
    const body = { messages: [{ role: 'assistant', content: 'x', reasoning: 'hm' }] };
    const quirks = { reasoningReplay: 'reasoning' } as const;
    const plain = changed(body, quirks, new Set());
    expect(plain.messages).toBe('[{"role":"assistant","content":"x"}]');
    expect(changed({ ...body, temperature: 1 }, { ...quirks, notWhileThinking: ['temperature'] })).toEqual({
      temperature: undefined,
    });
  });

  test.each([
    ['reasoning', { content: 'x', reasoning: 'hm', reasoning_content: 'hm' }],
    ['reasoning_details', { content: 'x', reasoning: 'hm', reasoning_details: [] }],
    [undefined, { content: 'x', reasoning: 'hm' }],
  ] as const)('leave thinking for %s unchanged, given %j', (reasoningReplay, given) => {
    const quirks = reasoningReplay ? { reasoningReplay } : {};
    expect(messagesOf({ role: 'assistant', ...given }, quirks)).toBeNull();
  });

  test.each([
    ['thinking', { thinking: '{"type":"disabled"}' }],
    ['enable_thinking', { enable_thinking: 'false' }],
    ['reasoning', { reasoning: '{"enabled":false}' }],
    ['chat_template_kwargs', { chat_template_kwargs: '{"enable_thinking":false}' }],
  ] as const)('turn thinking off by %s if the effort is dropped', (thinkingSwitch, members) => {
    const quirks = { thinkingSwitch, refusedHints: ['reasoning_effort'] };
    expect(changed({ reasoning_effort: 'none' }, quirks)).toEqual({
      ...members,
      reasoning_effort: undefined,
    });
  });

  test('turn thinking on by the switch of the provider, given that of another one', () => {
    const quirks = { thinkingSwitch: 'enable_thinking', refusedHints: ['reasoning_effort'] } as const;
    expect(changed({ reasoning: { effort: 'low' } }, quirks)).toMatchObject({
      reasoning: undefined,
      enable_thinking: 'true',
    });
    expect(changed({ enable_thinking: true, reasoning_effort: 'none' }, quirks)).toEqual({
      reasoning_effort: undefined,
    });
  });

  test('keep the template arguments of the caller', () => {
    const quirks = { thinkingSwitch: 'chat_template_kwargs', refusedHints: ['reasoning_effort'] } as const;
    const body = { chat_template_kwargs: { thinking: true }, reasoning_effort: 'none' };
    expect(changed(body, quirks)).toEqual({ reasoning_effort: undefined });
  });
});
