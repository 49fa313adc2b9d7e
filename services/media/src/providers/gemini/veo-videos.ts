import type { Upstream } from '../../domain/upstream';
import type { VideoProvider } from '../../videos/rules/video-provider';
import type { ProviderAccount } from '../provider-account';
import { createVideoProvider } from '../video-protocol';
import { openFile } from './open-file';
import { veoProtocol } from './video-protocol';

/** Its files need our key, so they pass through the gateway. */
export function veoVideos(account: ProviderAccount, upstream: Upstream): VideoProvider {
  const protocol = veoProtocol(account.apiKey);
  return {
    ...createVideoProvider(account, protocol, upstream),
    openContent: (url, call) =>
      openFile(upstream, { url, base: new URL(account.baseUrl), key: protocol.credential() }, call),
  };
}
