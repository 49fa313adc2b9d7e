import { langchainOpenAi } from './langchain-openai';
import { testClients } from './matrix';
import { openai } from './openai';
import { testOwnLoop } from './openai-own-loop';
import { vercelOpenAi } from './vercel-openai';
import { vercelOpenAiCompatible } from './vercel-openai-compatible';

testClients([
  { client: openai, testMore: testOwnLoop },
  { client: vercelOpenAi, usualModel: 'google/gemini-3.5-flash' },
  {
    client: vercelOpenAiCompatible,
    usualModel: 'deepseek/deepseek-v4-pro',
    retriesLikeAnother: true,
  },
  { client: langchainOpenAi, usualModel: 'anthropic/claude-opus-4-8' },
]);
