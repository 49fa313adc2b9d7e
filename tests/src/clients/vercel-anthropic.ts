import { createAnthropic } from '@ai-sdk/anthropic';
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

/** Set explicitly, because the package warns for models that it does not know. */
const middleware = defaultSettingsMiddleware({ settings: { maxOutputTokens: 4_000 } });

const reports = ['cacheRead', 'cacheWrite', 'reasoning'] as const;

export const vercelAnthropic: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/anthropic',
  reports,
  clampsTemperature: true,
  connect(access) {
    const provider = createAnthropic({ baseURL: `${access.apiUrl}/v1`, apiKey: access.apiKey });
    return connectVercel(reports, access, (id) => wrapLanguageModel({ model: provider(id), middleware }));
  },
};
