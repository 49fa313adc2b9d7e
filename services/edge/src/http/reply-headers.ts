/** Headers that an answering service may set on the public response. */
const ALLOWED = new Set([
  'content-type',
  'content-length',
  'cache-control',
  'retry-after',
  'x-should-retry',
  // Tells a proxy in front of the gateway (nginx) not to buffer a stream.
  'x-accel-buffering',
]);
const ALLOWED_PREFIXES = ['x-ratelimit-', 'x-gateway-', 'anthropic-ratelimit-'];

export function publicReplyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (ALLOWED.has(lower) || ALLOWED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      allowed[lower] = headers[name]!;
    }
  }
  return allowed;
}
