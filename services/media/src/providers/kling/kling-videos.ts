import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { createVideoProvider } from '../video-protocol';
import { readKlingKeys } from './kling-keys';
import { klingProtocol } from './video-protocol';

/** @throws Error for a secret that does not have the two keys */
export function klingVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  return createVideoProvider(account, klingProtocol(readKlingKeys(account.apiKey), Date.now), upstream);
}
