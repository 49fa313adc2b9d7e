import Anthropic, { type APIError } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import type { Access, Answer, Client, Connection, Question, SeenUsage } from './client';

type Params = Anthropic.MessageCreateParamsNonStreaming;

/** The field is required. */
const MAX_TOKENS = 4_000;

export const anthropic: Client = {
  name: '@anthropic-ai/sdk',
  finish: { stop: 'end_turn', length: 'max_tokens' },
  reports: ['cacheRead', 'cacheWrite', 'reasoning'],
  connect,
  readFailure(thrown) {
    const { status, error } = thrown as APIError;
    const code = (error as { error?: { code?: string } } | undefined)?.error?.code;
    return { name: (thrown as Error).constructor.name, status, code };
  },
  retries: ({ mayRetry }) => mayRetry,
  failures: {
    200: 'APIError',
    400: 'BadRequestError',
    401: 'AuthenticationError',
    402: 'PaymentRequiredError',
    404: 'NotFoundError',
    429: 'RateLimitError',
    502: 'InternalServerError',
  },
};

function connect({ apiUrl, apiKey, maxRetries }: Access): Connection {
  const client = new Anthropic({ apiKey, baseURL: apiUrl, maxRetries });
  return {
    async ask(question) {
      const params = paramsOf(question);
      if (!question.stream) return answerOf(await client.messages.create(params));
      return answerOf(await client.messages.stream(params).finalMessage());
    },
    async askObject(question, schema) {
      const params = { ...paramsOf(question), output_config: { format: zodOutputFormat(schema) } };
      const message = question.stream
        ? await client.messages.stream(params).finalMessage()
        : await client.messages.parse(params);
      return message.parsed_output;
    },
    async runTools(question, { name, description, input, run }) {
      const tools = [betaZodTool({ name, description, inputSchema: input, run })];
      const { stream } = question;
      const message = await client.beta.messages.toolRunner({ ...paramsOf(question), tools, stream });
      return answerOf(message as Anthropic.Message);
    },
    async leave(question, pieces) {
      const stream = client.messages.stream(paramsOf(question));
      let text = '';
      let seen = 0;
      for await (const event of stream) {
        if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
        text += event.delta.text;
        if (++seen === pieces) break;
      }
      stream.abort();
      return text;
    },
  };
}

function paramsOf({ model, prompt, system, image, thinking, maxTokens, temperature }: Question): Params {
  const text = { type: 'text', text: prompt } as const;
  const source = { type: 'base64', media_type: 'image/png', data: `${image}` } as const;
  return {
    model,
    max_tokens: maxTokens ?? MAX_TOKENS,
    messages: [{ role: 'user', content: image ? [{ type: 'image', source }, text] : prompt }],
    ...(system && { system }),
    ...(thinking && { thinking: { type: 'adaptive', display: 'summarized' } }),
    ...(temperature !== undefined && { temperature }),
  };
}

function answerOf({ content, stop_reason, usage }: Anthropic.Message): Answer {
  const words = content.map((block) => (block.type === 'text' ? block.text : ''));
  const thoughts = content.map((block) => (block.type === 'thinking' ? block.thinking : ''));
  return {
    text: words.join(''),
    thinking: thoughts.join(''),
    finish: `${stop_reason}`,
    usage: usageOf(usage),
  };
}

function usageOf(usage: Anthropic.Usage): SeenUsage {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  return {
    input: usage.input_tokens + cacheRead + cacheWrite,
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
    reasoning: usage.output_tokens_details!.thinking_tokens,
  };
}
