import { testClient } from './matrix';
import { vercelAnthropic } from './vercel-anthropic';

testClient(vercelAnthropic);
