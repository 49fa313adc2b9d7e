import { ConfigError } from '@gateway/runtime';
import type { ImageProvider } from '../domain/image-provider';
import type { Upstream } from '../domain/upstream';
import type { VideoProvider } from '../domain/video-provider';

/** What a provider is made of. */
export interface ProviderAccount {
  readonly id: string;
  readonly baseUrl: string;
  /** By the names that its registry line asks for, each from `<PREFIX>_<NAME>`. */
  readonly credentials: Readonly<Record<string, string>>;
}

interface KnownProvider {
  /** Prefix of its settings: `<PREFIX>_BASE_URL` and a credential each. */
  readonly env: string;
  readonly baseUrl: string;
  /** E.g. `API_KEY`. All are required. */
  readonly credentials: readonly string[];
  readonly image?: (account: ProviderAccount, upstream: Upstream) => ImageProvider;
  readonly video?: (account: ProviderAccount, upstream: Upstream) => VideoProvider;
}

/** Adding a provider is a folder and one line here. */
const KNOWN: Readonly<Record<string, KnownProvider>> = {};

/** What plays `sim/…`, by the parts of the simulator that they speak to; the path is that of the wire format. */
const SIMULATED: Readonly<Record<string, KnownProvider & { readonly path: string }>> = {};

export interface ProviderSettings {
  /** Comma-separated ids; a provider that is not named is not offered. */
  readonly MEDIA_PROVIDERS: string;
  /** Origin of the simulator; absent in production. */
  readonly SIM_BASE_URL?: string | undefined;
}

export interface MediaProviders {
  readonly images: ReadonlyMap<string, ImageProvider>;
  readonly videos: ReadonlyMap<string, VideoProvider>;
}

/** @throws ConfigError for an unknown provider or one without its credentials */
export function createProviders(
  settings: ProviderSettings,
  env: NodeJS.ProcessEnv,
  upstream: Upstream,
): MediaProviders {
  const images = new Map<string, ImageProvider>();
  const videos = new Map<string, VideoProvider>();
  const add = (known: KnownProvider, account: ProviderAccount) => {
    if (known.image) images.set(account.id, known.image(account, upstream));
    if (known.video) videos.set(account.id, known.video(account, upstream));
  };
  const problems: string[] = [];
  for (const id of settings.MEDIA_PROVIDERS.split(',').filter(Boolean)) {
    const known = KNOWN[id];
    if (!known) problems.push(`MEDIA_PROVIDERS: unknown provider ${id}`);
    else add(known, readAccount(id, known, env, problems));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  if (settings.SIM_BASE_URL) {
    for (const known of Object.values(SIMULATED)) {
      const credentials = Object.fromEntries(known.credentials.map((name) => [name, 'simulated']));
      add(known, { id: 'sim', baseUrl: `${settings.SIM_BASE_URL}${known.path}`, credentials });
    }
  }
  return { images, videos };
}

function readAccount(
  id: string,
  known: KnownProvider,
  env: NodeJS.ProcessEnv,
  problems: string[],
): ProviderAccount {
  const baseUrl = env[`${known.env}_BASE_URL`] || known.baseUrl;
  if (!URL.canParse(baseUrl)) problems.push(`${known.env}_BASE_URL: not a URL`);
  const credentials: Record<string, string> = {};
  for (const name of known.credentials) {
    const value = env[`${known.env}_${name}`];
    if (value) credentials[name] = value;
    else problems.push(`${known.env}_${name}: required for provider ${id}`);
  }
  return { id, baseUrl, credentials };
}
