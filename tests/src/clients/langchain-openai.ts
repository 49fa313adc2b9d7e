import { ChatOpenAI } from '@langchain/openai';
import type { Client } from './client';
import { connectLangChain } from './langchain';

export const langchainOpenAi: Client = {
  name: '@langchain/openai',
  finish: { stop: 'stop', length: 'length' },
  reports: ['cacheRead', 'cacheWrite', 'reasoning'],
  drops: ['thoughts', 'calls'],
  connect: ({ apiUrl, apiKey, maxRetries }) =>
    connectLangChain(
      ({ model, thinking, maxTokens, temperature }) =>
        new ChatOpenAI({
          model,
          apiKey,
          maxRetries,
          configuration: { baseURL: `${apiUrl}/v1` },
          // The package's own option works only for model names that it knows.
          modelKwargs: thinking ? { reasoning_effort: 'high' } : {},
          ...(maxTokens && { maxTokens }),
          ...(temperature !== undefined && { temperature }),
        }),
      ({ text, additional_kwargs, response_metadata, usage_metadata }) => ({
        text,
        thinking: (additional_kwargs.reasoning_content as string | undefined) ?? '',
        finish: response_metadata.finish_reason as string,
        usage: {
          input: usage_metadata!.input_tokens,
          output: usage_metadata!.output_tokens,
          cacheRead: usage_metadata!.input_token_details!.cache_read!,
          cacheWrite: usage_metadata!.input_token_details!.cache_creation!,
          reasoning: usage_metadata!.output_token_details!.reasoning!,
        },
      }),
    ),
  readFailure(thrown) {
    const { status, code } = thrown as { status?: number; code?: string };
    return { name: (thrown as Error).constructor.name, status, code };
  },
  retries: ({ status, hasRetryAfter }) => status >= 500 || hasRetryAfter,
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
