import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { wireVideoProvider } from '../video-wire';
import { dashScopeWire } from './video-wire';

export function dashScopeVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  return wireVideoProvider(account, dashScopeWire(account.credentials.API_KEY ?? ''), upstream);
}
