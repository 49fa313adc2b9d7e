import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { wireVideoProvider } from '../video-wire';
import { klingWire } from './video-wire';

export function klingVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  const { ACCESS_KEY: accessKey = '', SECRET_KEY: secretKey = '' } = account.credentials;
  return wireVideoProvider(account, klingWire({ accessKey, secretKey }, Date.now), upstream);
}
