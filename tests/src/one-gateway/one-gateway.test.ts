import { afterAll, beforeAll, describe } from '@jest/globals';
import { type System, startSystem } from '../support/system';
import { testHostileCalls } from './hostile-calls';
import { testOpenAiClient } from './openai-client';
import { testRequestLog } from './request-log';
import { testShortFunds } from './short-funds';

/** Shared, because these tests need no settings and each start takes seconds of CPU time. */
let system: System;

beforeAll(async () => {
  system = await startSystem({ autoRestart: false });
}, 60_000);
afterAll(() => system?.stop(), 30_000);

describe('the official OpenAI client', () => testOpenAiClient(() => system));
describe('the request log', () => testRequestLog(() => system));
describe('short funds', () => testShortFunds(() => system));
// Last, because it checks that every service still runs.
describe('hostile calls', () => testHostileCalls(() => system));
