import { expect } from '@jest/globals';

export interface Frame {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly data: any;
}

interface ReadBlock {
  type: string;
  [field: string]: unknown;
}

export interface ReadMessage {
  content: ReadBlock[];
  stop_reason: string | null;
  [field: string]: unknown;
}

/** The frames of a stream; each has to have an `event:` line, without which the SDKs drop it. */
export function readFrames(stream: string): Frame[] {
  const frames = stream.split('\n\n');
  expect(frames.pop()).toBe('');
  return frames.map((text) => {
    const match = /^event: (\w+)\ndata: ([^\n]*)$/.exec(text);
    expect(match).not.toBeNull();
    return { event: match![1]!, data: JSON.parse(match![2]!) };
  });
}

/** The message that the official SDKs make of a whole stream; the rules of the format are expected on the way. */
export function readMessage(stream: string): ReadMessage {
  const frames = readFrames(stream);
  expect(frames[0]?.event).toBe('message_start');
  expect(frames.at(-1)?.event).toBe('message_stop');
  const message: ReadMessage = frames[0]!.data.message;
  let json = '';
  let open = false;
  for (const { event, data } of frames.slice(1, -1)) {
    if (event === 'content_block_start') {
      expect([open, data.index]).toEqual([false, message.content.length]);
      message.content.push(data.content_block);
      open = true;
      json = '';
    } else if (event === 'content_block_delta') {
      expect([open, data.index]).toEqual([true, message.content.length - 1]);
      json += addDelta(message.content.at(-1)!, data.delta);
    } else if (event === 'content_block_stop') {
      expect([open, data.index]).toEqual([true, message.content.length - 1]);
      if (json) message.content.at(-1)!.input = JSON.parse(json);
      open = false;
    } else {
      expect(event).toBe('message_delta');
      Object.assign(message, data.delta);
      message.usage = { ...(message.usage as object), ...data.usage };
    }
  }
  expect(open).toBe(false);
  return message;
}

/** The piece of a tool's input, if that is what it brings. */
function addDelta(block: ReadBlock, delta: Record<string, string>): string {
  if (delta.type === 'input_json_delta') return delta.partial_json!;
  if (delta.type === 'signature_delta') block.signature = delta.signature;
  else if (delta.type === 'text_delta') block.text = `${block.text}${delta.text}`;
  else if (delta.type === 'thinking_delta') block.thinking = `${block.thinking}${delta.thinking}`;
  else throw new Error(`unknown delta ${delta.type}`);
  return '';
}
