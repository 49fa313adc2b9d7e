import { googleGenAi } from './google-genai';
import { testClients } from './matrix';

testClients([{ client: googleGenAi }]);
