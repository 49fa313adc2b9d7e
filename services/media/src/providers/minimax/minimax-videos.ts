import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { createVideoProvider } from '../video-protocol';
import { minimaxProtocol } from './video-protocol';

export function minimaxVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  return createVideoProvider(account, minimaxProtocol(account.apiKey), upstream);
}
