import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { Registry } from 'prom-client';
import { SecurityLog } from './security-log';

function securityLog(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const registry = new Registry();
  let nowMs = 1_000;
  const events = new SecurityLog({
    log: pino({ level }, stream),
    registry,
    maxPerSecond: 2,
    nowMs: () => nowMs,
  });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { events, lines, registry, advance };
}

test('writes a security event as one structured line even if LOG_LEVEL hides info', () => {
  const { events, lines } = securityLog('error');
  events.record({ event: 'login.failed', address: '192.0.2.1', requestId: 'r1', reason: 'wrong password' });
  expect(lines).toEqual([
    expect.objectContaining({
      security: true,
      event: 'login.failed',
      address: '192.0.2.1',
      requestId: 'r1',
      reason: 'wrong password',
    }),
  ]);
});

test('limits the lines for one kind of event per second and reports how many were suppressed', async () => {
  const { events, lines, registry, advance } = securityLog();
  for (let i = 0; i < 10; i++) events.record({ event: 'key.refused' });
  events.record({ event: 'login.succeeded' });
  expect(lines.map(({ event }) => event)).toEqual(['key.refused', 'key.refused', 'login.succeeded']);
  advance(1_000);
  events.record({ event: 'key.refused' });
  expect(lines.at(-1)).toMatchObject({ event: 'key.refused', suppressed: 8 });
  expect(await registry.getSingleMetricAsString('security_events_total')).toContain(
    'security_events_total{event="key.refused"} 11',
  );
});
