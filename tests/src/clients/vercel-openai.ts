import { createOpenAI } from '@ai-sdk/openai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

const reports = ['cacheRead', 'cacheWrite', 'reasoning'] as const;

export const vercelOpenAi: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/openai',
  reports,
  hidesThinking: true,
  drops: ['thoughts', 'calls'],
  brokenStatus: 500,
  connect(access) {
    const provider = createOpenAI({ baseURL: `${access.apiUrl}/v1`, apiKey: access.apiKey });
    return connectVercel(reports, access, (id) => provider.chat(id));
  },
};
