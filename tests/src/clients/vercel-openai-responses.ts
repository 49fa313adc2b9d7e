import { createOpenAI } from '@ai-sdk/openai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

const reports = ['cacheRead', 'cacheWrite', 'reasoning'] as const;

/** The package's default. Without stored responses it sends items back in full. */
export const vercelOpenAiResponses: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/openai, responses',
  reports,
  brokenStatus: 500,
  // It takes the model for one that reasons, and those take no temperature at OpenAI.
  clampsTemperature: true,
  connect(access) {
    const provider = createOpenAI({ baseURL: `${access.apiUrl}/v1`, apiKey: access.apiKey });
    const options = { openai: { store: false, forceReasoning: true, reasoningSummary: 'auto' } };
    return connectVercel(reports, access, (id) => provider(id), options);
  },
};
