const FRAME = /^event: (\w+)\ndata: (\{.*\})$/;
const DELTA_OF: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};

/**
 * Checks the order of events from which Anthropic's clients build a message: one start, then numbered blocks, each
 * of which begins before its deltas and ends before the next. The stream may end at any event.
 * @throws for the first event out of order
 */
export function assertMessageStream(events: readonly string[]): void {
  let expected: readonly string[] = ['message_start'];
  let open: string | undefined;
  let blocks = 0;
  for (const event of events) {
    if (event.startsWith(':') || event === '') continue;
    const [, name = '', json = ''] = FRAME.exec(event) ?? [];
    const { type, index, content_block, delta } = JSON.parse(json);
    const wrong = () => new Error(`out of place: ${event} after ${expected}`);
    if (type !== name) throw wrong();
    if (type === 'ping') continue;
    if (!expected.includes(type)) throw wrong();
    if (type === 'content_block_start') {
      open = content_block.type as string;
      if (index !== blocks || !(open in DELTA_OF)) throw wrong();
    }
    if (type === 'content_block_delta' && (index !== blocks || !DELTA_OF[`${open}`]?.includes(delta.type)))
      throw wrong();
    if (type === 'content_block_stop' && index !== blocks++) throw wrong();
    expected = FOLLOWS[type] ?? [];
  }
}

const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  message_start: ['content_block_start', 'message_delta'],
  content_block_start: ['content_block_delta', 'content_block_stop'],
  content_block_delta: ['content_block_delta', 'content_block_stop'],
  content_block_stop: ['content_block_start', 'message_delta'],
  message_delta: ['message_stop'],
};
