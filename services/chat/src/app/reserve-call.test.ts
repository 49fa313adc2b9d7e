import { Cells, type ReserveClient, type UsageOutbox } from '@gateway/call-billing';
import { boundOf } from '@gateway/pricing';
import type { RequestContext } from '@gateway/rpc';
import { describe, expect, test } from '@jest/globals';
import { ExpectedOutputs } from '../domain/expected-outputs';
import type { Model } from '../domain/model';
import { NO_USAGE } from '../domain/usage';
import type { UsageJournal } from '../journal/usage-journal';
import { Admission, type AdmissionRequest } from './reserve-call';

const PRICE = { input: 1_000_000n, output: 4_000_000n };
const INPUT_TOKENS = 100;

/** A call with a bound of 1,000 output tokens per choice plus its prediction. */
function request(choices: number, predictionBytes: number): AdmissionRequest {
  const outputTokens = (1_000 + predictionBytes) * choices;
  return {
    key: { keyId: 'key', cell: '' } as AdmissionRequest['key'],
    model: { slug: 'sim/chat', maxOutputTokens: 2_000, outputModalities: ['text'] } as unknown as Model,
    bareModelName: false,
    provider: 'sim',
    endpoint: '/v1/chat/completions',
    streamed: false,
    price: PRICE,
    usageIsHidden: false,
    standardPrice: undefined,
    priceVersion: 1n,
    bound: {
      inputTokens: INPUT_TOKENS,
      outputTokens,
      costNano: boundOf(INPUT_TOKENS, outputTokens, PRICE),
      floorOutputTokens: 1,
      floorCostNano: 1n,
    },
    promptTokens: 30,
    choices,
    predictionBytes,
    callerNamedMaximum: false,
    waitsForSettlements: true,
  };
}

/** Reserves the call with a hold for the given output tokens of all choices. */
async function admittedFor(
  asked: AdmissionRequest,
  heldTokens: number,
  { outputs = new ExpectedOutputs(), granted = {} }: { outputs?: ExpectedOutputs; granted?: object } = {},
) {
  const grant = { holdNano: boundOf(INPUT_TOKENS, heldTokens, PRICE).toString(), ...granted };
  const reserved: Record<string, unknown>[] = [];
  const reported: unknown[] = [];
  const admission = new Admission({
    cells: new Cells({
      reserve: {
        reserveWithSettlementRetries: async (asks: Record<string, unknown>) => {
          reserved.push(asks);
          return grant;
        },
        report: (report: unknown) => reported.push(report),
      } as unknown as ReserveClient,
      outbox: { admits: () => true, add: () => {} } as unknown as UsageOutbox,
    }),
    journal: {
      admits: true,
      owner: { id: 'me', epoch: 1n },
      final: async () => {},
    } as unknown as UsageJournal,
    outputs,
  });
  const context = { requestId: 'request-1' } as RequestContext;
  const { headers, ...admitted } = await admission.admit(context, asked);
  const { boundTokens, floorTokens } = reserved[0]!;
  return { ...admitted, announced: headers['x-gateway-max-tokens'], boundTokens, floorTokens, reported };
}

describe('the maximum output sent upstream', () => {
  test('is unchanged when the whole bound was reserved', async () => {
    expect(await admittedFor(request(2, 50), 2_100)).toMatchObject({
      loweredMaxTokens: undefined,
      outputTokens: 2_100,
      announced: undefined,
    });
  });

  test('is divided among the choices when less was reserved', async () => {
    expect(await admittedFor(request(2, 0), 501)).toMatchObject({
      loweredMaxTokens: 250,
      outputTokens: 500,
      announced: '250',
    });
  });

  test('leaves room for the cost of a wrong prediction', async () => {
    expect(await admittedFor(request(1, 300), 400)).toMatchObject({
      loweredMaxTokens: 100,
      outputTokens: 400,
      announced: '100',
    });
    expect(await admittedFor(request(2, 300), 800)).toMatchObject({ loweredMaxTokens: 100 });
  });

  test('never exceeds the maximum of the model when only the context limits the request', async () => {
    const asked = request(1, 0);
    const openEnded = { ...asked, bound: { ...asked.bound, outputTokens: 10_000 } };
    expect(await admittedFor(openEnded, 5_000)).toMatchObject({
      loweredMaxTokens: 2_000,
      outputTokens: 2_000,
      announced: '2000',
    });
  });
});

describe('the tokens counted against a TPM limit at admission', () => {
  test('are the prompt and the expected output, at most the maximum of the call', async () => {
    const asked = request(1, 0);
    expect(await admittedFor(asked, 1_000)).toMatchObject({ boundTokens: 1030, floorTokens: 30 });
    const short = { ...asked, bound: { ...asked.bound, inputTokens: 25, outputTokens: 70 } };
    expect(await admittedFor(short, 1_000)).toMatchObject({ boundTokens: 95, floorTokens: 25 });
  });

  test('follow the recent outputs of the key with the model', async () => {
    const outputs = new ExpectedOutputs();
    outputs.learn('key', 'sim/chat', 200);
    expect(await admittedFor(request(1, 0), 1_000, { outputs })).toMatchObject({ boundTokens: 230 });
  });

  test('never lower the maximum output sent upstream', async () => {
    const granted = { grantedTokens: '31' };
    expect(await admittedFor(request(1, 0), 1_000, { granted })).toMatchObject({
      loweredMaxTokens: undefined,
      outputTokens: 1_000,
    });
  });

  test('are reported during the call only if billing reports a TPM limit', async () => {
    const rateReservation = { generation: '1', bucket: '2', tokens: '1030' };
    const admitted = await admittedFor(request(1, 0), 1_000, { granted: { rateReservation } });
    admitted.rateReport!.update(undefined, 2_000);
    expect(admitted.reported).toEqual([
      { requestId: 'request-1', keyId: 'key', reservation: rateReservation, usedTokens: 2_030, sequence: 1 },
    ]);
    expect((await admittedFor(request(1, 0), 1_000)).rateReport).toBeUndefined();
  });

  test('are learned from the final usage of the call', async () => {
    const outputs = new ExpectedOutputs();
    const { metered } = await admittedFor(request(1, 0), 1_000, { outputs });
    await metered.settle({ ...NO_USAGE, input: 20, output: 40 }, 'provider', { status: 200, errorCode: '' });
    expect(outputs.expect('key', 'sim/chat', 1_000)).toBe(40);
  });
});
