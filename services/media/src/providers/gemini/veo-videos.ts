import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { wireVideoProvider } from '../video-wire';
import { openFile } from './open-file';
import { veoWire } from './video-wire';

/** Its files need our key, so they pass through the gateway. */
export function veoVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  const wire = veoWire(account.credentials.API_KEY ?? '');
  return {
    ...wireVideoProvider(account, wire, upstream),
    openContent: (url, call) =>
      openFile(upstream, { url, base: new URL(account.baseUrl), key: wire.credential() }, call),
  };
}
