import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { createVideoProvider } from '../video-protocol';
import { klingProtocol } from './video-protocol';

export function klingVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  const { ACCESS_KEY: accessKey = '', SECRET_KEY: secretKey = '' } = account.credentials;
  return createVideoProvider(account, klingProtocol({ accessKey, secretKey }, Date.now), upstream);
}
