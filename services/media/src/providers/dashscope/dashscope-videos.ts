import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { createVideoProvider } from '../video-protocol';
import { dashScopeProtocol } from './video-protocol';

export function dashScopeVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  return createVideoProvider(account, dashScopeProtocol(account.apiKey), upstream);
}
