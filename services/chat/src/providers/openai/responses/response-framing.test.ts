import { type JsonObject, SseSplitter } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import type { ReplyEvent } from '../../../domain/reply';
import { parseData } from '../../../sse/sse-data';
import { ResponseEventReader, readResponse } from './read-response';
import { responseFraming } from './response-framing';

const RESPONSE = {
  id: 'resp_1',
  status: 'completed',
  output: [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Two and two.' }] },
    {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'Four.', annotations: [] }],
    },
    { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"q":4}' },
  ],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
};

const events = (stream: Buffer): JsonObject[] =>
  new SseSplitter().push(stream).map((event) => parseData(event)!);

test('a complete response becomes a stream with the same content, which becomes the same response', () => {
  const stream = responseFraming.toStream(RESPONSE);
  const reader = new ResponseEventReader();
  const read = new SseSplitter().push(stream).flatMap((event) => [...reader.read(event)]);
  const joined = (kind: ReplyEvent['kind']) =>
    read.flatMap((event) => (event.kind === kind && 'text' in event ? [event.text] : [])).join('');
  const [thinking, text, call] = readResponse(RESPONSE).parts;
  expect([joined('thinking'), joined('text'), joined('tool_arguments')]).toEqual([
    thinking?.kind === 'thinking' && thinking.text,
    text?.kind === 'text' && text.text,
    call?.kind === 'tool_call' && call.arguments,
  ]);
  expect([reader.ended, reader.usage]).toMatchObject([true, { input: 9, output: 5 }]);
  expect(responseFraming.toWhole(events(stream), false)).toMatchObject(RESPONSE);
});

test('a stream whose last event has no output has that of its items; one without a last event is truncated', () => {
  const all = events(responseFraming.toStream(RESPONSE));
  const last = { type: 'response.completed', response: { ...RESPONSE, output: [] } };
  expect(responseFraming.toWhole([...all.slice(0, -1), last], false)).toEqual(RESPONSE);
  expect(responseFraming.toWhole(all.slice(0, -1), false)).toBeUndefined();
});
