import { createOpenAI } from '@ai-sdk/openai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

const tells = ['cacheRead', 'cacheWrite', 'reasoning'] as const;

export const vercelOpenAi: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/openai',
  tells,
  hidesThinking: true,
  loses: ['thoughts', 'calls'],
  brokenStatus: 500,
  connect(access) {
    const provider = createOpenAI({ baseURL: `${access.apiUrl}/v1`, apiKey: access.apiKey });
    return connectVercel(tells, access, (id) => provider.chat(id));
  },
};
