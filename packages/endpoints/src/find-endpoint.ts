import type { KeyScope } from '@gateway/models';
import { ENDPOINTS, type KnownEndpoint, SEGMENT } from './endpoints';

interface TailedEndpoint {
  readonly endpoint: KnownEndpoint;
  readonly base: string;
  /** What matching paths end with: found faster than `tail` matches. */
  readonly end: string;
  readonly tail: RegExp;
}

const exact = new Map(
  ENDPOINTS.filter(({ path }) => !path.includes('{')).map((one) => [`${one.method} ${one.path}`, one]),
);
const tailed = ENDPOINTS.filter(({ path }) => path.includes('{')).map(withTail);

function withTail(endpoint: KnownEndpoint): TailedEndpoint {
  const { path, base, tail } = endpoint;
  const start = path.indexOf('{');
  return {
    endpoint,
    base: base ?? path.slice(0, start),
    // Without the separator, which may be encoded.
    end: path.slice(path.lastIndexOf('}') + 2),
    tail: tail ?? new RegExp(`^${path.slice(start).replace(/\{\w+\}/g, SEGMENT)}$`),
  };
}

/** Returns the endpoint of a call. Compares paths as received: nothing is decoded or normalized. */
export function findEndpoint(method: string, path: string): KnownEndpoint | undefined {
  const found = exact.get(`${method} ${path}`);
  if (found) return found;
  for (const { endpoint, base, end, tail } of tailed) {
    if (endpoint.method !== method || !path.endsWith(end) || !path.startsWith(base)) continue;
    if (tail.test(path.slice(base.length))) return endpoint;
  }
  return undefined;
}

/** Returns the scope that a call of the API needs; undefined: every key may make it, such as a list of models. */
export function scopeOfCall(method: string, path: string): KeyScope | undefined {
  const endpoint = findEndpoint(method, path);
  if (endpoint) return endpoint.scope;
  return method === 'GET' ? undefined : 'chat';
}
