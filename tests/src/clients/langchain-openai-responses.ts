import { ChatOpenAI } from '@langchain/openai';
import type { Client } from './client';
import { connectLangChain } from './langchain';
import { langchainOpenAi } from './langchain-openai';

export const langchainOpenAiResponses: Client = {
  ...langchainOpenAi,
  name: '@langchain/openai, responses',
  finish: { stop: 'completed', length: 'max_output_tokens' },
  drops: [],
  ignoresBrokenStreams: true,
  connect: ({ apiUrl, apiKey, maxRetries }) =>
    connectLangChain(
      ({ model, thinking, maxTokens, temperature }) =>
        new ChatOpenAI({
          model,
          apiKey,
          maxRetries,
          useResponsesApi: true,
          zdrEnabled: true,
          configuration: { baseURL: `${apiUrl}/v1` },
          modelKwargs: {
            include: ['reasoning.encrypted_content'],
            ...(thinking && { reasoning: { effort: 'high' } }),
          },
          ...(maxTokens && { maxTokens }),
          ...(temperature !== undefined && { temperature }),
        }),
      ({ text, additional_kwargs, response_metadata, usage_metadata }) => {
        const { summary = [] } = (additional_kwargs.reasoning ?? {}) as { summary?: { text: string }[] };
        const { status, incomplete_details } = response_metadata as {
          status: string;
          incomplete_details?: { reason: string } | null;
        };
        return {
          text,
          thinking: summary.map((part) => part.text).join(''),
          finish: incomplete_details?.reason ?? status,
          usage: {
            input: usage_metadata!.input_tokens,
            output: usage_metadata!.output_tokens,
            cacheRead: usage_metadata!.input_token_details!.cache_read!,
            cacheWrite: usage_metadata!.input_token_details!.cache_creation!,
            reasoning: usage_metadata!.output_token_details!.reasoning!,
          },
        };
      },
    ),
};
