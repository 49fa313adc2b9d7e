import { expect, test } from '@jest/globals';
import { type ChatTurn, toMessages, withChunks } from './chat-turn';

const turn = (fields: Partial<ChatTurn> = {}): ChatTurn => ({
  id: 1,
  question: 'Why?',
  text: '',
  reasoning: '',
  model: 'sim/chat',
  keyId: 'k',
  state: 'waiting',
  startedMs: 0,
  ...fields,
});

test('accumulates the chunks of a reply', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const chunks = [
    { reasoning: 'Hm' },
    { text: 'Be' },
    { text: 'cause' },
    { finishReason: 'stop' },
    { usage },
  ];
  expect(withChunks(turn(), chunks)).toMatchObject({
    state: 'streaming',
    text: 'Because',
    reasoning: 'Hm',
    finishReason: 'stop',
    usage,
  });
});

test('sends the conversation without unanswered prompts', () => {
  const turns = [turn({ text: 'Because.' }), turn({ question: 'Lost?', state: 'failed' })];
  expect(toMessages('Be short.', turns, 'And now?')).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: 'Because.' },
    { role: 'user', content: 'And now?' },
  ]);
  expect(toMessages('  ', [], 'Hello')).toEqual([{ role: 'user', content: 'Hello' }]);
});
