import type { RateReport as RateReportMessage } from '@gateway/proto/generated/gateway/billing/v1/RateReport';
import { expect, test } from '@jest/globals';
import { NO_USAGE } from '../domain/usage';
import { RateReporter } from './rate-reporter';

/** Reports of a call admitted with 10 prompt tokens and 100 expected output tokens, as tokens and sequence numbers. */
function reporting(): { report: RateReporter; sent: (readonly [tokens: unknown, sequence: unknown])[] } {
  const sent: (readonly [unknown, unknown])[] = [];
  const reservation = { generation: '1', bucket: '7', tokens: '110' };
  const call = { requestId: 'request', keyId: 'key', reservation, promptTokens: 10, expectedTokens: 100 };
  const report = new RateReporter(call, (message: RateReportMessage) => {
    expect(message).toMatchObject({ requestId: 'request', keyId: 'key', reservation });
    sent.push([message.usedTokens, message.sequence]);
  });
  return { report, sent };
}

test('nothing is reported while a call stays within the expected output', () => {
  const { report, sent } = reporting();
  report.update(undefined, 0);
  report.update(undefined, 100);
  expect(sent).toEqual([]);
});

test('output beyond the expected amount is reported as a total whenever it grows', () => {
  const { report, sent } = reporting();
  for (const tokens of [101, 101, 150]) report.update(undefined, tokens);
  expect(sent).toEqual([
    [111, 1],
    [160, 2],
  ]);
});

test('the actual prompt is reported once the provider reports it, including cached tokens', () => {
  const { report, sent } = reporting();
  const usage = { ...NO_USAGE, input: 1, cache_read: 2, cache_write: 3, cache_write_1h: 1, output: 1 };
  report.update(usage, 5);
  report.update({ ...usage, output: 200 }, 150);
  expect(sent).toEqual([
    [107, 1],
    [207, 2],
  ]);
});
