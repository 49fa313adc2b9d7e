import { testClient } from './matrix';
import { vercelOpenAiCompatible } from './vercel-openai-compatible';

testClient(vercelOpenAiCompatible);
