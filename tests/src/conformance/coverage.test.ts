import { DASHBOARD_ERROR_TABLE, ERROR_TABLE, type ErrorCode } from '@gateway/proto';
import { expect, test } from '@jest/globals';
import { AUTHENTICATION_CASES } from './authentication';
import { DASHBOARD_CASES } from './dashboard';
import { IMAGE_CASES } from './images';
import { OUTAGES } from './internal-error';
import { MODEL_CASES } from './model';
import { MONEY_CASES } from './money';
import { NOT_FOUND_CASES } from './not-found';
import { PROVIDER_REFUSAL_CASES } from './provider-refusals';
import { RATE_CASES } from './rates';
import { REQUEST_BODY_CASES } from './request-body';
import { TLS_CASES, upstreamCases } from './upstream';

/** Raised by calls that are still to be built: video. */
const OF_MEDIA: readonly ErrorCode[] = [
  'video_tier_not_found',
  'video_model_not_found',
  'video_generation_failed',
  'video_task_id_missing',
  'video_billing_error',
];

test('every code of the tables is provoked by a case, or waits for the calls that can raise it', () => {
  const cases = [
    ...AUTHENTICATION_CASES,
    ...REQUEST_BODY_CASES,
    ...MODEL_CASES,
    ...MONEY_CASES,
    ...RATE_CASES,
    ...NOT_FOUND_CASES,
    ...PROVIDER_REFUSAL_CASES,
    ...DASHBOARD_CASES,
    ...IMAGE_CASES,
    ...OUTAGES.flatMap((outage) => outage.cases),
    ...upstreamCases('openai'),
  ];
  const provoked = new Set<string>([...cases.map(({ code }) => code), ...TLS_CASES.map(([, code]) => code)]);
  expect(OF_MEDIA.filter((code) => provoked.has(code))).toEqual([]);
  const codes = Object.keys({ ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE });
  expect(codes.filter((code) => !provoked.has(code))).toEqual(OF_MEDIA);
});
