import type { IncomingMessage } from 'node:http';
import { canonicalAddress } from '@gateway/public-http';
import proxyaddr from 'proxy-addr';

/** Whether an address belongs to a proxy whose `X-Forwarded-For` is believed. */
export type IsTrustedProxy = (address: string, hop: number) => boolean;

/**
 * Returns the nearest address that is not a trusted proxy: the peer's, or the last such entry of `X-Forwarded-For`.
 * Each proxy appends the address it saw, so the entries before that address are the client's own claim. Where an
 * entry is not an address, the proxy that appended it is the last known hop. Empty when the socket is already closed.
 */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrustedProxy): string {
  if (request.socket.remoteAddress === undefined) return '';
  const hops = proxyaddr.all(request, (hop, index) => isTrusted(hop.trim(), index));
  return hops.map((hop) => canonicalAddress(hop.trim())).findLast((hop) => hop !== undefined) ?? '';
}

/** Returns whether the client's connection had TLS, which a trusted proxy in front ended. */
export function arrivedOverTls({ socket, headers }: IncomingMessage, isTrusted: IsTrustedProxy): boolean {
  const protocols = headers['x-forwarded-proto'];
  if (protocols === undefined || !isTrusted(socket.remoteAddress ?? '', 0)) return false;
  // Each proxy may append the protocol of its own connection.
  const [ofClient] = String(protocols).split(',');
  return ofClient?.trim().toLowerCase() === 'https';
}
