import { readMeter } from './meter';

/** A complete stream in a provider's format, with positions in it. */
export interface RecordedStream {
  readonly wire: 'openai' | 'completions' | 'responses' | 'anthropic' | 'google';
  readonly bytes: Buffer;
  /** Number of bytes that contain the first content. */
  readonly firstContentAt: number;
  /** Number of bytes that contain the finish reason. */
  readonly finishAt: number;
  /** Number of bytes that contain the final usage. */
  readonly usageAt: number;
  /** Number of bytes of the complete stream, without trailing blank lines. */
  readonly wholeAt: number;
  /** Tokens that the stream reports. */
  readonly input: bigint;
  readonly output: bigint;
}

const PROMPT = `Go. [[sim ${JSON.stringify({
  thinking: 'Which first?',
  text: 'A room – and a train.',
  tool_call: [
    { name: 'find', arguments: { in: 'Köln' } },
    { name: 'book', arguments: { n: '"1"' } },
  ],
  chunks: 3,
})}]]`;

const schema = { type: 'object', properties: {} };
const names = ['find', 'book'];

const ASKED = {
  openai: {
    path: '/openai/v1/chat/completions',
    headers: { authorization: 'Bearer k' },
    body: {
      model: 'gpt',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: PROMPT }],
      tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    },
    content: '"reasoning_content"',
    finish: '"finish_reason":"',
    usage: '"prompt_tokens"',
  },
  completions: {
    path: '/openai/v1/completions',
    headers: { authorization: 'Bearer k' },
    body: {
      model: 'gpt',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 500,
      prompt: `Go. [[sim ${JSON.stringify({ text: 'Köln – a book.', chunks: 6 })}]]`,
    },
    content: '"text"',
    finish: '"finish_reason":"',
    usage: '"prompt_tokens"',
  },
  responses: {
    path: '/openai/v1/responses',
    headers: { authorization: 'Bearer k' },
    body: {
      model: 'gpt',
      stream: true,
      input: PROMPT,
      reasoning: { summary: 'auto' },
      tools: names.map((name) => ({ type: 'function', name, parameters: schema })),
    },
    content: '"type":"response.reasoning_summary_text.delta"',
    finish: '"type":"response.completed"',
    usage: '"type":"response.completed"',
  },
  anthropic: {
    path: '/anthropic/v1/messages',
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude-sonnet-4-6',
      stream: true,
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: [{ role: 'user', content: PROMPT }],
      tools: names.map((name) => ({ name, input_schema: schema })),
    },
    content: '"thinking_delta"',
    finish: '"message_delta"',
    usage: '"message_delta"',
  },
  google: {
    path: '/gemini/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'k' },
    body: {
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      tools: [{ functionDeclarations: names.map((name) => ({ name, parameters: schema })) }],
    },
    content: '"text"',
    finish: '"finishReason"',
    usage: '"finishReason"',
  },
} as const;

/** Records the simulator's stream in that format, with thinking, text, two tool calls and usage. */
export async function recordStream(
  simulatorUrl: string,
  wire: RecordedStream['wire'],
): Promise<RecordedStream> {
  const { path, headers, body, content, finish, usage } = ASKED[wire];
  const response = await fetch(`${simulatorUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('latin1');
  if (response.status !== 200 || !text.includes('book'))
    throw new Error(`${wire}: ${response.status} ${text}`);
  const [metered] = (await readMeter(simulatorUrl, { limit: 1 })).entries;
  return {
    wire,
    bytes,
    input: BigInt(metered!.prompt_tokens),
    output: BigInt(metered!.completion_tokens),
    firstContentAt: endOfEvent(text, text.indexOf(content)),
    finishAt: endOfEvent(text, text.lastIndexOf(finish)),
    usageAt: endOfEvent(text, text.lastIndexOf(usage)),
    wholeAt: text.trimEnd().length,
  };
}

function endOfEvent(text: string, from: number): number {
  const blankLine = /\r?\n\r?\n/g;
  blankLine.lastIndex = from;
  if (!blankLine.exec(text)) throw new Error('no whole event');
  return blankLine.lastIndex;
}
