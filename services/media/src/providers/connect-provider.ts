import type { Connect, ProviderAccess } from '@gateway/catalog-client';
import type { MediaKind, ProviderKind } from '@gateway/providers';
import type { ProviderConnection } from '@gateway/upstream';
import type { AudioProvider } from '../audio/rules/audio-provider';
import type { Upstream } from '../domain/upstream';
import type { CredentialProbe, ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';
import { accountUpstream } from './account-upstream';
import { azureAudio } from './azure/azure-audio';
import { bflImages } from './bfl/bfl-images';
import { dashScopeVideos } from './dashscope/dashscope-videos';
import { geminiImages } from './gemini/gemini-images';
import { veoVideos } from './gemini/veo-videos';
import { klingVideos } from './kling/kling-videos';
import { minimaxVideos } from './minimax/minimax-videos';
import { mistralAudio } from './mistral/mistral-audio';
import { openAiAudio } from './openai/openai-audio';
import { openAiImages } from './openai/openai-images';
import type { ProviderAccount } from './provider-account';
import { withoutSecret } from './without-secret';

/** Connects a provider with one of its credentials. */
export type ConnectMedia<Provider> = (account: ProviderAccount, upstream: Upstream) => Provider;

type Connectors<Provider> = Partial<Record<MediaKind, ConnectMedia<Provider>>>;

/** The API formats of image providers, by the kind that operators choose. */
export const IMAGE_KINDS = {
  openai: openAiImages,
  gemini: geminiImages,
  bfl: bflImages,
} as const satisfies Connectors<ImageProvider>;

/** The API formats of video providers. */
export const VIDEO_KINDS = {
  gemini: veoVideos,
  minimax: minimaxVideos,
  kling: klingVideos,
  dashscope: dashScopeVideos,
} as const satisfies Connectors<VideoProvider>;

/** The API formats of providers of speech and transcriptions. */
export const AUDIO_KINDS = {
  openai: openAiAudio,
  'azure-openai': azureAudio,
  mistral: mistralAudio,
} as const satisfies Connectors<AudioProvider>;

interface MediaProvider {
  readonly connection?: ProviderConnection;
  readonly probe?: CredentialProbe;
}

/** Returns how the providers of a kind are connected; undefined for a kind that is not in `connectors`. */
export function connectorsOf<Provider extends MediaProvider>(
  connectors: Connectors<Provider>,
  upstream: Upstream,
): (kind: ProviderKind) => Connect<Provider> | undefined {
  return (kind) => {
    const connect = Object.hasOwn(connectors, kind) ? connectors[kind as MediaKind] : undefined;
    return connect && ((access) => connectAccess(connect, access, upstream));
  };
}

/** @throws Error for a base URL or a secret that its kind cannot use */
function connectAccess<Provider extends MediaProvider>(
  connect: ConnectMedia<Provider>,
  access: ProviderAccess,
  upstream: Upstream,
): Provider {
  const { connection, apiKey } = access;
  const provider = connect(access, accountUpstream(access, upstream));
  return {
    ...provider,
    ...(connection && { connection }),
    ...(provider.probe && { probe: withoutSecret(provider.probe, apiKey) }),
  };
}
