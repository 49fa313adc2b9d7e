import { langchainOpenAiResponses } from './langchain-openai-responses';
import { testClients } from './matrix';
import { openaiResponses } from './openai-responses';
import { vercelOpenAiResponses } from './vercel-openai-responses';

testClients([
  { client: openaiResponses },
  { client: vercelOpenAiResponses, usualModel: 'google/gemini-3.5-flash', retriesLikeAnother: true },
  { client: langchainOpenAiResponses, usualModel: 'anthropic/claude-opus-4-8', retriesLikeAnother: true },
]);
