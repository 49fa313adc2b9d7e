import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

const reports = ['cacheRead', 'reasoning'] as const;

export const vercelOpenAiCompatible: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/openai-compatible',
  reports,
  drops: ['thoughts'],
  connect(access) {
    const provider = createOpenAICompatible({
      name: 'gateway',
      baseURL: `${access.apiUrl}/v1`,
      apiKey: access.apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
    return connectVercel(reports, access, provider);
  },
};
