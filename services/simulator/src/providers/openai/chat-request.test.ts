import { describe, expect, test } from '@jest/globals';
import { countPrompt, directiveTexts } from '../../domain/prompt';
import { O200kTokenizer } from '../../domain/tokenizer';
import { ProviderError } from '../provider-error';
import { parseChatRequest } from './chat-request';

const user = (content: unknown) => ({ role: 'user', content });

describe('a request is refused', () => {
  test.each([
    [[], null],
    [{ messages: [user('x')] }, null],
    [{ model: '', messages: [user('x')] }, null],
    [{ model: 'm' }, 'messages'],
    [{ model: 'm', messages: 'x' }, 'messages'],
    [{ model: 'm', messages: [] }, 'messages'],
    [{ model: 'm', messages: ['x'] }, 'messages[0]'],
    [{ model: 'm', messages: [{ content: 'x' }] }, 'messages[0].role'],
    [{ model: 'm', messages: [{ role: 'boss', content: 'x' }] }, 'messages[0].role'],
    [{ model: 'm', messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ model: 'm', messages: [user(5)] }, 'messages[0].content'],
    [{ model: 'm', messages: [user('x')], n: 0 }, 'n'],
    [{ model: 'm', messages: [user('x')], max_tokens: 1.5 }, 'max_tokens'],
    [{ model: 'm', messages: [user('x')], max_tokens: 1, max_completion_tokens: 1 }, null],
    [{ model: 'm', messages: [user('x')], stream_options: {} }, 'stream_options'],
  ])('%j', (body, param) => {
    let thrown: unknown;
    try {
      parseChatRequest(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ProviderError);
    expect((thrown as ProviderError).status).toBe(400);
    expect((thrown as ProviderError).toBody('')).toMatchObject({ error: { param } });
  });
});

test('prompt tokens are counted by the published rule', () => {
  const tokenizer = new O200kTokenizer();
  const tool = { type: 'function', function: { name: 'f', parameters: {} } };
  const request = parseChatRequest({
    model: 'm',
    messages: [
      { role: 'system', content: 'hello world' },
      { role: 'user', name: 'bob', content: [{ type: 'text', text: 'hello world' }, { type: 'image_url' }] },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
    ],
    tools: [tool],
  });
  const system = 3 + 1 + 2;
  const named = 3 + 1 + 2 + (1 + 1) + 85;
  const assistant = 3 + 1 + 1 + 1;
  const tools = tokenizer.count(JSON.stringify(tool));
  expect(countPrompt(request.prompt, tokenizer)).toBe(3 + system + named + assistant + tools);
});

test('directives are searched in the last user message first', () => {
  const { prompt } = parseChatRequest({
    model: 'm',
    messages: [
      { role: 'system', content: '1' },
      user('2'),
      user([
        { type: 'text', text: '3' },
        { type: 'text', text: '4' },
      ]),
      { role: 'assistant', content: '5' },
    ],
  });
  expect([...directiveTexts(prompt)]).toEqual(['4', '3', '5', '2', '1']);
});
