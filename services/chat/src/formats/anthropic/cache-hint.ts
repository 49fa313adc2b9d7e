import type { CacheHint } from '../../domain/conversation';
import type { CacheControl } from './content-block';

/** As a field of a part; none where nothing is to be kept. */
export function toCacheHint(control: CacheControl | null | undefined): { cache?: CacheHint } {
  return control ? { cache: { ttl: control.ttl === '1h' ? '1h' : '5m' } } : {};
}
