import { describe, expect, test } from '@jest/globals';
import type { Conversation } from '../../domain/conversation';
import { effortOf } from '../../domain/effort';
import { type OpenAiQuirks, QUIRKS } from './quirks';
import { writeRequest } from './write-request';

const plain: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
};
const tools = ['f', 'g'].map((name) => ({ name, parameters: { type: 'object', properties: {} } }));
const efforts = (...names: string[]) => new Set(['reasoning', ...names.map((name) => `effort_${name}`)]);
const THINKER = efforts('none', 'low', 'medium', 'high');

const write = (
  fields: Partial<Conversation>,
  capabilities: ReadonlySet<string> = new Set(),
  quirks: OpenAiQuirks = QUIRKS.openai,
) => JSON.parse(writeRequest({ ...plain, ...fields }, 'up-1', 50, capabilities, quirks).toString());

test('a minimal request', () => {
  expect(write({})).toEqual({
    model: 'up-1',
    messages: [{ role: 'user', content: 'hi' }],
    max_completion_tokens: 50,
  });
});

test('a stream requests usage, unless the provider rejects that option', () => {
  expect(write({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  expect(write({ stream: true }, new Set(), QUIRKS.mistral)).toEqual({
    model: 'up-1',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 50,
    stream: true,
  });
});

describe('tools', () => {
  const call = (name: string) => ({ type: 'function', function: { name } });

  test('with a description and an object for parameters', () => {
    const [tool] = write({ tools: [{ name: 'f', description: 'd', parameters: {} }] }).tools;
    expect(tool.function).toEqual({
      name: 'f',
      description: 'd',
      parameters: { type: 'object', properties: {} },
    });
  });

  test.each([
    [{ kind: 'auto' }, undefined],
    [{ kind: 'none' }, 'none'],
    [{ kind: 'required' }, 'required'],
    [{ kind: 'tool', name: 'g' }, call('g')],
    [
      { kind: 'allowed', names: ['g'], required: true },
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [call('g')] } },
    ],
  ] as const)('chosen by %j', (toolChoice, expected) => {
    expect(write({ tools, toolChoice }).tool_choice).toEqual(expected);
  });

  test('where allowed_tools is not supported, the other tools are omitted', () => {
    const toolChoice = { kind: 'allowed', names: ['g'], required: true } as const;
    expect(write({ tools, toolChoice }, new Set(), QUIRKS.xai)).toMatchObject({
      tools: [call('g')],
      tool_choice: 'required',
    });
  });

  test('one at a time', () => {
    expect(write({ tools, parallelToolCalls: false }).parallel_tool_calls).toBe(false);
    for (const fields of [{ tools, parallelToolCalls: true }, { parallelToolCalls: false }]) {
      expect(write(fields)).not.toHaveProperty('parallel_tool_calls');
    }
  });
});

describe('strict mode', () => {
  const strict = {
    type: 'object',
    properties: { x: { type: 'string' } },
    required: ['x'],
    additionalProperties: false,
  };
  const loose: [string, Record<string, unknown>][] = [
    ['an optional property', { ...strict, required: [] }],
    ['other properties', { ...strict, additionalProperties: true }],
    ['an inner object that is loose', { ...strict, properties: { x: { type: 'object', properties: {} } } }],
    ['a loose definition', { ...strict, $defs: { d: { type: 'object' } } }],
    ['loose items', { type: 'array', items: { type: 'object' } }],
    ['a loose alternative', { anyOf: [{ type: 'string' }, { type: 'object' }] }],
  ];

  test.each(loose)('is not requested for %s', (_name, parameters) => {
    const asked = write({
      tools: [{ name: 'f', parameters, strict: true }],
      output: { kind: 'schema', name: 'n', schema: parameters },
    });
    expect(asked.tools[0].function).not.toHaveProperty('strict');
    expect(asked.response_format.json_schema).toMatchObject({ schema: parameters, strict: false });
  });

  test('is requested for a schema that OpenAI can enforce', () => {
    const output = { kind: 'schema', name: 'my shape!', description: 'd', schema: strict } as const;
    const asked = write({ tools: [{ name: 'f', parameters: strict, strict: true }], output });
    expect(asked.tools[0].function.strict).toBe(true);
    expect(asked.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'my_shape_', description: 'd', schema: strict, strict: true },
    });
    expect(write({ output: { ...output, strict: false } }).response_format.json_schema.strict).toBe(false);
  });
});

test('JSON', () => {
  expect(write({ output: { kind: 'json' } }).response_format).toEqual({ type: 'json_object' });
});

describe('reasoning effort', () => {
  test.each([
    [{ effort: 'high' }, 'high'],
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'max' }, 'high'],
    [{ effort: 'none' }, 'none'],
    [{ budgetTokens: 0 }, 'none'],
    [{ budgetTokens: 1_024 }, 'low'],
    [{ budgetTokens: 4_000 }, 'medium'],
    [{ budgetTokens: 31_999 }, 'high'],
    [{ adaptive: true }, undefined],
    [{ effort: 'low', budgetTokens: 31_999 }, 'low'],
  ] as const)('%j is %s', (reasoning, expected) => {
    expect(write({ reasoning }, THINKER).reasoning_effort).toBe(expected);
  });

  test('a model that always reasons gets the lowest effort', () => {
    expect(effortOf({ effort: 'none' }, efforts('minimal', 'low', 'high'))).toBe('minimal');
  });

  test('a model that only accepts an off switch is not asked to reason', () => {
    expect(effortOf({ effort: 'high' }, efforts('none'))).toBeUndefined();
  });

  test('a model without reasoning effort gets none', () => {
    expect(write({ reasoning: { effort: 'high' } }, new Set(['reasoning']))).not.toHaveProperty(
      'reasoning_effort',
    );
  });

  test('is omitted beside tools where a model accepts only one of them', () => {
    const exclusive = new Set([...THINKER, 'effort_excludes_tools']);
    const asked = write({ tools, reasoning: { effort: 'high' } }, exclusive);
    expect(asked).toHaveProperty('tools');
    expect(asked).not.toHaveProperty('reasoning_effort');
    expect(write({ tools, reasoning: { effort: 'none' } }, exclusive).reasoning_effort).toBe('none');
    expect(write({ tools, reasoning: { effort: 'high' } }, THINKER).reasoning_effort).toBe('high');
  });

  test('DeepSeek has a switch, and thinks only where no tool is forced', () => {
    const asked = (fields: Partial<Conversation>) => write(fields, THINKER, QUIRKS.deepseek);
    expect(asked({ reasoning: { effort: 'none' } })).toMatchObject({ thinking: { type: 'disabled' } });
    expect(asked({ tools, toolChoice: { kind: 'required' } })).toMatchObject({
      thinking: { type: 'disabled' },
      tool_choice: 'required',
    });
    expect(asked({ tools, reasoning: { effort: 'high' } })).toMatchObject({ reasoning_effort: 'high' });
  });
});

describe('sampling parameters', () => {
  const sampling = {
    temperature: 0,
    topP: 0.9,
    topK: 5,
    presencePenalty: 1,
    frequencyPenalty: 1,
    seed: 7,
    stop: ['x'],
  };
  const fields = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed', 'stop'];
  const taken = (asked: object) => fields.filter((field) => field in asked);

  test("have the provider's names", () => {
    expect(write({ sampling })).toMatchObject({
      temperature: 0,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: 1,
      seed: 7,
      stop: ['x'],
    });
    expect(write({ sampling })).not.toHaveProperty('top_k');
    expect(write({ sampling }, new Set(), QUIRKS.mistral)).toMatchObject({ random_seed: 7 });
    expect(taken(write({ sampling }, new Set(), QUIRKS.mistral))).not.toContain('seed');
  });

  test("are omitted for OpenAI's reasoning models, unless reasoning is off", () => {
    expect(taken(write({ sampling }, THINKER))).toEqual(['seed', 'stop']);
    expect(taken(write({ sampling, reasoning: { effort: 'none' } }, THINKER))).toEqual(fields);
    // This one thinks all the same.
    expect(taken(write({ sampling, reasoning: { effort: 'none' } }, efforts('low')))).toEqual([
      'seed',
      'stop',
    ]);
  });

  test('xAI gets no penalties', () => {
    expect(taken(write({ sampling }, new Set(), QUIRKS.xai))).toEqual([
      'temperature',
      'top_p',
      'seed',
      'stop',
    ]);
  });
});

test('the end user is identified by an id that fits', () => {
  expect(write({ endUser: 'u' }).safety_identifier).toBe('u');
  expect(write({ endUser: 'u'.repeat(200) }).safety_identifier).toMatch(/^[0-9a-f]{64}$/);
  expect(write({ endUser: 'u' }, new Set(), QUIRKS.xai).user).toBe('u');
  expect(JSON.stringify(write({ endUser: 'the-user' }, new Set(), QUIRKS.mistral))).not.toContain('the-user');
});

describe('the quirks that operators set', () => {
  const written = (fields: Partial<Conversation>, quirks: Partial<OpenAiQuirks>) =>
    write(fields, THINKER, { ...QUIRKS.compatible, ...quirks });

  test.each([
    [{ kind: 'required' }, { requiredToolChoice: 'any' }, 'any'],
    [{ kind: 'tool', name: 'f' }, { namedToolChoice: 'auto' }, 'auto'],
    [{ kind: 'tool', name: 'f' }, { namedToolChoice: 'required', requiredToolChoice: 'any' }, 'any'],
    [{ kind: 'allowed', names: ['f'], required: true }, { requiredToolChoice: 'auto' }, 'auto'],
    [{ kind: 'none' }, { requiredToolChoice: 'any', namedToolChoice: 'any' }, 'none'],
  ] as const)('send the tool choice %j with %j as %s', (toolChoice, quirks, sent) => {
    expect(written({ tools, toolChoice }, quirks).tool_choice).toBe(sent);
  });

  test('remove dropped parameters', () => {
    const sampling = { temperature: 1, seed: 7, stop: ['x'] };
    const quirks = {
      refusedHints: ['temperature', 'seed', 'stop', 'parallel_tool_calls', 'reasoning_effort'],
    };
    const fields = { sampling, tools, parallelToolCalls: false, reasoning: { effort: 'low' } } as const;
    expect(Object.keys(written(fields, quirks))).toEqual(['model', 'messages', 'max_tokens', 'tools']);
  });

  test('lower a temperature above the maximum of the provider', () => {
    const temperatureOf = (temperature: number) =>
      written({ sampling: { temperature, stop: [] } }, { maxTemperature: 1 }).temperature;
    expect([2, 0.5, 0].map(temperatureOf)).toEqual([1, 0.5, 0]);
  });

  test('turn thinking on and off, and send an effort where it is accepted', () => {
    const thinkingSwitch = 'thinking';
    const none = { reasoning: { effort: 'none' } } as const;
    const low = { reasoning: { effort: 'low' } } as const;
    const dropped = { thinkingSwitch, refusedHints: ['reasoning_effort'] } as const;
    expect(written(none, { thinkingSwitch })).toMatchObject({ thinking: { type: 'disabled' } });
    expect(written(low, { thinkingSwitch })).toMatchObject({ reasoning_effort: 'low' });
    expect(written(low, dropped)).toMatchObject({ thinking: { type: 'enabled' } });
    expect(written(low, dropped)).not.toHaveProperty('reasoning_effort');
  });
});
