import { googleGenAi } from './google-genai';
import { testClients } from './matrix';
import { vercelGoogle } from './vercel-google';

testClients([
  { client: googleGenAi },
  { client: vercelGoogle, usualModel: 'openai/gpt-5.5', retriesLikeAnother: true },
]);
