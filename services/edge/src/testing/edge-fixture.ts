import { createLogger, type Logger, type RunningService } from '@gateway/process';
import { until } from '@gateway/testing';
import { startEdge } from '../server';
import { FakeBilling } from './fake-billing';
import { FakeChat } from './fake-chat';
import { FakeDashboard } from './fake-dashboard';

export const KEY = 'sk-gw-test_abcdefghijklmnop';
/** A key of another account. */
export const OTHER_KEY = 'sk-gw-test_bcdefghijklmnopq';
/** A key whose error messages have details. */
export const DETAILED_KEY = 'sk-gw-test_cdefghijklmnopqr';
export const SECRET = 'a-secret-for-tests-only';

/** An edge between fakes of everything it talks to. */
export interface EdgeFixture {
  readonly edge: RunningService;
  readonly log: Logger;
  readonly billing: FakeBilling;
  readonly chat: FakeChat;
  readonly media: FakeChat;
  readonly dashboard: FakeDashboard;
  readonly apiPort: number;
  readonly dashboardPort: number;
  readonly apiUrl: string;
  readonly dashboardUrl: string;
  /** Value of a metric, named with its labels. */
  metric(name: string): Promise<number>;
  /** Memory of the request bodies in flight. */
  bodyBytes(): Promise<number>;
  stop(): Promise<void>;
}

export async function startEdgeFixture(settings: Record<string, string> = {}): Promise<EdgeFixture> {
  const log = createLogger('edge-test', process.env.TEST_LOG_LEVEL ?? 'silent');
  const billing = await FakeBilling.start(SECRET, log);
  const chat = await FakeChat.start(SECRET, log);
  const media = await FakeChat.start(SECRET, log, 0, 'media');
  const dashboard = await FakeDashboard.start(SECRET, log);
  billing.keys.set(KEY, { key: { keyId: 'key-1', accountId: 'account-1' } });
  billing.keys.set(OTHER_KEY, { key: { keyId: 'key-2', accountId: 'account-2' } });
  billing.keys.set(DETAILED_KEY, {
    key: { keyId: 'key-3', accountId: 'account-1', detailedMessages: true },
  });
  const env = {
    SERVICE_SECRET: SECRET,
    BILLING_ADDR: billing.address,
    CHAT_ADDR: chat.address,
    MEDIA_ADDR: media.address,
    DASHBOARD_ADDR: dashboard.address,
    DASHBOARD_HTTP_URL: dashboard.url,
    EDGE_API_PORT: '0',
    EDGE_DASHBOARD_PORT: '0',
    EDGE_LAME_DUCK_MS: '0',
    EDGE_STOP_GRACE_MS: '500',
    ...settings,
  };
  const edge = await startEdge(env, log);
  const { api = 0, dashboard: dashboardPort = api, admin = 0 } = edge.ports;
  const fixture: EdgeFixture = {
    edge,
    log,
    billing,
    chat,
    media,
    dashboard,
    apiPort: api,
    dashboardPort,
    apiUrl: `http://127.0.0.1:${api}`,
    dashboardUrl: `http://127.0.0.1:${dashboardPort}`,
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1));
    },
    async bodyBytes() {
      const [api, ofDashboard] = await Promise.all(
        ['api', 'dashboard'].map((space) => fixture.metric(`edge_quota_used{quota="${space}_bodies"}`)),
      );
      return api! + ofDashboard!;
    },
    async stop() {
      await edge.stop();
      await Promise.all([billing.stop(), chat.stop(), media.stop(), dashboard.stop()]);
    },
  };
  await until(async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).ok);
  return fixture;
}
