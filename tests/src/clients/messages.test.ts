import { anthropic } from './anthropic';
import { testLookups } from './anthropic-lookups';
import { testClaudeCode } from './claude-code';
import { langchainAnthropic } from './langchain-anthropic';
import { testOtherFormat } from './langchain-anthropic-format';
import { testClients } from './matrix';
import { vercelAnthropic } from './vercel-anthropic';

testClients([
  {
    client: anthropic,
    testMore(family, fixture) {
      testLookups(family, fixture);
      testClaudeCode(family, fixture);
    },
  },
  {
    client: vercelAnthropic,
    usualModel: 'google/gemini-3.5-flash',
    retriesLikeAnother: true,
  },
  {
    client: langchainAnthropic,
    usualModel: 'anthropic/claude-opus-4-8',
    retriesLikeAnother: true,
    testMore: testOtherFormat,
  },
]);
