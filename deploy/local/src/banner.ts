import type { Stack } from '@gateway/local-stack';
import type { Demo } from './demo-account';

/** Returns the message that `npm start` prints when everything is ready. */
export function banner(stack: Stack, demo: Demo, afterMs: number): string {
  const { simulated } = stack.providers;
  const lines = [
    '',
    `Model Gateway is running (ready in ${(afterMs / 1000).toFixed(1)} s).`,
    '',
    `  API          ${demo.base_url}/v1`,
    `  Dashboard    ${demo.dashboard_url}`,
    `  Demo key     ${demo.api_key}`,
    `  Demo login   ${demo.email} / ${demo.password}`,
    `  Operator     ${demo.admin_email} / ${demo.admin_password}`,
    `  Engines      ${engines(stack)}`,
    `  Data, logs   ${stack.dataDir}, ${stack.logDir}`,
  ];
  if (simulated.length > 0) {
    const settings = simulated.flatMap(({ keySettings }) => keySettings).join(', ');
    lines.push(
      '',
      `  Simulated providers: ${simulated.map(({ name }) => name).join(', ')}.`,
      `  To use the real ones, set ${settings}.`,
    );
  }
  lines.push('', '  Try it:', '', curl(demo), '', '  Press Ctrl-C to stop.', '');
  return lines.join('\n');
}

/** On one line without indentation, so that it can be copied. */
function curl(demo: Demo): string {
  const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hello' }] };
  return [
    `curl ${demo.base_url}/v1/chat/completions`,
    `-H 'Authorization: Bearer ${demo.api_key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' ');
}

function engines({ engines: { embedded } }: Stack): string {
  const name = (kind: string, isEmbedded: boolean) => `${kind} (${isEmbedded ? 'embedded' : 'external'})`;
  return [
    name('PostgreSQL', embedded.database),
    name('Redis', embedded.redis),
    embedded.kafka ? 'usage over gRPC, no Kafka' : 'Kafka (external)',
  ].join(', ');
}
