import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AssistantPart, Conversation, Turn, UserPart } from '../../domain/conversation';
import { anyConversation } from '../../domain/conversation.fixture';
import { type OpenAiQuirks, QUIRKS } from './quirks';
import { shortToolId, writeMessages } from './write-messages';

const text = (words: string) => ({ kind: 'text', text: words }) as const;
const call = (id: string): AssistantPart => ({ kind: 'tool_call', id, name: 'f', arguments: '{}' });
const image = { kind: 'image', source: { kind: 'url', url: 'https://x/y.png' } } as const;
const pdf = { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' } as const;
const result = (callId: string, ...parts: (typeof image | ReturnType<typeof text>)[]): UserPart => ({
  kind: 'tool_result',
  callId,
  parts,
  isError: false,
});
const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const system = (words: string): Turn => ({ role: 'system', parts: [text(words)] });

const conversation = (turns: Turn[]): Conversation => ({
  system: [],
  turns,
  tools: [],
  toolChoice: { kind: 'auto' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
});
const write = (turns: Turn[], quirks: OpenAiQuirks = QUIRKS.openai) =>
  writeMessages(conversation(turns), quirks);

const written = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(written) });
const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

test('instructions at the start and in the middle', () => {
  const messages = writeMessages(
    { ...conversation([user(text('hi')), system('c')]), system: [text('a'), text('b')] },
    QUIRKS.openai,
  );
  expect(messages).toEqual([
    { role: 'system', content: 'a\n\nb' },
    { role: 'user', content: 'hi' },
    { role: 'system', content: 'c' },
  ]);
});

test('instructions in the middle move to the start where the provider rejects them elsewhere', () => {
  const turns = [user(text('a')), assistant(text('b')), system('c'), user(text('d'))];
  expect(write(turns, QUIRKS.mistral).map(({ content }) => content)).toEqual(['c', 'a', 'b', 'd']);
});

test('an assistant prefill gets a request to continue where the provider rejects it', () => {
  const turns = [user(text('a')), assistant(text('b'))];
  expect(write(turns)).toHaveLength(2);
  expect(write(turns, QUIRKS.mistral).at(-1)).toEqual({ role: 'user', content: '(Continue.)' });
});

describe('tool calls and results', () => {
  test("images of results follow all results and precede the user's content", () => {
    const messages = write([
      assistant(call('a'), call('b')),
      user(result('a', text('one'), image), result('b', image), text('go on')),
    ]);
    const shown = { type: 'image_url', image_url: { url: 'https://x/y.png' } };
    expect(messages).toEqual([
      calling('a', 'b'),
      answer('a', 'one'),
      answer('b', 'See the attachment below.'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attachment of the result of a:' },
          shown,
          { type: 'text', text: 'Attachment of the result of b:' },
          shown,
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  test('results in separate turns, with instructions between them', () => {
    const messages = write([
      assistant(call('a'), call('b')),
      user(result('b', text('two'))),
      system('s'),
      user(result('a', text('one')), text('go on')),
    ]);
    expect(messages).toEqual([
      calling('a', 'b'),
      answer('b', 'two'),
      answer('a', 'one'),
      { role: 'system', content: 's' },
      { role: 'user', content: 'go on' },
    ]);
  });

  test('a call without a result gets one', () => {
    expect(write([assistant(call('a')), user(text('never mind'))])).toEqual([
      calling('a'),
      answer('a', 'No result.'),
      { role: 'user', content: 'never mind' },
    ]);
  });

  test("a result without a call becomes the user's text", () => {
    expect(write([user(result('a', text('one')))])).toEqual([{ role: 'user', content: 'one' }]);
  });

  test('an error is marked', () => {
    const failed: UserPart = { kind: 'tool_result', callId: 'a', parts: [text('boom')], isError: true };
    expect(write([assistant(call('a')), user(failed)])[1]).toEqual(answer('a', 'Error: boom'));
  });

  test('ids that are too long are shortened alike in call and result', () => {
    const id = `toolu_${'x'.repeat(60)}`;
    const [called, answered] = write([assistant(call(id)), user(result(id, text('one')))]);
    expect(answered?.tool_call_id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(called?.tool_calls).toEqual([written(String(answered?.tool_call_id))]);
  });

  test("Mistral's ids have nine letters and digits, and its user message follows the model's", () => {
    const messages = write(
      [assistant(call('toolu_01')), user(result('toolu_01', text('one')), text('go on'))],
      QUIRKS.mistral,
    );
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'user']);
    expect(messages[1]?.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(shortToolId('D681PevKs')).toBe('D681PevKs');
  });
});

describe('thinking', () => {
  const thoughts: AssistantPart[] = [
    { kind: 'thinking', text: 'own' },
    { kind: 'thinking', text: 'foreign', signature: { wire: 'anthropic', value: 'S' } },
    { kind: 'redacted_thinking', data: { wire: 'openai', value: 'D' } },
  ];

  test('is sent only to its own provider, if that accepts it', () => {
    expect(write([assistant(...thoughts, text('ok'))])).toEqual([{ role: 'assistant', content: 'ok' }]);
    expect(write([assistant(...thoughts, text('ok'))], QUIRKS.deepseek)).toEqual([
      { role: 'assistant', content: 'ok', reasoning_content: 'own' },
    ]);
  });

  test('DeepSeek gets the field even without thinking', () => {
    expect(write([assistant(call('a')), user(result('a'))], QUIRKS.deepseek)[0]).toEqual({
      ...calling('a'),
      reasoning_content: '',
    });
  });

  test('alone does not make a message', () => {
    for (const quirks of [QUIRKS.openai, QUIRKS.deepseek]) {
      expect(write([user(text('a')), assistant(...thoughts), user(text('b'))], quirks)).toEqual([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ]);
    }
  });

  test('signatures on calls return to their own provider', () => {
    const signed = (wire: 'openai' | 'gemini'): AssistantPart => ({
      kind: 'tool_call',
      id: 'a',
      name: 'f',
      arguments: '{}',
      signature: { wire, value: 'S' },
    });
    expect(write([assistant(signed('openai'))])[0]?.tool_calls).toEqual([
      { ...written('a'), extra_content: { google: { thought_signature: 'S' } } },
    ]);
    expect(write([assistant(signed('gemini'))])[0]?.tool_calls).toEqual([written('a')]);
  });
});

describe('documents', () => {
  const of = (part: UserPart, quirks?: OpenAiQuirks) => write([user(part, text('x'))], quirks)[0]?.content;

  test("a PDF is a file, or the provider's equivalent", () => {
    const part: UserPart = { kind: 'document', source: pdf, title: 'a.pdf' };
    const url = 'data:application/pdf;base64,AAAA';
    expect(of(part)).toContainEqual({ type: 'file', file: { filename: 'a.pdf', file_data: url } });
    expect(of(part, QUIRKS.mistral)).toContainEqual({ type: 'document_url', document_url: url });
  });

  test('text is text, with its title', () => {
    const source = { kind: 'text', text: 'words' } as const;
    expect(of({ kind: 'document', source, title: 'a.txt' })).toContainEqual({
      type: 'text',
      text: 'a.txt:\n\nwords',
    });
    expect(of({ kind: 'document', source })).toContainEqual({ type: 'text', text: 'words' });
  });

  test('audio', () => {
    const source = { kind: 'base64', mediaType: 'audio/mpeg', data: 'AAAA' } as const;
    expect(of({ kind: 'audio', source })).toContainEqual({
      type: 'input_audio',
      input_audio: { data: 'AAAA', format: 'mp3' },
    });
  });

  test.each<[string, UserPart, OpenAiQuirks]>([
    ['a PDF where there are none', { kind: 'document', source: pdf }, QUIRKS.deepseek],
    ['a PDF by URL', { kind: 'document', source: { kind: 'url', url: 'https://x/y.pdf' } }, QUIRKS.openai],
    ['audio of another kind', { kind: 'audio', source: { ...pdf, mediaType: 'audio/ogg' } }, QUIRKS.openai],
    ['audio by URL', { kind: 'audio', source: { kind: 'url', url: 'https://x/y.mp3' } }, QUIRKS.openai],
  ])('%s is rejected', (_name, part, quirks) => {
    expect(() => of(part, quirks)).toThrow(GatewayError);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: messages are read as a provider reads them
function violations(messages: any[], quirks: OpenAiQuirks): string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1]?.role;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) found.push('a result without its call');
      open = open.filter((id) => id !== message.tool_call_id);
    } else if (open.length > 0) found.push(`${message.role} before every call is answered`);
    if (message.role === previous && message.role !== 'tool' && message.role !== 'system')
      found.push('neighbours');
    if (quirks.strictOrder && message.role === 'user' && previous === 'tool') found.push('user after tool');
    if (quirks.strictOrder && message.role === 'system' && index > 0) found.push('late instructions');
    if (Array.isArray(message.content) && message.content.length === 0) found.push('no content');
    if (message.content === null && !message.tool_calls) found.push('null content');
    for (const { id } of message.tool_calls ?? []) {
      if (!(quirks.shortToolIds ? /^[a-zA-Z0-9]{9}$/ : /^.{0,40}$/s).test(id)) found.push(`id ${id}`);
      open.push(id);
    }
    if (message.tool_calls?.length === 0) found.push('an empty list of calls');
  }
  if (open.length > 0) found.push('unanswered calls');
  if (quirks.strictOrder && messages.at(-1)?.role === 'assistant') found.push('the assistant last');
  return found;
}

test.each([
  ['openai', QUIRKS.openai],
  ['mistral', QUIRKS.mistral],
])('any conversation results in messages that %s accepts', (_name, quirks) => {
  fc.assert(
    fc.property(anyConversation, (any) => {
      const messages = writeMessages(any, quirks);
      expect(violations(messages, quirks)).toEqual([]);
      // Nothing that was said is lost.
      const said = any.turns.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (part.kind === 'text' && role !== 'system' ? [part.text] : [])),
      );
      const all = JSON.stringify(messages);
      for (const words of said) expect(all).toContain(JSON.stringify(words).slice(1, -1));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['user', user],
  ['assistant', assistant],
] as const)('twenty thousand turns of one %s are written at once', (_, turn) => {
  const turns = Array.from({ length: 20_000 }, () => turn(text('x')));
  const startMs = performance.now();
  expect(write(turns)).toHaveLength(1);
  // Copied for each neighbour they took five seconds and more, in which nobody else was served.
  expect(performance.now() - startMs).toBeLessThan(2_000);
});

test('Mistral gets the unsigned thinking of earlier turns as parts of their content', () => {
  const thought = (words: string): AssistantPart => ({ kind: 'thinking', text: words, signature: undefined });
  const turns = [
    user(text('a')),
    assistant(thought('hm'), text('x'), call('aaaaaaaaa')),
    user(result('aaaaaaaaa', text('r'))),
  ];
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
  expect(write(turns, QUIRKS.mistral)[1]).toEqual({
    role: 'assistant',
    content: [thinking, { type: 'text', text: 'x' }],
    tool_calls: [written('aaaaaaaaa')],
  });
  expect(write([user(text('a')), assistant(text('x')), user(text('b'))], QUIRKS.mistral)[1]).toEqual({
    role: 'assistant',
    content: 'x',
  });
});

describe('thinking of earlier turns is sent as the provider expects it', () => {
  const thought: AssistantPart = { kind: 'thinking', text: 'hm', signature: undefined };
  const signed: AssistantPart = {
    kind: 'thinking',
    text: 'sure',
    signature: { wire: 'openai', value: 'S' },
  };
  const redacted: AssistantPart = { kind: 'redacted_thinking', data: { wire: 'openai', value: 'D' } };
  const sent = (reasoningReplay: OpenAiQuirks['reasoningReplay'], ...parts: AssistantPart[]) => {
    const quirks = { ...QUIRKS.compatible, ...(reasoningReplay && { reasoningReplay }) };
    return write([user(text('a')), assistant(...parts, text('x'))], quirks)[1];
  };

  test.each([
    [undefined, { content: 'x' }],
    ['reasoning_content', { content: 'x', reasoning_content: 'hm' }],
    ['reasoning', { content: 'x', reasoning: 'hm' }],
    ['think_tags', { content: '<think>hm</think>x' }],
    ['reasoning_details', { content: 'x', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
  ] as const)('for %s', (replay, message) => {
    expect(JSON.parse(JSON.stringify(sent(replay, thought)))).toEqual({ role: 'assistant', ...message });
  });

  test('signed and encrypted thinking is sent as details only', () => {
    expect(sent('reasoning_details', signed, redacted)?.reasoning_details).toEqual([
      { type: 'reasoning.text', text: 'sure', signature: 'S' },
      { type: 'reasoning.encrypted', data: 'D' },
    ]);
    expect(sent('reasoning', signed, redacted)).toMatchObject({ reasoning: 'sure' });
  });

  test('a turn without thinking has no details', () => {
    expect(sent('reasoning_details')?.reasoning_details).toBeUndefined();
  });
});

test('text parts are joined for a provider that accepts only strings', () => {
  const quirks = { ...QUIRKS.compatible, stringContent: true };
  expect(write([user(text('a'), text('b'))], quirks)).toEqual([{ role: 'user', content: 'a\nb' }]);
  expect(write([user(text('a'), image)], quirks)[0]?.content).toHaveLength(2);
});
