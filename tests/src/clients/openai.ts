import OpenAI, { type APIError } from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type { Access, Answer, Client, Connection, Question, SeenUsage } from './client';

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;
/** With the field of providers' reasoning, which the package passes through. */
type Message = OpenAI.ChatCompletionMessage & { readonly reasoning_content?: string };

export const openai: Client = {
  name: 'openai',
  finish: { stop: 'stop', length: 'length' },
  reports: ['cacheRead', 'cacheWrite', 'reasoning'],
  // Its loop sends back only fields of its request type; a separate test has a manual loop.
  drops: ['thoughts', 'calls'],
  connect,
  readFailure(thrown) {
    const { status, code } = thrown as APIError;
    return { name: (thrown as Error).constructor.name, status, code: code ?? undefined };
  },
  retries: ({ mayRetry }) => mayRetry,
  failures: {
    200: 'APIError',
    400: 'BadRequestError',
    401: 'AuthenticationError',
    402: 'APIError',
    404: 'NotFoundError',
    429: 'RateLimitError',
    502: 'InternalServerError',
  },
};

function connect({ apiUrl, apiKey, maxRetries }: Access): Connection {
  const client = new OpenAI({ apiKey, baseURL: `${apiUrl}/v1`, maxRetries });
  return {
    async ask(question) {
      const params = paramsOf(question);
      if (!question.stream) return answerOf(await client.chat.completions.create(params));
      const stream = client.chat.completions.stream({ ...params, ...STREAMED });
      let thinking = '';
      for await (const chunk of stream) {
        const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined;
        thinking += delta?.reasoning_content ?? '';
      }
      return { ...answerOf(await stream.finalChatCompletion()), thinking };
    },
    async askObject(question, schema) {
      const params = { ...paramsOf(question), response_format: zodResponseFormat(schema, 'reply') };
      const completion = question.stream
        ? await client.chat.completions.stream({ ...params, ...STREAMED }).finalChatCompletion()
        : await client.chat.completions.parse(params);
      return completion.choices[0]?.message.parsed;
    },
    async runTools(question, { name, description, input, run }) {
      const tools = [zodFunction({ name, description, parameters: input, function: run })];
      const params = { ...paramsOf(question), tools };
      const runner = question.stream
        ? client.chat.completions.runTools({ ...params, ...STREAMED })
        : client.chat.completions.runTools(params);
      return answerOf(await runner.finalChatCompletion());
    },
    async leave(question, pieces) {
      const stream = await client.chat.completions.create({ ...paramsOf(question), ...STREAMED });
      let text = '';
      let seen = 0;
      for await (const chunk of stream) {
        const piece = chunk.choices[0]?.delta.content;
        if (!piece) continue;
        text += piece;
        if (++seen === pieces) break;
      }
      stream.controller.abort();
      return text;
    },
  };
}

const STREAMED = { stream: true, stream_options: { include_usage: true } } as const;

function paramsOf({ model, prompt, system, image, thinking, maxTokens, temperature }: Question): Params {
  const url = `data:image/png;base64,${image}`;
  const text = { type: 'text', text: prompt } as const;
  return {
    model,
    messages: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      { role: 'user', content: image ? [text, { type: 'image_url', image_url: { url } }] : prompt },
    ],
    ...(thinking && { reasoning_effort: 'high' }),
    ...(maxTokens && { max_completion_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function answerOf({ choices, usage }: OpenAI.ChatCompletion): Answer {
  const { message, finish_reason } = choices[0]!;
  const { content, reasoning_content } = message as Message;
  return {
    text: content ?? '',
    thinking: reasoning_content ?? '',
    finish: finish_reason,
    usage: usageOf(usage!),
  };
}

function usageOf(usage: OpenAI.CompletionUsage): SeenUsage {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  return {
    input: prompt_tokens,
    output: completion_tokens,
    cacheRead: prompt_tokens_details!.cached_tokens!,
    cacheWrite: prompt_tokens_details!.cache_write_tokens!,
    reasoning: completion_tokens_details!.reasoning_tokens!,
  };
}
