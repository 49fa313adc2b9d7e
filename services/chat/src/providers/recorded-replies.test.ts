import { costOf } from '@gateway/pricing';
import { Quota } from '@gateway/quota';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { callWith, PRICE } from '../app/recorded-call.fixture';
import type { ChatProvider } from '../domain/chat-provider';
import { TokenCounter } from '../domain/token-count';
import { NO_USAGE, type TokenUsage } from '../domain/usage';
import { REFUSAL_WITHOUT_TEXT } from '../formats/openai/refusal-without-text';
import { expectedAnthropic } from './anthropic/expected-replies.fixture';
import { expectedBedrock } from './bedrock/expected-replies.fixture';
import { expectedCohere } from './cohere/expected-replies.fixture';
import { KINDS } from './connect-provider';
import { expectedGemini } from './gemini/expected-replies.fixture';
import { expectedOpenAi } from './openai/expected-replies.fixture';
import { joined, type ReceivedReply, readAsAnthropic, readAsOpenAi } from './received-reply.fixture';
import {
  type ExpectedReplies,
  type ExpectedReply,
  isStream,
  PROTOCOLS,
  type Protocol,
  recordedEvents,
  recording,
  recordingsOf,
} from './recorded-replies.fixture';
import { createProviders, PROVIDERS } from './registry';
import { generateServiceAccount } from './vertex/service-account.fixture';

const EXPECTED: Readonly<Record<Protocol, ExpectedReplies>> = {
  openai: expectedOpenAi,
  anthropic: expectedAnthropic,
  gemini: expectedGemini,
  cohere: expectedCohere,
  bedrock: expectedBedrock,
};
const CLIENTS = [
  { client: 'OpenAI', wire: 'openai', read: readAsOpenAi },
  { client: 'Anthropic', wire: 'anthropic', read: readAsAnthropic },
] as const;
type ClientFormat = (typeof CLIENTS)[number]['wire'];

/** Of a server that reports a running total in every chunk, unasked. */
const UNASKED_USAGE = { quirks: { stream_options: false, think_tags: true } };
const bufferQuota = new Quota({ limit: 1_000_000 });
const GENERATED_ACCOUNT = generateServiceAccount().json;
const CLOUD = { baseUrl: 'https://cloud.invalid', apiKey: 'k', options: {} };
/** Those of the settings, and kinds that only the catalog configures. */
const providers = new Map([
  ...createProviders(
    { CHAT_PROVIDERS: Object.keys(PROVIDERS).join(','), SIM_BASE_URL: 'http://simulator.invalid/v1' },
    Object.fromEntries(Object.values(PROVIDERS).map(({ env }) => [`${env}_API_KEY`, 'k'])),
    bufferQuota,
  ),
  ...['cohere', 'deepinfra', 'groq', 'moonshotai', 'perplexity', 'vllm'].map((id) => {
    const options = id === 'perplexity' ? UNASKED_USAGE : { preset: id };
    const access = { id, baseUrl: 'http://provider.invalid/v1', apiKey: 'k', options };
    const provider = id === 'cohere' ? KINDS.cohere(access) : KINDS.openai(access, bufferQuota);
    return [id, provider] as const;
  }),
  [
    'bedrock',
    KINDS.bedrock({
      id: 'bedrock',
      baseUrl: 'http://bedrock.invalid',
      apiKey: 'k',
      options: { region: 'us-east-1' },
    }),
  ],
  ['azure', KINDS['azure-openai']({ ...CLOUD, id: 'azure' }, bufferQuota)],
  ['vertex', KINDS.vertex({ ...CLOUD, id: 'vertex' })],
  ['vertex-anthropic', claudeOnVertex()],
]);

const CASES = PROTOCOLS.flatMap((protocol) =>
  Object.entries(EXPECTED[protocol]).flatMap(([file, expected]) =>
    CLIENTS.map((client) => ({ ...client, title: expected.title, protocol, file, expected })),
  ),
);

const FINISH_REASON = /"(?:finish_reason|stop_reason|finishReason|stopReason)": ?"/;

// The first count is slow, and one that exceeds its CPU time is an estimate.
beforeAll(() => new TokenCounter().addText('The sea is blue.'));

test.each(PROTOCOLS)('every recorded reply of %s has an expectation, and the reverse', (protocol) => {
  expect(recordingsOf(protocol)).toEqual(Object.keys(EXPECTED[protocol]).sort());
});

test.each(CASES)('$title ($client client)', async ({ protocol, file, expected, wire, read }) => {
  const provider = providers.get(expected.provider)!;
  expect(provider.wire).toBe(protocol);
  const { body, error, billed } = await callWith(
    provider,
    { status: expected.httpStatus ?? 200, isStream: isStream(file), body: recording(protocol, file) },
    wire,
  );
  expect(billed).toEqual([expect.objectContaining(billOf(expected))]);
  if (!expected.content) {
    expect(error && { ...error, status: error.row.status }).toMatchObject(expected.error!);
    expect(error?.detail).toBe(expected.error?.detail);
    return;
  }
  expect(error).toBeUndefined();
  expect(read(body!, isStream(file))).toEqual(receivedBy(wire, protocol, expected));
});

/** Bedrock's streams have a framing that nothing else has. */
const REFRAMED = CASES.filter(
  ({ protocol, expected: { finish, error, httpStatus } }) =>
    protocol !== 'bedrock' && finish && !error && !httpStatus,
);

test.each(REFRAMED)(
  'in the other form than was asked for: $title ($client client)',
  async ({ protocol, file, expected, wire, read }) => {
    const sent = { status: 200, isStream: !isStream(file), body: recording(protocol, file) };
    const { body, error, billed } = await callWith(providers.get(expected.provider)!, sent, wire);
    expect(error).toBeUndefined();
    expect(read(body!, sent.isStream)).toEqual(receivedBy(wire, protocol, expected));
    expect(billed).toEqual([expect.objectContaining(billOf(expected))]);
  },
);

test.each(PROTOCOLS.filter((protocol) => protocol !== 'bedrock'))(
  'a stream of %s that is cut before its finish reason is no complete reply',
  async (protocol) => {
    for (const { file, expected, wire } of REFRAMED.filter(
      (each) => each.protocol === protocol && isStream(each.file),
    )) {
      const events = recordedEvents(protocol, file);
      const at = events.findIndex((event) => FINISH_REASON.test(event.toString()));
      const body = Buffer.concat(events.slice(0, at));
      const cut = { status: 200, isStream: false, body };
      const { error, billed } = await callWith(providers.get(expected.provider)!, cut, wire);
      expect([file, error?.code, billed[0]?.costNano]).toEqual([file, 'upstream_failed', '0']);
    }
  },
);

describe.each(PROTOCOLS)('a recorded stream of %s after any of its events', (protocol) => {
  const streams = CASES.filter(({ protocol: its, file, expected: { finish } }) => {
    return its === protocol && isStream(file) && finish;
  });

  test.each([
    ['ends in an error if its connection ends before the finish reason, and is complete after it', false],
    ['ends in an error if its connection breaks', true],
  ])('%s', async (_how, breaks) => {
    for (const { file, expected, wire, read } of streams) {
      const events = recordedEvents(protocol, file);
      for (let count = 0; count < events.length; count++) {
        const sent = Buffer.concat(events.slice(0, count));
        const cut = { status: 200, isStream: true, body: sent, breaks };
        const { body, error } = await callWith(providers.get(expected.provider)!, cut, wire);
        const received = body === undefined ? undefined : read(body, true);
        const errorCode = received?.errorCode ?? error?.code;
        const isWhole = FINISH_REASON.test(sent.toString('latin1')) && !breaks;
        expect([file, count, errorCode]).toEqual([file, count, isWhole ? undefined : 'upstream_failed']);
        if (isWhole) expect([file, count, received?.finish]).toEqual([file, count, expected.finish![wire]]);
      }
    }
  });
});

/** Without its tokens, which would have to be fetched. */
function claudeOnVertex(): ChatProvider {
  const account = { ...CLOUD, id: 'vertex-anthropic', apiKey: GENERATED_ACCOUNT, options: { project: 'p' } };
  const provider = KINDS['vertex-anthropic'](account, bufferQuota);
  return { ...provider, address: () => ({ url: new URL(CLOUD.baseUrl), headers: {} }) };
}

function receivedBy(
  wire: ClientFormat,
  protocol: Protocol,
  { content = [], finish, error }: ExpectedReply,
): Partial<ReceivedReply> {
  const plain = joined(content);
  const ended = { finish: finish?.[wire], errorCode: error?.code };
  if (wire === 'anthropic') return { ...plain, ...ended, blocks: content };
  // A reply that passes through is not completed.
  const isEmptyRefusal = protocol !== wire && content.length === 0 && finish?.openai === 'content_filter';
  return { ...plain, ...ended, ...(isEmptyRefusal && { text: REFUSAL_WITHOUT_TEXT }) };
}

const mapCounts = (units: TokenUsage['units'] = {}) =>
  Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, String(count)]));

/** Returns the record by which the call is charged. */
function billOf({ usage, isCounted, error }: ExpectedReply): object {
  const ending = { status: error?.status ?? 200, errorCode: error?.code ?? '' };
  if (!usage) return { ...ending, outcome: 'USAGE_OUTCOME_RELEASED', costNano: '0', tokens: null };
  const charged: TokenUsage = { ...NO_USAGE, ...usage };
  return {
    ...ending,
    outcome: 'USAGE_OUTCOME_SETTLED',
    usageSource: isCounted ? 'USAGE_SOURCE_COUNTED' : 'USAGE_SOURCE_PROVIDER',
    tokens: {
      input: String(charged.input),
      cacheRead: String(charged.cache_read),
      cacheWrite: String(charged.cache_write + (charged.cache_write_1h ?? 0)),
      output: String(charged.output),
      reasoning: String(charged.reasoning),
      units: mapCounts(charged.units),
    },
    costNano: String(costOf(charged, PRICE).costNano),
  };
}
