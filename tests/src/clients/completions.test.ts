import { langchainOpenAi } from './langchain-openai';
import { testClients } from './matrix';
import { openai } from './openai';
import { testOwnLoop } from './openai-own-loop';
import { vercelOpenAi } from './vercel-openai';
import { vercelOpenAiCompatible } from './vercel-openai-compatible';

testClients([
  { client: openai, testMore: testOwnLoop },
  { client: vercelOpenAi, usual: ['openai/gpt-5.5', 'google/gemini-3.5-flash'] },
  {
    client: vercelOpenAiCompatible,
    usual: ['anthropic/claude-opus-4-8', 'deepseek/deepseek-v4-pro'],
    repeatsAsAnother: true,
  },
  { client: langchainOpenAi, usual: ['openai/gpt-4.1', 'anthropic/claude-opus-4-8'] },
]);
