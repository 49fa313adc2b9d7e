import { ChatAnthropic } from '@langchain/anthropic';
import type { Client } from './client';
import { connectLangChain } from './langchain';

const MAX_TOKENS = 4_000;

export const langchainAnthropic: Client = {
  name: '@langchain/anthropic',
  finish: { stop: 'end_turn', length: 'max_tokens' },
  reports: ['cacheRead', 'cacheWrite'],
  addsUsageOfStreams: true,
  readsObjectsWhole: true,
  connect: ({ apiUrl, apiKey, maxRetries }) =>
    connectLangChain(
      ({ model, thinking, maxTokens, temperature }) =>
        new ChatAnthropic({
          model,
          apiKey,
          anthropicApiUrl: apiUrl,
          maxRetries,
          maxTokens: maxTokens ?? MAX_TOKENS,
          ...(thinking && { thinking: { type: 'adaptive', display: 'summarized' } }),
          ...(temperature !== undefined && { temperature }),
        }),
      ({ text, contentBlocks, additional_kwargs, response_metadata, usage_metadata }) => ({
        text,
        thinking: contentBlocks.map((block) => (block.type === 'reasoning' ? block.reasoning : '')).join(''),
        finish: (additional_kwargs.stop_reason ?? response_metadata.stop_reason) as string,
        usage: {
          input: usage_metadata!.input_tokens,
          output: usage_metadata!.output_tokens,
          cacheRead: usage_metadata!.input_token_details!.cache_read!,
          cacheWrite: usage_metadata!.input_token_details!.cache_creation!,
        },
      }),
    ),
  readFailure(thrown) {
    const { status, error } = thrown as { status?: number; error?: { error?: { code?: string } } };
    return { name: (thrown as Error).constructor.name, status, code: error?.error?.code };
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
