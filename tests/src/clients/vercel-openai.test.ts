import { testClient } from './matrix';
import { vercelOpenAi } from './vercel-openai';

testClient(vercelOpenAi);
