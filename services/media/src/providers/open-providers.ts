import { ProviderDirectory, ProviderWatch, type SecretSources } from '@gateway/catalog-client';
import type { Logger } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { TargetHealth } from '@gateway/upstream';
import type { Upstream } from '../domain/upstream';
import type { ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';
import { connectorsOf, IMAGE_KINDS, VIDEO_KINDS } from './connect-provider';
import type { EnvironmentProviders } from './registry';

export interface ProvidersOptions {
  readonly environment: EnvironmentProviders;
  readonly catalog: CatalogServiceClient;
  readonly secrets: SecretSources;
  readonly upstream: Upstream;
  readonly health: Pick<TargetHealth, 'forget'>;
  readonly log: Logger;
}

/** The providers of images and of videos. One provider may be both. */
export interface MediaProviders {
  readonly images: ProviderDirectory<ImageProvider>;
  readonly videos: ProviderDirectory<VideoProvider>;
  /** Whether the catalog's providers have been received. */
  readonly loaded: boolean;
  /** Returns those of images, then those of videos. */
  ids(): string[];
  /** Whether neither its images nor its videos are those of a provider of the catalog. */
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
  const watch = new ProviderWatch({
    client: catalog,
    log: shared.log,
    onProviders(providers, secrets) {
      images.replace(providers, secrets);
      videos.replace(providers, secrets);
    },
  });
  return {
    images,
    videos,
    get loaded() {
      return images.loaded && videos.loaded;
    },
    ids: () => [...images.ids(), ...videos.ids()],
    isOfEnvironment: (id) => [images, videos].every((all) => !all.has(id) || all.isOfEnvironment(id)),
    async close() {
      watch.close();
      await Promise.all([images.close(), videos.close()]);
    },
  };
}
