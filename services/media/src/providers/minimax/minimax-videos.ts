import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { wireVideoProvider } from '../video-wire';
import { minimaxWire } from './video-wire';

export function minimaxVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  return wireVideoProvider(account, minimaxWire(account.credentials.API_KEY ?? ''), upstream);
}
