import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import type { Logger } from '@gateway/process';
import type { ReportRefusalsRequest } from '@gateway/proto/generated/gateway/billing/v1/ReportRefusalsRequest';
import { ClientDisconnected, type RequestContext } from '@gateway/rpc';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Refusal, RefusalReporter } from './refusal-reporter';
import { annotateFailure, withRefusalReports } from './with-refusal-reports';

const log = { warn: () => {}, error: () => {} } as unknown as Logger;
const NOW_MS = Date.UTC(2026, 4, 6, 7);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Creates a reporter and records its reports; the first `failures` reports arrive, but their replies are lost. */
function reporting(failures = 0) {
  const sent: ReportRefusalsRequest[] = [];
  let left = failures;
  const send = async (report: ReportRefusalsRequest) => {
    sent.push(report);
    if (left-- > 0) throw new GatewayError('internal_error');
  };
  return { sent, reporter: new RefusalReporter({ send, log, nowMs: () => NOW_MS }) };
}
const refusal = (number: number, more: Partial<Refusal> = {}): Refusal => ({
  requestId: `r${number}`,
  accountId: 'a',
  keyId: 'k',
  cell: '',
  model: 'sim/chat',
  endpoint: '/v1/chat/completions',
  startedAtMs: NOW_MS - 5,
  error: new GatewayError('rpm_rate_limited'),
  ...more,
});

describe('refused calls', () => {
  test('are sent in one batch with every known detail', async () => {
    const { sent, reporter } = reporting();
    reporter.add(refusal(1));
    reporter.add(refusal(2, { model: 'what\nis this', error: new GatewayError('invalid_request') }));
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(500);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      report: '1',
      calls: [
        {
          requestId: 'r1',
          accountId: 'a',
          keyId: 'k',
          model: 'sim/chat',
          status: 429,
          errorCode: 'rpm_rate_limited',
          startedAtMs: String(NOW_MS - 5),
          endedAtMs: String(NOW_MS),
        },
        { requestId: 'r2', model: '', status: 400, errorCode: 'invalid_request' },
      ],
      more: [],
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(sent).toHaveLength(1);
  });

  test('beyond the limit of one account are only counted, and those of other accounts are still recorded', async () => {
    const { sent, reporter } = reporting();
    for (let i = 0; i < 1_000; i++) reporter.add(refusal(i));
    for (let i = 0; i < 50; i++) reporter.add(refusal(i, { keyId: `k${i}` }));
    reporter.add(refusal(1_000, { accountId: 'b', keyId: 'kb' }));
    await jest.advanceTimersByTimeAsync(500);
    const [report] = sent;
    expect(report!.calls).toHaveLength(21);
    expect(report!.more).toHaveLength(51);
    expect(report!.more!.slice(0, 1)).toEqual([
      {
        accountId: 'a',
        keyId: 'k',
        model: 'sim/chat',
        errorCode: 'rpm_rate_limited',
        day: '2026-05-06',
        calls: '980',
      },
    ]);
  });

  test('with thousands of model names are all counted in a bounded number of rows', async () => {
    const { sent, reporter } = reporting();
    for (let i = 0; i < 12_000; i++) reporter.add(refusal(i, { model: `m/${i}` }));
    await jest.advanceTimersByTimeAsync(500);
    const { calls = [], more = [] } = sent[0]!;
    expect(more.length).toBe(5_001);
    expect(calls.length + more.reduce((sum, { calls: count }) => sum + Number(count), 0)).toBe(12_000);
  });

  test('are resent under the same number until billing accepts them', async () => {
    const { sent, reporter } = reporting(2);
    reporter.add(refusal(1));
    await jest.advanceTimersByTimeAsync(500);
    reporter.add(refusal(2));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sent.map(({ report, calls }) => [report, calls?.map(({ requestId }) => requestId)])).toEqual([
      ['1', ['r1']],
      ['1', ['r1']],
      ['1', ['r1']],
      ['2', ['r2']],
    ]);
  });

  test('that billing has not accepted are resent on shutdown together with later ones', async () => {
    const { sent, reporter } = reporting(1);
    reporter.add(refusal(1));
    await jest.advanceTimersByTimeAsync(500);
    reporter.add(refusal(2));
    await reporter.close();
    expect(sent.map(({ report, calls }) => [report, calls?.map(({ requestId }) => requestId)])).toEqual([
      ['1', ['r1']],
      ['1', ['r1']],
      ['2', ['r2']],
    ]);
  });

  test('are resent on shutdown when the send in progress fails', async () => {
    const sent: string[] = [];
    let fail!: () => void;
    const send = (report: ReportRefusalsRequest) => {
      sent.push(String(report.report));
      return sent.length > 1
        ? Promise.resolve()
        : new Promise((_resolve, reject) => {
            fail = () => reject(new GatewayError('internal_error'));
          });
    };
    const reporter = new RefusalReporter({ send, log, nowMs: () => NOW_MS });
    reporter.add(refusal(1));
    await jest.advanceTimersByTimeAsync(500);
    const closing = reporter.close();
    fail();
    await closing;
    expect(sent).toEqual(['1', '1']);
  });

  test('do not delay shutdown when billing is unreachable', async () => {
    const { sent, reporter } = reporting(100);
    reporter.add(refusal(1));
    await jest.advanceTimersByTimeAsync(500);
    reporter.add(refusal(2));
    await reporter.close();
    expect(sent.map(({ report }) => report)).toEqual(['1', '1']);
  });

  test('of invalid keys are not reported, and queued ones are sent on shutdown', async () => {
    const { sent, reporter } = reporting();
    reporter.add(refusal(1, { error: new GatewayError('invalid_api_key') }));
    reporter.add(refusal(2));
    await reporter.close();
    expect(sent.map(({ calls }) => calls?.map(({ requestId }) => requestId))).toEqual([['r2']]);
  });
});

describe('failures of a handler', () => {
  const added: Refusal[] = [];
  const call = { path: '/v1/messages', key: { accountId: 'a', keyId: 'k' } } as unknown as LinkCall;
  const run = (thrown: unknown) =>
    withRefusalReports({ add: (one) => added.push(one) }, () => Promise.reject(thrown))(
      { requestId: 'r' } as RequestContext,
      call,
    );
  beforeEach(() => {
    added.length = 0;
  });

  test('are recorded as refusals with their model', async () => {
    const error = new GatewayError('model_not_found');
    annotateFailure(error, { model: 'sim/none', hasHold: false });
    await expect(run(error)).rejects.toBe(error);
    expect(added).toMatchObject([
      { requestId: 'r', accountId: 'a', keyId: 'k', model: 'sim/none', endpoint: '/v1/messages', error },
    ]);
  });

  test('are recorded as internal_error when they are not a GatewayError', async () => {
    await expect(run(new Error('a defect'))).rejects.toThrow('a defect');
    expect(added.map(({ error }) => error.code)).toEqual(['internal_error']);
  });

  test('have no error code when the client had disconnected', async () => {
    await expect(run(new ClientDisconnected())).rejects.toThrow();
    expect(added).toMatchObject([{ clientDisconnected: true }]);
    const { sent, reporter } = reporting();
    reporter.add(added[0]!);
    await reporter.close();
    expect(sent[0]?.calls).toMatchObject([{ status: 499, errorCode: '' }]);
  });

  test('are not reported when a hold exists, because its settlement records them', async () => {
    const error = new GatewayError('upstream_failed');
    annotateFailure(error, { model: 'sim/chat', hasHold: true });
    // A later annotation without a hold does not reset it.
    annotateFailure(error, { model: 'sim/chat', hasHold: false });
    await expect(run(error)).rejects.toBe(error);
    expect(added).toEqual([]);
  });
});
