import type { CacheHint } from '../../domain/conversation';
import type { CacheControl } from './content-block';

/** Undefined where nothing is to be kept. */
export function toCacheHint(control: CacheControl | null | undefined): CacheHint | undefined {
  return control ? { ttl: control.ttl === '1h' ? '1h' : '5m' } : undefined;
}
