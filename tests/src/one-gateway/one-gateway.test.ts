import { afterAll, beforeAll, describe } from '@jest/globals';
import { type System, startSystem } from '../support/system';
import { testGatewayClient } from './gateway-client';
import { testHostileCalls } from './hostile-calls';
import { testOpenAiClient } from './openai-client';
import { testRequestLog } from './request-log';
import { testShortFunds } from './short-funds';

/** Shared, because these tests need few settings and each start takes seconds of CPU time. */
let system: System;
const IMAGE_TIMEOUT_MS = 2_000;

beforeAll(async () => {
  const media = { IMAGE_TIMEOUT_MS: `${IMAGE_TIMEOUT_MS}`, VIDEO_POLL_INTERVAL_MS: '200' };
  system = await startSystem({ autoRestart: false, settings: { media } });
}, 60_000);
afterAll(() => system?.stop(), 30_000);

describe('the official OpenAI client', () => testOpenAiClient(() => system));
describe('the gateway’s own client', () => testGatewayClient(() => system, IMAGE_TIMEOUT_MS));
describe('the request log', () => testRequestLog(() => system));
describe('short funds', () => testShortFunds(() => system));
// Last, because it checks that every service still runs.
describe('hostile calls', () => testHostileCalls(() => system));
