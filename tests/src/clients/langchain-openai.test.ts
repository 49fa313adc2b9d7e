import { langchainOpenAi } from './langchain-openai';
import { testClient } from './matrix';

testClient(langchainOpenAi);
