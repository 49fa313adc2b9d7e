import { describe, expect, test } from '@jest/globals';
import { DirectiveError, directiveOfRound, findDirective } from './directive';

describe('finding a directive', () => {
  test('text without a directive, or with something similar, has none', () => {
    expect(findDirective(['hello', '[[simulate]]', '[[sim]]'])).toEqual({});
  });

  test('the last directive of the first text with any applies', () => {
    const texts = ['hello', 'a [[sim {"chunks":1}]] b [[sim {"chunks":2}]] c', '[[sim {"chunks":3}]]'];
    expect(findDirective(texts)).toEqual({ chunks: 2 });
  });

  test('braces and brackets inside the JSON do not end the directive', () => {
    const directive = { text: 'a "]]" } \\ {', error: { list: [[1]] } };
    expect(findDirective([`x [[sim ${JSON.stringify(directive)} ]] y`])).toEqual(directive);
  });

  test('line breaks in a directive are allowed', () => {
    expect(findDirective(['[[sim\n{ "chunks":\n 1 }\n]]'])).toEqual({ chunks: 1 });
  });
});

describe('refusing a directive', () => {
  test.each([
    '[[sim {"chunks":1]]',
    '[[sim {"chunks":1} nonsense]]',
    '[[sim {chunks:1}]]',
    '[[sim nonsense]]'.replace('nonsense', '{"chunks"}'),
    '[[sim {"chunk":1}]]',
    '[[sim {"chunks":100001}]]',
    '[[sim {"chunks":0}]]',
    '[[sim {"delay_ms":600001}]]',
    '[[sim {"delay_ms":"5"}]]',
    '[[sim {"status":199}]]',
    '[[sim {"stream_error":false}]]',
    '[[sim {"usage":{"tokens":1}}]]',
    '[[sim {"tool_call":{}}]]',
  ])('%s', (text) => {
    expect(() => findDirective([text])).toThrow(DirectiveError);
  });

  test('the error names the field', () => {
    expect(() => findDirective(['[[sim {"usage":{"prompt_tokens":-1}}]]'])).toThrow(/usage\.prompt_tokens/);
  });
});

test('every documented field is known', () => {
  const all = {
    status: 500,
    error: { error: 'x' },
    retry_after: 1,
    delay_ms: 1,
    chunks: 1,
    chunk_delay_ms: 1,
    drop_after_chunks: 0,
    stream_error: { error: { message: 'x' } },
    reset: true,
    usage: {
      prompt_tokens: 1,
      completion_tokens: 1,
      cached_tokens: 1,
      cache_write_tokens: 1,
      reasoning_tokens: 1,
    },
    finish_reason: 'length',
    text: 'x',
    tool_call: { name: 'f', arguments: { a: 1 } },
    thinking: 'x',
    hide_thinking: true,
    omit_task_id: true,
    task_seconds: 1,
    task_status: 'x',
    policy: true,
    later: [{ text: 'x' }],
  };
  expect(findDirective([`[[sim ${JSON.stringify(all)}]]`])).toEqual(all);
});

test('each round of a tool loop has its own directive, and the last applies to further rounds', () => {
  const first = { text: 'a' };
  const directive = { ...first, later: [{ text: 'b' }, { text: 'c' }] };
  const texts = [0, 1, 2, 3].map((rounds) => directiveOfRound(directive, rounds));
  expect(texts).toEqual([first, { text: 'b' }, { text: 'c' }, { text: 'c' }]);
  expect(directiveOfRound(first, 5)).toEqual(first);
});
