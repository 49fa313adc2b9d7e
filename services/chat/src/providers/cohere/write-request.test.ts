import type { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AssistantPart, Conversation, ToolChoice, UserPart } from '../../domain/conversation';
import { anyConversation } from '../../domain/conversation.fixture';
import { writeChatRequest } from './write-request';

const plain: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
};
const THINKER = new Set(['reasoning']);
const tools = ['f', 'g'].map((name) => ({ name, parameters: { type: 'object', properties: {} } }));

const write = (fields: Partial<Conversation>, capabilities: ReadonlySet<string> = new Set()) =>
  JSON.parse(writeChatRequest({ ...plain, ...fields }, 'command-a', 4_000, capabilities).toString());
const refusal = (fields: Partial<Conversation>) => {
  try {
    write(fields);
    return undefined;
  } catch (error) {
    return (error as GatewayError).detail;
  }
};

test('a minimal request has the model, the messages and the maximum', () => {
  expect(write({})).toEqual({
    model: 'command-a',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 4_000,
  });
  expect(write({ stream: true })).toMatchObject({ stream: true });
});

describe('messages', () => {
  const user = (...parts: UserPart[]) => ({ role: 'user', parts }) as const;
  const assistant = (...parts: AssistantPart[]) => ({ role: 'assistant', parts }) as const;
  const text = (words: string) => ({ kind: 'text', text: words }) as const;
  const thought: AssistantPart = { kind: 'thinking', text: 'hm', signature: undefined };
  const call: AssistantPart = { kind: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}' };
  const result = (words: string): UserPart => ({
    kind: 'tool_result',
    callId: 'a',
    parts: [text(words)],
    isError: false,
  });
  const called = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }];

  test('begin with all instructions', () => {
    const later = { role: 'system', parts: [text('later')] } as const;
    expect(write({ system: [text('first')], turns: [user(text('hi')), later] }).messages).toEqual([
      { role: 'system', content: 'first\n\nlater' },
      { role: 'user', content: 'hi' },
    ]);
  });

  test('contain images by URL and by value', () => {
    const source = { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } as const;
    expect(
      write({ turns: [user({ kind: 'image', source, detail: 'low' }, text('what?'))] }).messages,
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'text', text: 'what?' },
        ],
      },
    ]);
  });

  test('contain tool calls with the plan before them, and their results', () => {
    const turns = [user(text('hi')), assistant(thought, text('so'), call), user(result('ok'))];
    expect(write({ turns, tools }).messages.slice(1)).toEqual([
      { role: 'assistant', tool_plan: 'hm\nso', tool_calls: called },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ]);
  });

  test('contain the thinking before tool calls as a part for a model that thinks', () => {
    const turns = [user(text('hi')), assistant(thought, text('so'), call), user(result(''))];
    expect(write({ turns, tools }, THINKER).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }],
        tool_plan: 'so',
        tool_calls: called,
      },
      { role: 'tool', tool_call_id: 'a', content: '(no output)' },
    ]);
  });

  test('omit the thinking of turns that have ended, and that of other providers', () => {
    const foreign: AssistantPart = {
      kind: 'thinking',
      text: 'foreign',
      signature: { wire: 'anthropic', value: 'S' },
    };
    const turns = [user(text('a')), assistant(thought, foreign, text('b')), user(text('c'))];
    expect(write({ turns }, THINKER).messages[1]).toEqual({
      role: 'assistant',
      content: 'b',
    });
  });

  test('with audio or a PDF are refused', () => {
    const source = { kind: 'base64', mediaType: 'audio/wav', data: 'AAAA' } as const;
    expect(refusal({ turns: [user({ kind: 'audio', source })] })).toBe(
      'audio is not supported by this model',
    );
    expect(refusal({ turns: [user({ kind: 'document', source })] })).toBe(
      'documents are not supported by this model',
    );
  });

  test('of any conversation have content or calls, and answer each call at once', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const fields = { ...conversation, output: { kind: 'text' } as const, sampling: { stop: [] } };
        let open: string[] = [];
        if (refusal(fields)) return;
        for (const { role, content, tool_calls, tool_call_id } of write(fields).messages) {
          expect(content?.length > 0 || tool_calls?.length > 0).toBe(true);
          if (role === 'tool') open = open.filter((id) => id !== tool_call_id);
          else expect(open).toEqual([]);
          for (const { id } of tool_calls ?? []) open.push(id);
        }
        expect(open).toEqual([]);
      }),
    );
  });
});

describe('tools', () => {
  test.each<[ToolChoice, string | undefined, string[]]>([
    [{ kind: 'auto' }, undefined, ['f', 'g']],
    [{ kind: 'none' }, 'NONE', ['f', 'g']],
    [{ kind: 'required' }, 'REQUIRED', ['f', 'g']],
    [{ kind: 'tool', name: 'g' }, 'REQUIRED', ['g']],
    [{ kind: 'allowed', names: ['f'], required: true }, 'REQUIRED', ['f']],
    [{ kind: 'allowed', names: ['f'], required: false }, undefined, ['f']],
  ])('for the choice %j have the choice %s of %j', (toolChoice, choice, names) => {
    const body = write({ tools, toolChoice });
    expect(body.tool_choice).toBe(choice);
    expect(body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(names);
  });

  test('are strict only if all of them are and require a parameter', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const strict = tools.map((tool) => ({ ...tool, parameters, strict: true }));
    expect(write({ tools: strict })).toMatchObject({ strict_tools: true });
    expect(write({ tools: tools.map((tool) => ({ ...tool, strict: true })) })).not.toHaveProperty(
      'strict_tools',
    );
    expect(write({ tools: [...strict.slice(1), ...tools] })).not.toHaveProperty('strict_tools');
  });
});

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const output = { kind: 'schema', name: 'o', schema } as const;

  test('is a JSON object, with a schema if there is one', () => {
    expect(write({ output: { kind: 'json' } }).response_format).toEqual({ type: 'json_object' });
    expect(write({ output }).response_format).toEqual({ type: 'json_object', json_schema: schema });
  });

  test('is refused together with tools, unless none may be called', () => {
    expect(refusal({ output, tools })).toBe('this model does not support JSON output together with tools');
    expect(write({ output, tools, toolChoice: { kind: 'none' } })).not.toHaveProperty('tools');
  });
});

describe('sampling', () => {
  test('is brought into the ranges of the provider', () => {
    const sampling = { topP: 1, topK: 1_000, presencePenalty: -1, frequencyPenalty: 2, seed: -1, stop: [''] };
    expect(write({ sampling })).toMatchObject({ p: 0.99, k: 500, frequency_penalty: 1 });
    expect(write({ sampling })).not.toHaveProperty('seed');
    expect(write({ sampling })).not.toHaveProperty('stop_sequences');
  });

  test('has one penalty, because the provider refuses two', () => {
    const both = write({ sampling: { stop: [], presencePenalty: 0.3, frequencyPenalty: 0.2 } });
    expect(both).toMatchObject({ frequency_penalty: 0.2 });
    expect(both).not.toHaveProperty('presence_penalty');
    const presence = write({ sampling: { stop: [], presencePenalty: 0.3, frequencyPenalty: 0 } });
    expect(presence).toMatchObject({ presence_penalty: 0.3 });
    expect(presence).not.toHaveProperty('frequency_penalty');
  });

  test('is otherwise unchanged', () => {
    const sampling = { temperature: 0, topP: 0.5, topK: 40, seed: 7, stop: ['a', 'b'] };
    expect(write({ sampling })).toMatchObject({
      temperature: 0,
      p: 0.5,
      k: 40,
      seed: 7,
      stop_sequences: ['a', 'b'],
    });
  });

  test('with too many stop sequences is refused', () => {
    expect(refusal({ sampling: { stop: ['1', '2', '3', '4', '5', '6'] } })).toBe(
      'this model takes at most 5 stop sequences',
    );
  });
});

describe('thinking', () => {
  test.each([
    [undefined, undefined],
    [{ effort: 'none' }, { type: 'disabled' }],
    [{ budgetTokens: 0 }, { type: 'disabled' }],
    [{ effort: 'low' }, { type: 'enabled', token_budget: 1_024 }],
    [{ effort: 'high' }, { type: 'enabled' }],
    [{ adaptive: true }, { type: 'enabled' }],
    [{ budgetTokens: 3_000 }, { type: 'enabled', token_budget: 2_000 }],
  ] as const)('for %j is %j', (reasoning, thinking) => {
    expect(write({ reasoning }, THINKER).thinking).toEqual(thinking);
  });

  test('is not set for a model that does not think', () => {
    expect(write({ reasoning: { effort: 'high' } })).not.toHaveProperty('thinking');
  });
});
