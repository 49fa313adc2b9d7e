import { describe, expect, test } from '@jest/globals';
import type { AssistantPart, TextPart, ToolResultPart, Turn, UserPart } from '../../domain/conversation';
import { openTurnThinks, withoutOpenThoughts, writeMessages as write } from './write-messages';

const writeMessages = (turns: readonly Turn[]) => write(turns, true);

const said = (text: string): TextPart => ({ kind: 'text', text });
const user = (...parts: UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: 'assistant', parts });
const call = (id: string, args = '{}'): AssistantPart => ({
  kind: 'tool_call',
  id,
  name: 'f',
  arguments: args,
});
const result = (callId: string, text = 'ok', more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  kind: 'tool_result',
  callId,
  parts: [said(text)],
  isError: false,
  ...more,
});
const thought = (wire: 'anthropic' | 'gemini', value = 'EqQB'): AssistantPart => ({
  kind: 'thinking',
  text: 'hm',
  signature: { wire, value },
});

const text = (text: string) => ({ type: 'text', text });
const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'f', input });
const answer = (id: string, of = 'ok') => ({ type: 'tool_result', tool_use_id: id, content: [text(of)] });
const lost = (id: string) => ({ ...answer(id, 'The tool gave no result.'), is_error: true });

describe('roles', () => {
  test('consecutive messages of one role become one', () =>
    expect(
      writeMessages([user(said('a')), user(said('b')), assistant(said('c')), assistant(said('d'))]),
    ).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('c'), text('d')] },
    ]));

  test('blank text is omitted, and so is a turn that has nothing else', () =>
    expect(writeMessages([user(said('a')), assistant(said(' \n')), user(said(''), said('b'))])).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
    ]));

  test('instructions in the middle do not separate the turns around them', () =>
    expect(writeMessages([user(said('a')), { role: 'system', parts: [said('s')] }, user(said('b'))])).toEqual(
      [{ role: 'user', content: [text('a'), text('b')] }],
    ));

  test("the first message is always the user's", () => {
    expect(writeMessages([assistant(said('a')), user(said('b'))])).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ]);
    expect(writeMessages([])).toMatchObject([{ role: 'user' }]);
  });

  test('an assistant prefill stays last, without trailing white space', () =>
    expect(writeMessages([user(said('a')), assistant(said('The answer is \n'))])).toEqual([
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('The answer is')] },
    ]));
});

test('a model that does not support prefill is asked to continue', () => {
  const turns = [user(said('a')), assistant(said('The answer is '))];
  expect(write(turns, false)).toEqual([
    { role: 'user', content: [text('a')] },
    { role: 'assistant', content: [text('The answer is ')] },
    { role: 'user', content: [text('(Continue.)')] },
  ]);
  expect(write([user(said('a'))], false)).toHaveLength(1);
});

describe('tools', () => {
  test('results come first, in the order of their calls', () =>
    expect(
      writeMessages([
        user(said('q')),
        assistant(call('a', '{"x":1}'), call('b')),
        user(said('and?'), result('b', 'B')),
        user(result('a', 'A')),
      ]).slice(1),
    ).toEqual([
      { role: 'assistant', content: [use('a', { x: 1 }), use('b')] },
      { role: 'user', content: [answer('a', 'A'), answer('b', 'B'), text('and?')] },
    ]));

  test('a call without a result gets an error result', () => {
    expect(
      writeMessages([user(said('q')), assistant(call('a'), call('b')), user(result('b'))]).at(-1),
    ).toEqual({
      role: 'user',
      content: [lost('a'), answer('b')],
    });
    expect(writeMessages([user(said('q')), assistant(call('a'))]).at(-1)).toEqual({
      role: 'user',
      content: [lost('a')],
    });
  });

  test('a result without a call, or a second result, becomes text', () => {
    const last = (...parts: UserPart[]) =>
      writeMessages([user(said('q')), assistant(call('a')), user(...parts)]).at(-1);
    expect(last(result('a'), result('a', 'again'))?.content).toEqual([
      answer('a'),
      text('Result of an earlier tool call:'),
      text('again'),
    ]);
    expect(writeMessages([user(result('a', ''))])).toEqual([
      { role: 'user', content: [text('Result of an earlier tool call:')] },
    ]);
  });

  test('assistant text precedes its tool calls, even if it came after them', () =>
    expect(writeMessages([user(said('q')), assistant(call('a'), said('so')), user(result('a'))])[1]).toEqual({
      role: 'assistant',
      content: [text('so'), use('a')],
    }));

  test('ids that repeat in each turn are made unique, in calls and results alike', () => {
    const round = [assistant(call('call_0')), user(result('call_0'))];
    const [, first, firstResult, second, secondResult] = writeMessages([user(said('q')), ...round, ...round]);
    expect(first!.content).toEqual([use('call_0')]);
    expect(firstResult!.content).toEqual([answer('call_0')]);
    const id = (second!.content[0] as { id: string }).id;
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(id).not.toBe('call_0');
    expect(secondResult!.content).toEqual([answer(id)]);
  });

  test('ids with characters that Anthropic rejects are replaced, in calls and results alike', () => {
    const [, asked, answered] = writeMessages([user(said('q')), assistant(call('a|b')), user(result('a|b'))]);
    const { id } = asked!.content[0] as { id: string };
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(answered!.content).toEqual([answer(id)]);
  });

  test('arguments become an object, even if they are missing, broken or another value', () => {
    const input = (json: string) => writeMessages([user(said('q')), assistant(call('a', json))])[1]!.content;
    expect(input('')).toEqual([use('a', {})]);
    expect(input('{"city": "Par')).toEqual([use('a', { INVALID_JSON: '{"city": "Par' })]);
    expect(input('[1]')).toEqual([use('a', { INVALID_JSON: '[1]' })]);
  });

  test('arguments keep the digits of long integers', () => {
    const long = '{"id":12345678901234567890,"of":[{"n":-9007199254740993}]}';
    expect(JSON.stringify(writeMessages([user(said('q')), assistant(call('a', long))]))).toContain(long);
  });

  test('a result with an image, an empty one and an error', () => {
    const image = {
      kind: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
    } as const;
    const [, , answered] = writeMessages([
      user(said('q')),
      assistant(call('a'), call('b'), call('c')),
      user(
        result('a', 'seen', { parts: [said('seen'), image] }),
        result('b', ''),
        result('c', 'no', { isError: true }),
      ),
    ]);
    expect(answered!.content).toEqual([
      {
        ...answer('a', 'seen'),
        content: [
          text('seen'),
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      { type: 'tool_result', tool_use_id: 'b' },
      { ...answer('c', 'no'), is_error: true },
    ]);
  });
});

describe('thinking', () => {
  test('is sent back to its own provider with its signature, and to no other', () =>
    expect(
      writeMessages([
        user(said('q')),
        assistant(
          thought('anthropic'),
          thought('gemini'),
          { kind: 'thinking', text: 'unsigned' },
          { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'EmwK' } },
          { kind: 'redacted_thinking', data: { wire: 'openai', value: 'x' } },
          call('a'),
        ),
        user(result('a')),
      ])[1]!.content,
    ).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'EmwK' },
      use('a'),
    ]));

  test('is never the only content of a turn, nor its last', () => {
    expect(writeMessages([user(said('q')), assistant(thought('anthropic')), user(said('r'))])).toEqual([
      { role: 'user', content: [text('q'), text('r')] },
    ]);
    expect(writeMessages([user(said('q')), assistant(said('a'), thought('anthropic'))]).at(-1)).toEqual({
      role: 'assistant',
      content: [text('a')],
    });
  });
});

describe('an assistant turn that is still open', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'EqQB' };
  const hidden: AssistantPart = { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'EmwK' } };
  const begun = [user(said('q')), assistant(thought('anthropic'), said('x')), user(said('r'))];
  const round = writeMessages([
    ...begun,
    assistant(hidden, thought('anthropic'), call('a')),
    user(result('a')),
  ]);
  const lostThought = writeMessages([...begun, assistant(call('a')), user(result('a'))]);
  const goOn = writeMessages([...begun, assistant(thought('anthropic'), said('So'))]);

  test('with or without thinking at its start', () => {
    expect(openTurnThinks(round)).toBe(true);
    expect(openTurnThinks(lostThought)).toBe(false);
    expect(openTurnThinks(goOn)).toBe(false);
    expect(openTurnThinks(writeMessages(begun))).toBeUndefined();
  });

  test('loses its thinking, earlier turns keep theirs', () => {
    const without = withoutOpenThoughts(round);
    expect(without[3]!.content).toEqual([use('a')]);
    expect(without[1]!.content).toEqual([thinking, text('x')]);
    expect(withoutOpenThoughts(goOn).at(-1)!.content).toEqual([text('So')]);
    expect(withoutOpenThoughts(writeMessages(begun))).toEqual(writeMessages(begun));
  });

  test('cache breakpoints keep their position in the history', () => {
    const part: TextPart = { kind: 'text', text: 'x', cache: { ttl: '5m' } };
    expect(writeMessages([user(said('q')), assistant(part), user(said('r'))])[1]!.content).toEqual([
      { ...text('x'), cache_control: { type: 'ephemeral' } },
    ]);
  });
});
