import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ThinkTagChunks, withoutThinkTags } from './think-tags';

interface Received {
  readonly thinking: string;
  readonly text: string;
}

const chunkOf = (content: string | null, finish: string | null = null, index = 0) => ({
  id: 'c',
  choices: [{ index, delta: content === null ? {} : { content }, finish_reason: finish }],
});

/** Returns what the pieces of a stream contain, as clients join it. */
function streamed(pieces: readonly string[]): Received {
  const tags = new ThinkTagChunks();
  const chunks = [...pieces.map((piece) => chunkOf(piece)), chunkOf(null, 'stop')];
  const deltas = chunks.flatMap(
    (chunk) => tags.read(chunk).choices as { delta: Record<string, string | undefined> }[],
  );
  return {
    thinking: deltas.map(({ delta }) => delta.reasoning_content ?? '').join(''),
    text: deltas.map(({ delta }) => delta.content ?? '').join(''),
  };
}

const whole = (content: string): Received => {
  const reply = withoutThinkTags({ choices: [{ index: 0, message: { role: 'assistant', content } }] });
  const [{ message }] = reply.choices as [{ message: Record<string, string> }];
  return { thinking: message.reasoning_content ?? '', text: message.content! };
};

const CASES: [string, Received][] = [
  ['<think>\nhm\n</think>\n\nFour.', { thinking: 'hm\n', text: 'Four.' }],
  ['\n<think>hm</think>Four.', { thinking: 'hm', text: 'Four.' }],
  ['<think>\n\n</think>\n\nFour.', { thinking: '', text: 'Four.' }],
  ['<think>cut by the maximum </thi', { thinking: 'cut by the maximum </thi', text: '' }],
  ['Four <think>is text</think>.', { thinking: '', text: 'Four <think>is text</think>.' }],
  ['<thinking>is text', { thinking: '', text: '<thinking>is text' }],
  ['<thi', { thinking: '', text: '<thi' }],
  ['', { thinking: '', text: '' }],
];

test.each(CASES)('%j is split as a complete reply', (content, expected) => {
  expect(whole(content)).toEqual(expected);
});

test.each(CASES)('%j is split as a stream of single characters', (content, expected) => {
  expect(streamed([...content])).toEqual(expected);
});

test('a stream is split as the complete reply is, wherever its pieces end', () => {
  const piece = fc.constantFrom('<', 'think', '>', '</', '\n', 'a', '<think>', '</think>', ' b');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      expect(streamed(pieces)).toEqual(whole(pieces.join('')));
    }),
  );
});

test('the choices of a stream are split independently', () => {
  const tags = new ThinkTagChunks();
  tags.read(chunkOf('<think>a', null, 0));
  expect(tags.read(chunkOf('b', null, 1))).toEqual(chunkOf('b', null, 1));
  expect(tags.read(chunkOf('c', null, 0)).choices).toMatchObject([{ delta: { reasoning_content: 'c' } }]);
});

test('a tool call ends thinking that was held back', () => {
  const tags = new ThinkTagChunks();
  tags.read(chunkOf('<think>a</'));
  const call = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] }, finish_reason: null }] };
  expect(tags.read(call).choices).toMatchObject([{ delta: { reasoning_content: '</' } }]);
});

test('events without thinking pass as received', () => {
  const tags = new ThinkTagChunks();
  const events = [
    'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
    ': comment\n\n',
    'data: {"cut',
  ];
  for (const event of events.map((text) => Buffer.from(text))) expect(tags.repaired(event)).toBe(event);
});
