import { createAnthropic } from '@ai-sdk/anthropic';
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

/** The package warns when it is left to guess for a model that it does not know. */
const middleware = defaultSettingsMiddleware({ settings: { maxOutputTokens: 4_000 } });

const tells = ['cacheRead', 'cacheWrite', 'reasoning'] as const;

export const vercelAnthropic: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/anthropic',
  tells,
  mendsTemperature: true,
  connect(access) {
    const provider = createAnthropic({ baseURL: `${access.apiUrl}/v1`, apiKey: access.apiKey });
    return connectVercel(tells, access, (id) => wrapLanguageModel({ model: provider(id), middleware }));
  },
};
