import { EventStreamCodec, type MessageHeaders } from '@smithy/core/event-streams';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

/** Returns a message of an event stream with these headers. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
  const typed: MessageHeaders = {};
  for (const [name, value] of Object.entries(headers)) typed[name] = { type: 'string', value };
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(payload as string) }));
}

/** Returns the message that Bedrock sends for a member of `ConverseStreamOutput`: an event or an exception. */
export function messageOf(type: string, payload: unknown): Buffer {
  const json = { ':content-type': 'application/json' };
  const body = JSON.stringify(payload);
  return type.endsWith('Exception')
    ? encodeMessage({ ':exception-type': type, ...json, ':message-type': 'exception' }, body)
    : encodeMessage({ ':event-type': type, ...json, ':message-type': 'event' }, body);
}

/** Returns the messages of a recording: a line for each, with its type and payload as the only member. */
export function recordedMessages(jsonLines: string): Buffer[] {
  return jsonLines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [type, payload] = Object.entries(JSON.parse(line))[0]!;
      return messageOf(type, payload);
    });
}
