import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { wireVideoProvider } from '../video-wire';
import { openFile } from './open-file';
import { veoWire } from './video-wire';

/** Its files open with our key only, so that they go through us. */
export function veoVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  const wire = veoWire(account.credentials.API_KEY ?? '');
  return {
    ...wireVideoProvider(account, wire, upstream),
    openContent: (url, call) =>
      openFile(upstream, { url, base: new URL(account.baseUrl), key: wire.credential() }, call),
  };
}
