import { SettingsError } from '@gateway/process';
import type { MediaKind } from '@gateway/providers';
import { baseUrlOf, type ProviderAddress, simulatorProblems } from '@gateway/upstream';
import type { AudioProvider } from '../audio/rules/audio-provider';
import type { Upstream } from '../domain/upstream';
import type { ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';
import { AUDIO_KINDS, connectorsOf, IMAGE_KINDS, VIDEO_KINDS } from './connect-provider';
import type { ProviderAccount } from './provider-account';

interface KnownProvider extends ProviderAddress {
  readonly kind: MediaKind;
  /** Such as `API_KEY`. All are required. */
  readonly credentials: readonly string[];
}

type SimulatedProvider = Pick<KnownProvider, 'kind' | 'credentials'> & { readonly path: string };

/** The media providers that the environment can configure. CONTRIBUTING.md lists what else a new provider needs. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    kind: 'openai',
    env: 'OPENAI',
    baseUrl: 'https://api.openai.com/v1',
    simulatedPath: '/openai/v1',
    credentials: ['API_KEY'],
  },
  google: {
    kind: 'gemini',
    env: 'GEMINI',
    baseUrl: 'https://generativelanguage.googleapis.com',
    simulatedPath: '/gemini',
    credentials: ['API_KEY'],
  },
  mistral: {
    kind: 'mistral',
    env: 'MISTRAL',
    baseUrl: 'https://api.mistral.ai/v1',
    simulatedPath: '/mistral/v1',
    credentials: ['API_KEY'],
  },
  bfl: {
    kind: 'bfl',
    env: 'BFL',
    baseUrl: 'https://api.bfl.ai',
    simulatedPath: '/bfl',
    credentials: ['API_KEY'],
  },
  minimax: {
    kind: 'minimax',
    env: 'MINIMAX',
    baseUrl: 'https://api.minimax.io',
    simulatedPath: '/minimax',
    credentials: ['API_KEY'],
  },
  kling: {
    kind: 'kling',
    env: 'KLING',
    baseUrl: 'https://api-singapore.klingai.com',
    simulatedPath: '/kling',
    credentials: ['ACCESS_KEY', 'SECRET_KEY'],
  },
  alibaba: {
    kind: 'dashscope',
    env: 'DASHSCOPE',
    baseUrl: 'https://dashscope-intl.aliyuncs.com',
    simulatedPath: '/dashscope',
    credentials: ['API_KEY'],
  },
};

/** Provider of `sim/…` models: paths of the simulator by wire format. */
const SIMULATED: readonly SimulatedProvider[] = [
  { kind: 'openai', path: '/openai/v1', credentials: ['API_KEY'] },
  { kind: 'kling', path: '/kling', credentials: ['ACCESS_KEY', 'SECRET_KEY'] },
];

export interface ProviderSettings {
  /** Comma-separated ids; an unlisted provider is not served. */
  readonly MEDIA_PROVIDERS: string;
  /** Origin of the simulator; refused in production unless `ALLOW_SIMULATOR=1`. */
  readonly SIM_BASE_URL?: string | undefined;
}

/** The providers that the environment configures, by id. */
export interface EnvironmentProviders {
  readonly images: ReadonlyMap<string, ImageProvider>;
  readonly videos: ReadonlyMap<string, VideoProvider>;
  readonly audio: ReadonlyMap<string, AudioProvider>;
}

/** @throws SettingsError for an unknown provider or one without its credentials */
export function createProviders(
  settings: ProviderSettings,
  env: NodeJS.ProcessEnv,
  upstream: Upstream,
): EnvironmentProviders {
  const images = new Map<string, ImageProvider>();
  const videos = new Map<string, VideoProvider>();
  const audio = new Map<string, AudioProvider>();
  const connectImages = connectorsOf(IMAGE_KINDS, upstream);
  const connectVideos = connectorsOf(VIDEO_KINDS, upstream);
  const connectAudio = connectorsOf(AUDIO_KINDS, upstream);
  const add = (kind: MediaKind, { id, ...account }: ProviderAccount) => {
    const access = { id, ...account, options: {}, headers: {} };
    const image = connectImages(kind)?.(access);
    const video = connectVideos(kind)?.(access);
    if (image) images.set(id, image);
    if (video) videos.set(id, video);
    const heard = connectAudio(kind)?.(access);
    if (heard) audio.set(id, heard);
  };
  const offered = settings.MEDIA_PROVIDERS.split(',').filter(Boolean);
  const addresses = offered.flatMap((id) => PROVIDERS[id] ?? []);
  const problems = simulatorProblems(addresses, env, settings.SIM_BASE_URL);
  for (const id of offered) {
    const known = PROVIDERS[id];
    if (!known) {
      problems.push(`MEDIA_PROVIDERS: unknown provider ${id}`);
      continue;
    }
    const { account, missing } = readAccount(id, known, env, settings.SIM_BASE_URL);
    problems.push(...missing);
    if (missing.length === 0) add(known.kind, account);
  }
  if (problems.length > 0) throw new SettingsError(problems);
  if (settings.SIM_BASE_URL) {
    for (const { kind, path, credentials } of SIMULATED) {
      const apiKey = secretOf(credentials.map((name) => [name, 'simulated']));
      add(kind, { id: 'sim', baseUrl: `${settings.SIM_BASE_URL}${path}`, apiKey });
      // For testing `upstream_unavailable`: a port on which nothing can listen.
      add(kind, { id: 'sim-unreachable', baseUrl: `http://127.0.0.1:1${path}`, apiKey });
    }
  }
  return { images, videos, audio };
}

/** Returns the account and what its settings lack. */
function readAccount(
  id: string,
  known: KnownProvider,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): { readonly account: ProviderAccount; readonly missing: readonly string[] } {
  const baseUrl = baseUrlOf(known, env, simulator);
  const values = known.credentials.map((name) => [name, (env[`${known.env}_${name}`] ?? '').trim()] as const);
  const missing = [
    ...(URL.canParse(baseUrl) ? [] : [`${known.env}_BASE_URL: not a URL`]),
    ...values.flatMap(([name, value]) =>
      value === '' ? [`${known.env}_${name}: required for provider ${id}`] : [],
    ),
  ];
  return { account: { id, baseUrl, apiKey: secretOf(values) }, missing };
}

/** Returns the values as the secret of a credential: several as JSON, `{access_key, secret_key}`. */
function secretOf(values: readonly (readonly [string, string])[]): string {
  if (values.length === 1) return values[0]![1];
  return JSON.stringify(Object.fromEntries(values.map(([name, value]) => [name.toLowerCase(), value])));
}
