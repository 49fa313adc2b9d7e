import type { CacheHint } from '../../domain/conversation';
import type { CacheControl } from './content-block';

/** Returns undefined if nothing is to be cached. */
export function toCacheHint(control: CacheControl | null | undefined): CacheHint | undefined {
  return control ? { ttl: control.ttl === '1h' ? '1h' : '5m' } : undefined;
}
