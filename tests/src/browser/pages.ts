export type VisitorRole = 'anonymous' | 'owner' | 'operator';

/** What exists in the gateway that the test has started. */
export interface TestData {
  readonly keyId: string;
  readonly requestId: string;
  readonly accountId: string;
}

export interface WebPage {
  readonly of: VisitorRole;
  readonly path: (data: TestData) => string;
}

const page = (of: VisitorRole, path: string | ((data: TestData) => string)): WebPage => ({
  of,
  path: typeof path === 'string' ? () => path : path,
});

/** Every page of the web UI. */
export const PAGES: readonly WebPage[] = [
  page('anonymous', '/login'),
  page('anonymous', '/sign-up'),
  page('owner', '/'),
  page('owner', '/keys'),
  page('owner', ({ keyId }) => `/keys/${keyId}`),
  page('owner', '/models'),
  page('owner', '/models/sim/chat'),
  page('owner', '/models/sim/video'),
  page('owner', '/playground'),
  page('owner', '/playground/images'),
  page('owner', '/playground/videos'),
  page('owner', '/usage'),
  page('owner', '/requests'),
  page('owner', ({ requestId }) => `/requests/${requestId}`),
  page('owner', '/billing'),
  page('owner', '/members'),
  page('owner', '/audit'),
  page('owner', '/account'),
  page('owner', '/operator/accounts'),
  page('operator', '/operator/accounts'),
  page('operator', ({ accountId }) => `/operator/accounts/${accountId}`),
  page('operator', '/operator/accounts?tab=topups'),
  page('operator', '/operator/requests'),
  page('operator', ({ requestId }) => `/operator/requests/${requestId}`),
  page('operator', '/operator/models'),
  page('operator', '/operator/models/new'),
  page('operator', '/operator/models/sim/chat'),
  page('operator', '/operator/models/sim/video?tab=entry'),
  page('operator', '/operator/throttle'),
  page('operator', '/operator/providers'),
  page('operator', '/operator/providers/new'),
  page('operator', '/operator/providers/new?endpoint=groq'),
  page('operator', '/operator/providers/sim'),
  page('operator', '/operator/access'),
  page('operator', '/operator/audit'),
];
