import { expect, test } from '@jest/globals';
import { expectWithinContract } from './within-contract';

const BEGUN = 'event: ping\ndata: {"type":"ping"}\n\n';
const streamed = (text: string) => () =>
  expectWithinContract(
    {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'r' },
      text: BEGUN + text,
      json: undefined,
    },
    new Set(),
  );

test.each([
  'data: [DONE]\n\n',
  'data:[DONE]\r\n\r\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  'data:  {"type":"message_stop"}\r\n\r\n',
  'data: {\t"type" : "message_stop"\ndata: }\n\n',
  'data: {"type":"speech.audio.done"}\n\n',
  'data: {"error":{"code":"upstream_failed"}}\n\n',
])('accepts a stream that ends in %j', (end) => expect(streamed(end)).not.toThrow());

test.each([
  '',
  'data: [DONE]\n\ndata: {}\n\n',
  'data: [DONE] \ndata: x\n\n',
  ': message_stop\n\n',
  'data: {\r"type":"message_stop"}\n\n',
  'data: {"text":"\\"message_stop\\""}\n\n',
  'data: {"error":{"code":"internal_error"}}\n\n',
])('rejects a stream that ends in %j', (end) => expect(streamed(end)).toThrow('invalid end of a stream'));
