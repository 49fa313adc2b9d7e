import type { OutgoingHttpHeaders } from 'node:http';

export function retryAfterHeader(_id: string, seconds?: number): OutgoingHttpHeaders {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
