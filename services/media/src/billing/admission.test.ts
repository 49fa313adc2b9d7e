import { randomUUID } from 'node:crypto';
import { type BilledCall, Cells, type UsageEvent } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { RequestContext } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import type { Bills } from '../store/bills';
import { Admission } from './admission';

const KEY = {
  keyId: 'k',
  accountId: 'a',
  allowedModels: [],
  previewModels: [],
  valueId: 'v',
  bareModelNames: false,
  hasTpmLimit: false,
  scopes: [],
  allowedIps: [],
  clientAddress: '',
  noFallbackModels: false,
  dropUnsupportedTools: false,
  detailedMessages: false,
  cell: '',
};
const REQUEST = {
  key: KEY,
  model: { slug: 'sim/image', outputModalities: ['image'], priceVersion: 7n },
  provider: 'sim',
  endpoint: '/v1/images',
  boundNano: 500n,
};
const ANSWERED = { status: 200, errorCode: '' };
const GRANT = { holdNano: '500', grantedTokens: '0', requestCostLimitNano: '900' };

/** An admission whose dependencies record their calls in order. */
function admissionTo(
  billing: () => object,
  { canDrop = true, isOurs = true, admits = true, canOpen = true } = {},
) {
  const steps: string[] = [];
  const reserved: ReserveRequest[] = [];
  const ends: UsageEvent[] = [];
  const bills = {
    open: async () => {
      steps.push('open');
      if (!canOpen) throw new Error('no database');
    },
    drop: async () => {
      steps.push('drop');
      if (!canDrop) throw new Error('no database');
    },
    dispatched: async ({ provider }: BilledCall) => {
      steps.push(`dispatched ${provider}`);
      return isOurs;
    },
  };
  const reserve = async (request: ReserveRequest) => {
    steps.push('reserve');
    reserved.push(request);
    return billing() as never;
  };
  const admission = new Admission({
    bills: bills as unknown as Bills,
    billOutbox: {
      dropLater: (requestId) => void steps.push(`drop ${requestId} later`),
      end: async (event) => {
        steps.push(event.outcome);
        ends.push(event);
        return true;
      },
    },
    cells: new Cells({
      outbox: { admits: () => admits },
      reserve: { reserve, reserveWithSettlementRetries: reserve },
    }),
  });
  return { admission, steps, reserved, ends };
}

const context = (): RequestContext => ({
  requestId: randomUUID(),
  signal: new AbortController().signal,
  log: createLogger('test', 'silent'),
});
const refuse = (code: 'insufficient_balance' | 'internal_error') => () => {
  throw new GatewayError(code);
};
/** Waits for work after a refusal that the caller does not wait for. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('admitting a call stores its bill before its hold, and marks it dispatched before the provider call', async () => {
  const { admission, steps, reserved, ends } = admissionTo(() => GRANT);
  const ofCall = context();
  expect(admission.hasHold(ofCall)).toBe(false);
  const bill = await admission.admit(ofCall, { ...REQUEST, tokens: { prompt: 10, output: 20 } });
  expect([admission.hasHold(ofCall), admission.hasHold(context())]).toEqual([true, false]);
  expect(bill.grant).toEqual({ holdNano: 500n, requestCostLimitNano: 900n, rates: {} });
  await bill.dispatched();
  await bill.dispatched('other');
  await bill.settle({ costNano: 70n, images: 2, tokens: { input: 5, output: 6 } }, ANSWERED);
  expect(steps).toEqual(['open', 'reserve', 'dispatched sim', 'dispatched other', 'USAGE_OUTCOME_SETTLED']);
  expect(reserved[0]).toMatchObject({
    ownerId: 'media',
    boundNano: '500',
    floorNano: '500',
    boundTokens: '30',
    floorTokens: '10',
    callerNamedMaximum: true,
  });
  expect(ends[0]).toMatchObject({
    costNano: '70',
    images: 2,
    provider: 'other',
    tokens: { input: '5', output: '6' },
    usageSource: 'USAGE_SOURCE_PROVIDER',
    status: 200,
  });
});

test('only the first end of a bill counts, and later ends wait for it', async () => {
  const { admission, ends } = admissionTo(() => GRANT);
  const bill = await admission.admit(context(), REQUEST);
  await Promise.all([
    bill.lose({ status: 504, errorCode: 'image_generation_timeout' }),
    bill.settle({ costNano: 1n }, ANSWERED),
    bill.release(ANSWERED),
  ]);
  expect(ends).toEqual([
    expect.objectContaining({ outcome: 'USAGE_OUTCOME_LOST', errorCode: 'image_generation_timeout' }),
  ]);
});

test.each([
  ['refused', 'insufficient_balance', {}, ['drop']],
  [
    'refused while its bill cannot be dropped',
    'insufficient_balance',
    { canDrop: false },
    ['drop', 'USAGE_OUTCOME_RELEASED'],
  ],
  ['in doubt', 'internal_error', {}, ['USAGE_OUTCOME_RELEASED']],
] as const)('a call whose hold is %s leaves no bill or hold open', async (_, code, surroundings, then) => {
  const { admission, steps } = admissionTo(refuse(code), surroundings);
  const ofCall = context();
  await expect(admission.admit(ofCall, REQUEST)).rejects.toMatchObject({ code });
  // The release event of a possible hold creates the call's record.
  expect(admission.hasHold(ofCall)).toBe(code === 'internal_error');
  await settle();
  expect(steps).toEqual(['open', 'reserve', ...then]);
});

test('a call whose bill another instance has ended is not dispatched', async () => {
  const { admission } = admissionTo(() => GRANT, { isOurs: false });
  const bill = await admission.admit(context(), REQUEST);
  await expect(bill.dispatched()).rejects.toMatchObject({ code: 'internal_error' });
});

test('no call is admitted while too many bills await delivery', async () => {
  const { admission, steps } = admissionTo(() => GRANT, { admits: false });
  await expect(admission.admit(context(), REQUEST)).rejects.toMatchObject({ code: 'internal_error' });
  expect(steps).toEqual([]);
});

test('a free call has no bill and gets the per-request cap', async () => {
  const { admission, steps, reserved } = admissionTo(() => ({ ...GRANT, holdNano: '0' }));
  expect(await admission.admitFree(context(), { key: KEY, method: 'GET', path: '/v1/videos' })).toMatchObject(
    { requestCostLimitNano: 900n },
  );
  expect(steps).toEqual(['reserve']);
  expect(reserved[0]).toMatchObject({ free: true, keyId: 'k', valueId: 'v' });
});

test('a bill that may have been stored despite an error is dropped later', async () => {
  const { admission, steps } = admissionTo(() => GRANT, { canOpen: false });
  const call = context();
  await expect(admission.admit(call, REQUEST)).rejects.toThrow('no database');
  expect(steps).toEqual(['open', `drop ${call.requestId} later`]);
});
