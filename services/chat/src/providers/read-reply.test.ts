import { Readable } from 'node:stream';
import type { HttpResponse } from '@gateway/http-client';
import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import { ReplyMemory } from '../domain/reply-memory';
import { readMessage } from './anthropic/read-message';
import { ResponseReader } from './gemini/response-reader';
import { readReply } from './read-reply';

const LONG = '{"id":12345678901234567890,"of":[{"n":-9007199254740993}]}';
const NUMBER = '12345678901234567890';

const memory = new ReplyMemory(new Quota({ limit: 0 }), 'a');
const reply = async (json: string) => {
  const body = Readable.from([Buffer.from(json)]) as unknown as HttpResponse['body'];
  return (await readReply(body, memory)).value;
};

const message = async (input: string) =>
  readMessage(
    await reply(
      `{"content":[{"type":"tool_use","id":"toolu_1","name":"f","input":${input}}],"stop_reason":"tool_use"}`,
    ),
  ).parts;

const response = async (args: string) =>
  new ResponseReader(() => 'id').read(
    await reply(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]}}]}`),
  );

test('arguments of whole replies keep the digits of long integers', async () => {
  expect(await message(LONG)).toMatchObject([{ kind: 'tool_call', arguments: LONG }]);
  expect(await response(LONG)).toContainEqual({ kind: 'tool_arguments', call: 0, text: LONG });
});

test('a number is not arguments, however long', async () => {
  expect(await message(NUMBER)).toMatchObject([{ kind: 'tool_call', arguments: '{}' }]);
  expect(await response(NUMBER)).toContainEqual({ kind: 'tool_arguments', call: 0, text: '{}' });
});

test('anything but a JSON object is not a reply', async () => {
  for (const json of ['', '{', '12', 'null']) await expect(reply(json)).rejects.toThrow('not a JSON object');
});
