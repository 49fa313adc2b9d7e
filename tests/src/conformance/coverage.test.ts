import { DASHBOARD_ERROR_TABLE, ERROR_TABLE } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import { AUTHENTICATION_CASES } from './authentication';
import { DASHBOARD_CASES } from './dashboard';
import { IMAGE_CASES } from './images';
import { MODEL_CASES } from './model';
import { MONEY_CASES } from './money';
import { NOT_FOUND_CASES } from './not-found';
import { OUTAGES } from './outages';
import { PROVIDER_REFUSAL_CASES } from './provider-refusals';
import { RATE_CASES } from './rates';
import { REQUEST_BODY_CASES } from './request-body';
import { TLS_CASES, upstreamCases } from './upstream';
import { VIDEO_CASES } from './video';

test('every code of the error tables is covered by a conformance case', () => {
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
    ...VIDEO_CASES,
    ...upstreamCases('openai'),
  ];
  const provoked = new Set<string>([...cases.map(({ code }) => code), ...TLS_CASES.map(([, code]) => code)]);
  const codes = Object.keys({ ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE });
  expect(codes.filter((code) => !provoked.has(code))).toEqual([]);
});
