import { ProviderDirectory, ProviderWatch, type SecretSources } from '@gateway/catalog-client';
import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { TargetHealth } from '@gateway/upstream';
import type { AudioProvider } from '../audio/rules/audio-provider';
import type { Upstream } from '../domain/upstream';
import type { ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';
import { AUDIO_KINDS, connectorsOf, IMAGE_KINDS, VIDEO_KINDS } from './connect-provider';
import type { EnvironmentProviders } from './registry';

export interface ProvidersOptions {
  readonly environment: EnvironmentProviders;
  readonly catalog: CatalogServiceClient;
  readonly secrets: SecretSources;
  readonly upstream: Upstream;
  readonly health: Pick<TargetHealth, 'forget'>;
  readonly log: Logger;
}

/** The providers of images, of videos and of audio. One provider may be all. */
export interface MediaProviders {
  readonly images: ProviderDirectory<ImageProvider>;
  readonly videos: ProviderDirectory<VideoProvider>;
  readonly audio: ProviderDirectory<AudioProvider>;
  /** Whether the catalog's providers have been received. */
  readonly loaded: boolean;
  /** May contain one several times. */
  ids(): string[];
  /** Whether nothing of it is that of a provider of the catalog. */
  isOfEnvironment(id: string): boolean;
  close(): Promise<void>;
}

/** Connects the providers of the settings and of the catalog, now and when they change. */
export function openProviders({
  environment,
  catalog,
  upstream,
  health,
  ...shared
}: ProvidersOptions): MediaProviders {
  const onCredentialChanged = (provider: string, credential: string) => health.forget(provider, credential);
  const images = new ProviderDirectory({
    ...shared,
    environment: environment.images,
    connectorOf: connectorsOf<ImageProvider>(IMAGE_KINDS, upstream),
    onCredentialChanged,
  });
  const videos = new ProviderDirectory({
    ...shared,
    environment: environment.videos,
    connectorOf: connectorsOf<VideoProvider>(VIDEO_KINDS, upstream),
    onCredentialChanged,
  });
  const audio = new ProviderDirectory({
    ...shared,
    environment: environment.audio,
    connectorOf: connectorsOf<AudioProvider>(AUDIO_KINDS, upstream),
    onCredentialChanged,
  });
  const all = [images, videos, audio];
  const watch = new ProviderWatch({
    client: catalog,
    log: shared.log,
    onProviders(providers, secrets) {
      for (const directory of all) directory.replace(providers, secrets);
    },
  });
  return {
    images,
    videos,
    audio,
    get loaded() {
      return all.every(({ loaded }) => loaded);
    },
    ids: () => all.flatMap((directory) => [...directory.ids()]),
    isOfEnvironment: (id) => all.every((directory) => !directory.has(id) || directory.isOfEnvironment(id)),
    async close() {
      watch.close();
      await Promise.all(all.map((directory) => directory.close()));
    },
  };
}
