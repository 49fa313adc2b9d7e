import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  AssistantPart,
  CacheHint,
  Conversation,
  Signature,
  TextPart,
  Turn,
  UserPart,
} from '../../domain/conversation';
import { anyConversation } from '../../domain/conversation.fixture';
import type { ContentBlock, ConverseBody } from './converse-body';
import { writeConverseRequest } from './write-request';

const CLAUDE = 'eu.anthropic.claude-sonnet-4-6';
const NOVA = 'amazon.nova-2-lite-v1:0';
const GPT = 'global.openai.gpt-5.6-luna';
const GPT_OSS = 'openai.gpt-oss-120b-1:0';
const MISTRAL = 'mistral.mistral-large-3-675b-instruct';
const OTHER = 'us.meta.llama4-maverick-17b-instruct-v1:0';

const said = (text: string, cache?: CacheHint): TextPart => ({ kind: 'text', text, ...(cache && { cache }) });
const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const PLAIN: Conversation = {
  system: [],
  turns: [user(said('q'))],
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
};
const PARAMETERS = { type: 'object', properties: { x: { type: 'integer' } } };
const TOOL = { name: 'f', description: 'Finds.', parameters: PARAMETERS };
const CALL: AssistantPart = {
  kind: 'tool_call',
  id: 'call_1',
  name: 'f',
  arguments: '{"x":12345678901234567890}',
};
const RESULT: UserPart = { kind: 'tool_result', callId: 'call_1', parts: [said('found')], isError: false };

function textOf(more: Partial<Conversation>, model: string, capabilities: readonly string[]): string {
  return writeConverseRequest({ ...PLAIN, ...more }, model, 8_000, new Set(capabilities)).toString();
}

const bodyOf = (more: Partial<Conversation>, model = CLAUDE, capabilities: readonly string[] = []) =>
  JSON.parse(textOf(more, model, capabilities)) as ConverseBody;

const contentOf = (turns: readonly Turn[], model = CLAUDE, more: Partial<Conversation> = {}) =>
  bodyOf({ turns, ...more }, model).messages.map(({ content }) => content);

test('only requested parameters are sent', () =>
  expect(bodyOf({ stream: true })).toEqual({
    messages: [{ role: 'user', content: [{ text: 'q' }] }],
    inferenceConfig: { maxTokens: 8_000 },
  }));

test('instructions from any turn are joined', () =>
  expect(
    bodyOf({
      system: [said('a', { ttl: '1h' }), said(' ')],
      turns: [...PLAIN.turns, { role: 'system', parts: [said('b')] }],
    }).system,
  ).toEqual([{ text: 'a ' }, { cachePoint: { type: 'default', ttl: '1h' } }, { text: 'b' }]));

test('hints without an equivalent are omitted', () =>
  expect(
    bodyOf({
      sampling: { presencePenalty: 1, frequencyPenalty: 1, seed: 7, stop: [] },
      endUser: 'u',
      parallelToolCalls: false,
    }),
  ).toEqual(bodyOf({})));

describe('sampling', () => {
  const sampling = { temperature: 1.5, topP: 0.9, topK: 5, stop: ['END', ' '] };

  test("is Claude's by its own rules, with its stop sequence in the reply", () => {
    expect(bodyOf({ sampling })).toEqual({
      ...bodyOf({}),
      inferenceConfig: { maxTokens: 8_000, topP: 0.9, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 5 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    });
    expect(bodyOf({ sampling, stream: true }).additionalModelResponseFieldPaths).toEqual([
      '/delta/stop_sequence',
    ]);
    expect(bodyOf({ sampling }, CLAUDE, ['adaptive_thinking']).inferenceConfig).toEqual({
      maxTokens: 8_000,
      stopSequences: ['END'],
    });
  });

  test('has a temperature of 1 at most for other models', () =>
    expect(bodyOf({ sampling }, OTHER)).toEqual({
      ...bodyOf({}),
      inferenceConfig: { maxTokens: 8_000, temperature: 1, topP: 0.9, stopSequences: ['END', ' '] },
    }));

  test('is omitted for GPT, except the stop sequences that it refuses', () =>
    expect(bodyOf({ sampling }, GPT).inferenceConfig).toEqual({
      maxTokens: 8_000,
      stopSequences: ['END', ' '],
    }));
});

describe('reasoning', () => {
  const fields = (reasoning: Conversation['reasoning'], model: string, capabilities: readonly string[]) =>
    bodyOf({ reasoning }, model, capabilities).additionalModelRequestFields;
  const EFFORTS = ['effort_none', 'effort_low', 'effort_medium', 'effort_high'];

  test("has Claude's budget or effort", () => {
    expect(fields({ budgetTokens: 2_000 }, CLAUDE, ['thinking_budget'])).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });
    expect(fields({ effort: 'high' }, CLAUDE, ['adaptive_thinking'])).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(fields({ effort: 'none' }, CLAUDE, ['adaptive_thinking'])).toEqual({
      thinking: { type: 'disabled' },
    });
  });

  test("is Claude's for the profile of an application whose model has Claude's capabilities", () =>
    expect(
      fields({ budgetTokens: 2_000 }, 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', [
        'thinking_budget',
      ]),
    ).toEqual({ thinking: { type: 'enabled', budget_tokens: 2_000 } }));

  test("has Nova's effort, which is medium at most because high excludes a maximum output", () => {
    expect(fields({ effort: 'low' }, NOVA, EFFORTS)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    });
    expect(fields({ effort: 'high' }, NOVA, EFFORTS)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    });
    expect(fields({ effort: 'none' }, NOVA, EFFORTS)).toEqual({ reasoningConfig: { type: 'disabled' } });
  });

  test('has the effort of models of OpenAI', () => {
    expect(fields({ effort: 'high' }, GPT, EFFORTS)).toEqual({ reasoning: { effort: 'high' } });
    expect(fields({ effort: 'max' }, GPT_OSS, EFFORTS)).toEqual({ reasoning_effort: 'high' });
  });

  test.each([
    ['a model without efforts in the catalog', GPT, []],
    ['a model of another vendor', OTHER, EFFORTS],
  ])('is omitted for %s', (_what, model, capabilities) =>
    expect(fields({ effort: 'high' }, model, capabilities)).toBeUndefined(),
  );
});

describe('thinking of the history', () => {
  const thought = (signature: Signature | undefined): AssistantPart => ({
    kind: 'thinking',
    text: 'Hm.',
    signature,
  });
  const redacted = (value: string, wire: Signature['wire'] = 'bedrock'): AssistantPart => ({
    kind: 'redacted_thinking',
    data: { wire, value },
  });
  const GPTS = Buffer.from('rsn_abc').toString('base64');
  const CLAUDES = Buffer.from('EmwKAhgB').toString('base64');
  const blocksOf = (part: AssistantPart, model = CLAUDE) =>
    contentOf([user(said('q')), assistant(part, said('a')), user(said('r'))], model)[1]!.slice(0, -1);

  test.each(['bedrock', 'anthropic'] as const)(
    'that is signed by Claude (%s) is sent to Claude unchanged',
    (wire) =>
      expect(blocksOf(thought({ wire, value: 'S' }))).toEqual([
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'S' } } },
      ]),
  );

  test('that is redacted is sent to the vendor of its model unchanged', () => {
    expect(blocksOf(redacted(CLAUDES))).toEqual([{ reasoningContent: { redactedContent: CLAUDES } }]);
    expect(blocksOf(redacted(GPTS), GPT)).toEqual([{ reasoningContent: { redactedContent: GPTS } }]);
  });

  test.each<[string, AssistantPart, string]>([
    ['is not signed', thought(undefined), CLAUDE],
    ['has an empty signature', thought({ wire: 'bedrock', value: '' }), CLAUDE],
    ['another provider has signed', thought({ wire: 'gemini', value: 'S' }), CLAUDE],
    ['Claude has signed, for another model,', thought({ wire: 'bedrock', value: 'S' }), GPT],
    ['another provider has redacted', redacted(CLAUDES, 'anthropic'), CLAUDE],
    ['GPT has redacted, for Claude,', redacted(GPTS), CLAUDE],
    ['Claude has redacted, for GPT,', redacted(CLAUDES), GPT],
    ['any model has redacted, for others,', redacted(CLAUDES), OTHER],
  ])('that %s is omitted', (_what, part, model) => expect(blocksOf(part, model)).toEqual([]));
});

describe('tools', () => {
  const config = (more: Partial<Conversation>, model = CLAUDE) =>
    bodyOf({ tools: [TOOL], ...more }, model).toolConfig;
  const spec = { toolSpec: { name: 'f', description: 'Finds.', inputSchema: { json: PARAMETERS } } };

  test('are offered without a choice unless one is forced', () => {
    expect(config({})).toEqual({ tools: [spec] });
    expect(config({ toolChoice: { kind: 'required' } })).toEqual({ tools: [spec], toolChoice: { any: {} } });
    expect(config({ toolChoice: { kind: 'tool', name: 'f' } })).toEqual({
      tools: [spec],
      toolChoice: { tool: { name: 'f' } },
    });
  });

  test('are omitted if they are not allowed', () => {
    const other = { ...TOOL, name: 'g' };
    const choice = { kind: 'allowed', names: ['f'], required: true } as const;
    expect(config({ tools: [TOOL, other], toolChoice: choice })).toEqual({
      tools: [spec],
      toolChoice: { any: {} },
    });
    expect(config({ toolChoice: { kind: 'none' } })).toBeUndefined();
  });

  test('have neither an empty description nor a strict schema, which some models refuse', () =>
    expect(config({ tools: [{ name: 'f', description: '', parameters: PARAMETERS, strict: true }] })).toEqual(
      {
        tools: [{ toolSpec: { name: 'f', inputSchema: { json: PARAMETERS } } }],
      },
    ));

  test('have cache points for Claude only', () => {
    const tools = [{ ...TOOL, cache: { ttl: '1h' } as const }];
    expect(config({ tools })?.tools).toEqual([spec, { cachePoint: { type: 'default', ttl: '1h' } }]);
    expect(config({ tools }, NOVA)?.tools).toEqual([spec]);
  });
});

describe('tool calls of the history', () => {
  const turns = [user(said('q')), assistant(CALL), user({ ...RESULT, isError: true }, said('go on'))];

  test('are sent with their results, and long integers keep their digits', () => {
    expect(textOf({ turns, tools: [TOOL] }, CLAUDE, [])).toContain('"input":{"x":12345678901234567890}');
    expect(contentOf(turns, CLAUDE, { tools: [TOOL] }).slice(1)).toEqual([
      [{ toolUse: { toolUseId: 'call_1', name: 'f', input: { x: expect.any(Number) } } }],
      [
        { toolResult: { toolUseId: 'call_1', content: [{ text: 'found' }], status: 'error' } },
        { text: 'go on' },
      ],
    ]);
  });

  test('have no status for models that refuse it', () =>
    expect(contentOf(turns, OTHER, { tools: [TOOL] })[2]![0]).toEqual({
      toolResult: { toolUseId: 'call_1', content: [{ text: 'found' }] },
    }));

  test('have ids of nine letters and digits for Mistral, the same for the call and its result', () => {
    const [, [called], [answered]] = contentOf(turns, MISTRAL, { tools: [TOOL] }) as never as [
      unknown,
      [{ toolUse: { toolUseId: string } }],
      [{ toolResult: { toolUseId: string } }],
    ];
    expect(called.toolUse.toolUseId).toMatch(/^[a-z0-9]{9}$/);
    expect(answered.toolResult.toolUseId).toBe(called.toolUse.toolUseId);
  });

  test('without a result have an error, and an empty result has a text', () => {
    const empty = { ...RESULT, parts: [] };
    expect(contentOf([assistant(CALL), user(empty)], CLAUDE, { tools: [TOOL] })[2]).toEqual([
      { toolResult: { toolUseId: 'call_1', content: [{ text: '(no output)' }] } },
    ]);
    expect(contentOf([assistant(CALL)], CLAUDE, { tools: [TOOL] })[2]).toEqual([
      {
        toolResult: {
          toolUseId: 'call_1',
          content: [{ text: 'The tool gave no result.' }],
          status: 'error',
        },
      },
    ]);
  });

  test.each<[string, Partial<Conversation>]>([
    ['no tools are offered', {}],
    ['the model must not call any', { tools: [TOOL], toolChoice: { kind: 'none' } }],
  ])('become text if %s, because Converse refuses them then', (_what, more) =>
    expect(contentOf(turns, CLAUDE, more).slice(1)).toEqual([
      [{ text: 'Called the tool f with {"x":12345678901234567890}.' }],
      [{ text: 'Result of an earlier tool call:' }, { text: 'found' }, { text: 'go on' }],
    ]),
  );
});

describe('media', () => {
  const image = (mediaType: string): UserPart => ({
    kind: 'image',
    source: { kind: 'base64', mediaType, data: 'AAAA' },
  });
  const pdf = (title?: string): UserPart => ({
    kind: 'document',
    source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' },
    title,
  });

  test.each([
    ['image/png', 'png'],
    ['image/jpeg', 'jpeg'],
    ['image/jpg', 'jpeg'],
    ['image/gif', 'gif'],
    ['image/webp', 'webp'],
  ])('of type %s are images of format %s', (mediaType, format) =>
    expect(contentOf([user(image(mediaType))])).toEqual([[{ image: { format, source: { bytes: 'AAAA' } } }]]),
  );

  test('that are PDFs have names that differ, their titles as text, and a text beside them', () => {
    const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'AAAA' } } });
    expect(contentOf([user(pdf()), assistant(said('a')), user(pdf('Report [1]'), pdf())])).toEqual([
      [document('document-1'), { text: 'See the document.' }],
      [{ text: 'a' }],
      [{ text: 'document-2: Report [1]' }, document('document-2'), document('document-3')],
    ]);
  });

  test('that are text become text', () => {
    const part: UserPart = { kind: 'document', source: { kind: 'text', text: 'x' }, title: 'T' };
    const file: UserPart = {
      kind: 'document',
      source: { kind: 'base64', mediaType: 'text/csv', data: Buffer.from('a,b').toString('base64') },
    };
    expect(contentOf([user(part, file)])).toEqual([[{ text: 'T\n\nx' }, { text: 'a,b' }]]);
  });

  test('are sent within the results of tools', () => {
    const result = { ...RESULT, parts: [image('image/png'), pdf()] } as UserPart;
    const turns = [user(said('q')), assistant(CALL), user(result)];
    expect(contentOf(turns, CLAUDE, { tools: [TOOL] })[2]).toMatchObject([
      { toolResult: { content: [{ image: { format: 'png' } }, { document: { name: 'document-1' } }] } },
    ]);
  });

  test.each<[string, UserPart]>([
    ['images by URL', { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }],
    ['documents by URL', { kind: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } }],
    ['images must be JPEG, PNG, GIF or WebP', image('image/bmp')],
    ['audio', { kind: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: 'AAAA' } }],
  ])('that Converse lacks are refused: %s', (detail, part) => {
    expect(() => bodyOf({ turns: [user(part)] })).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining(detail) }),
    );
    const result = { ...RESULT, parts: [part] } as UserPart;
    expect(() => bodyOf({ turns: [assistant(CALL), user(result)], tools: [TOOL] })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

describe('cache points', () => {
  const short = { ttl: '5m' } as const;
  const long = { ttl: '1h' } as const;
  const points = (blocks: readonly object[]) => blocks.filter((block) => 'cachePoint' in block);

  test('follow the content that they end', () =>
    expect(
      contentOf([user(said('a', long), said('b')), assistant(said('c', short)), user(said('d'))]),
    ).toEqual([
      [{ text: 'a' }, { cachePoint: { type: 'default', ttl: '1h' } }, { text: 'b' }],
      [{ text: 'c' }, { cachePoint: { type: 'default' } }],
      [{ text: 'd' }],
    ]));

  test('within a result are after it', () => {
    const result: UserPart = { ...RESULT, parts: [said('x', short), said('y')] };
    expect(contentOf([assistant(CALL), user(result)], CLAUDE, { tools: [TOOL] })[2]).toEqual([
      { toolResult: { toolUseId: 'call_1', content: [{ text: 'x' }, { text: 'y' }] } },
      { cachePoint: { type: 'default' } },
    ]);
  });

  test('are the last four, and none lives longer than one before it', () => {
    const { system, messages, toolConfig } = bodyOf({
      tools: [{ ...TOOL, cache: long }],
      system: [said('a', long)],
      turns: [user(said('b', short), said('c', long)), assistant(said('d')), user(said('e', short))],
    });
    expect(points(toolConfig!.tools)).toEqual([]);
    expect(points([...system!, ...messages.flatMap(({ content }) => content)])).toEqual([
      { cachePoint: { type: 'default', ttl: '1h' } },
      { cachePoint: { type: 'default' } },
      { cachePoint: { type: 'default' } },
      { cachePoint: { type: 'default' } },
    ]);
  });

  test('have no lifetime for Nova, and are omitted for models without a cache', () => {
    const turns = [user(said('a', long))];
    expect(contentOf(turns, NOVA)).toEqual([[{ text: 'a' }, { cachePoint: { type: 'default' } }]]);
    for (const model of [GPT, GPT_OSS, MISTRAL, OTHER])
      expect(contentOf(turns, model)).toEqual([[{ text: 'a' }]]);
  });
});

describe('the output format', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const output = { kind: 'schema', name: 'answer', description: 'An answer.', schema } as const;

  test('is a schema in JSON text for models that compile it', () =>
    expect(bodyOf({ output }, CLAUDE, ['json_schema'])).toEqual({
      ...bodyOf({}),
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              name: 'answer',
              description: 'An answer.',
              schema: JSON.stringify({
                type: 'object',
                properties: schema.properties,
                additionalProperties: false,
                required: ['a'],
              }),
            },
          },
        },
      },
    }));

  test.each<[string, Conversation['output'], readonly string[]]>([
    ['a model without structured output', output, []],
    [
      'a schema that cannot be compiled',
      { ...output, schema: { type: 'object', additionalProperties: true } },
      ['json_schema'],
    ],
    ['any JSON', { kind: 'json' }, ['json_schema']],
  ])('is described in the instructions for %s', (_what, shape, capabilities) => {
    const { outputConfig, system } = bodyOf({ output: shape }, CLAUDE, capabilities);
    expect(outputConfig).toBeUndefined();
    expect(system).toEqual([{ text: expect.stringContaining('Answer with one JSON object') }]);
  });
});

describe('a last turn of the assistant', () => {
  const turns = [user(said('q')), assistant(said('The answer is '))];

  test('is continued by Claude up to 4.5', () =>
    expect(contentOf(turns)).toEqual([[{ text: 'q' }], [{ text: 'The answer is' }]]));

  test.each([
    ['later models of Claude', CLAUDE, ['adaptive_thinking']],
    ['other models', OTHER, []],
  ])('is followed by a request to continue for %s', (_what, model, capabilities) =>
    expect(bodyOf({ turns }, model, capabilities).messages.at(-1)).toEqual({
      role: 'user',
      content: [{ text: '(Continue.)' }],
    }),
  );
});

test.each([CLAUDE, NOVA, GPT, MISTRAL, OTHER])(
  'any conversation becomes messages that Converse accepts (%s)',
  (model) => {
    fc.assert(
      fc.property(anyConversation, fc.boolean(), (conversation, hasTools) => {
        const { messages, toolConfig } = bodyOf(
          { ...conversation, tools: hasTools ? conversation.tools : [] },
          model,
        );
        expect(messages[0]?.role).toBe('user');
        const names = new Set<string>();
        for (const [index, { role, content }] of messages.entries()) {
          expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant');
          expect(content.length).toBeGreaterThan(0);
          for (const block of content) expectAccepted(block, names, toolConfig !== undefined);
          const called = idsOf(content, 'toolUse');
          expect(idsOf(messages[index + 1]?.content ?? [], 'toolResult')).toEqual(called);
        }
      }),
    );
  },
);

function expectAccepted(block: ContentBlock, names: Set<string>, hasTools: boolean): void {
  expect(Object.keys(block)).toHaveLength(1);
  if ('text' in block) expect(block.text).toMatch(/\S/);
  if ('document' in block) {
    expect(block.document.name).toMatch(/^[a-z0-9-]+$/);
    expect(names.has(block.document.name)).toBe(false);
    names.add(block.document.name);
  }
  if ('toolUse' in block || 'toolResult' in block) expect(hasTools).toBe(true);
  if ('toolResult' in block) expect(block.toolResult.content.length).toBeGreaterThan(0);
}

function idsOf(content: readonly ContentBlock[], kind: 'toolUse' | 'toolResult'): string[] {
  return content.flatMap((block) =>
    Object.entries(block).flatMap(([key, value]) => (key === kind ? [value.toolUseId as string] : [])),
  );
}
