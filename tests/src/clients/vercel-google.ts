import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { StreamProviderError } from 'ai';
import type { Client } from './client';
import { connectVercel, vercel } from './vercel';

const reports = ['cacheRead', 'reasoning'] as const;

/** Posts to `/v1beta/<provider>/<model>:<action>`: it adds `models/` only to names without a slash. */
export const vercelGoogle: Client = {
  ...vercel,
  name: 'ai, @ai-sdk/google',
  reports,
  brokenStatus: 502,
  readFailure(thrown) {
    const failure = vercel.readFailure(thrown);
    // An error within a stream has the status in `code`, and the code in `type`.
    return StreamProviderError.isInstance(thrown) ? { ...failure, code: thrown.type } : failure;
  },
  connect(access) {
    const provider = createGoogleGenerativeAI({ baseURL: `${access.apiUrl}/v1beta`, apiKey: access.apiKey });
    return connectVercel(reports, access, provider);
  },
};
