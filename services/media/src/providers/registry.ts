import { SettingsError } from '@gateway/process';
import { baseUrlOf, type ProviderAddress, simulatorProblems } from '@gateway/upstream';
import type { Upstream } from '../domain/upstream';
import type { ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';
import { bflImages } from './bfl/bfl-images';
import { dashScopeVideos } from './dashscope/dashscope-videos';
import { geminiImages } from './gemini/gemini-images';
import { veoVideos } from './gemini/veo-videos';
import { klingVideos } from './kling/kling-videos';
import { minimaxVideos } from './minimax/minimax-videos';
import { openAiImages } from './openai/openai-images';
import type { ProviderAccount } from './provider-account';

interface KnownProvider extends ProviderAddress {
  /** Such as `API_KEY`. All are required. */
  readonly credentials: readonly string[];
  readonly image?: (account: ProviderAccount, upstream: Upstream) => ImageProvider;
  readonly video?: (account: ProviderAccount, upstream: Upstream) => VideoProvider;
}

type SimulatedProvider = Omit<KnownProvider, 'env' | 'baseUrl' | 'simulatedPath'> & { readonly path: string };

/** The media providers. CONTRIBUTING.md lists what else a new provider needs. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    env: 'OPENAI',
    baseUrl: 'https://api.openai.com/v1',
    simulatedPath: '/openai/v1',
    credentials: ['API_KEY'],
    image: openAiImages,
  },
  google: {
    env: 'GEMINI',
    baseUrl: 'https://generativelanguage.googleapis.com',
    simulatedPath: '/gemini',
    credentials: ['API_KEY'],
    image: geminiImages,
    video: veoVideos,
  },
  bfl: {
    env: 'BFL',
    baseUrl: 'https://api.bfl.ai',
    simulatedPath: '/bfl',
    credentials: ['API_KEY'],
    image: bflImages,
  },
  minimax: {
    env: 'MINIMAX',
    baseUrl: 'https://api.minimax.io',
    simulatedPath: '/minimax',
    credentials: ['API_KEY'],
    video: minimaxVideos,
  },
  kling: {
    env: 'KLING',
    baseUrl: 'https://api-singapore.klingai.com',
    simulatedPath: '/kling',
    credentials: ['ACCESS_KEY', 'SECRET_KEY'],
    video: klingVideos,
  },
  alibaba: {
    env: 'DASHSCOPE',
    baseUrl: 'https://dashscope-intl.aliyuncs.com',
    simulatedPath: '/dashscope',
    credentials: ['API_KEY'],
    video: dashScopeVideos,
  },
};

/** Provider of `sim/…` models: paths of the simulator by wire format. */
const SIMULATED: readonly SimulatedProvider[] = [
  { path: '/openai/v1', credentials: ['API_KEY'], image: openAiImages },
  { path: '/kling', credentials: ['ACCESS_KEY', 'SECRET_KEY'], video: klingVideos },
];

export interface ProviderSettings {
  /** Comma-separated ids; an unlisted provider is not served. */
  readonly MEDIA_PROVIDERS: string;
  /** Origin of the simulator; refused in production unless `ALLOW_SIMULATOR=1`. */
  readonly SIM_BASE_URL?: string | undefined;
}

export interface MediaProviders {
  readonly images: ReadonlyMap<string, ImageProvider>;
  readonly videos: ReadonlyMap<string, VideoProvider>;
}

/** @throws SettingsError for an unknown provider or one without its credentials */
export function createProviders(
  settings: ProviderSettings,
  env: NodeJS.ProcessEnv,
  upstream: Upstream,
): MediaProviders {
  const images = new Map<string, ImageProvider>();
  const videos = new Map<string, VideoProvider>();
  const add = (known: Pick<KnownProvider, 'image' | 'video'>, account: ProviderAccount) => {
    if (known.image) images.set(account.id, known.image(account, upstream));
    if (known.video) videos.set(account.id, known.video(account, upstream));
  };
  const offered = settings.MEDIA_PROVIDERS.split(',').filter(Boolean);
  const addresses = offered.flatMap((id) => PROVIDERS[id] ?? []);
  const problems = simulatorProblems(addresses, env, settings.SIM_BASE_URL);
  for (const id of offered) {
    const known = PROVIDERS[id];
    if (!known) problems.push(`MEDIA_PROVIDERS: unknown provider ${id}`);
    else add(known, readAccount(id, known, env, settings.SIM_BASE_URL, problems));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  if (settings.SIM_BASE_URL) {
    for (const known of SIMULATED) {
      const credentials = Object.fromEntries(known.credentials.map((name) => [name, 'simulated']));
      add(known, { id: 'sim', baseUrl: `${settings.SIM_BASE_URL}${known.path}`, credentials });
      // For testing `upstream_unavailable`: a port on which nothing can listen.
      add(known, { id: 'sim-unreachable', baseUrl: `http://127.0.0.1:1${known.path}`, credentials });
    }
  }
  return { images, videos };
}

function readAccount(
  id: string,
  known: KnownProvider,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
  problems: string[],
): ProviderAccount {
  const baseUrl = baseUrlOf(known, env, simulator);
  if (!URL.canParse(baseUrl)) problems.push(`${known.env}_BASE_URL: not a URL`);
  const credentials: Record<string, string> = {};
  for (const name of known.credentials) {
    const value = env[`${known.env}_${name}`];
    if (value) credentials[name] = value;
    else problems.push(`${known.env}_${name}: required for provider ${id}`);
  }
  return { id, baseUrl, credentials };
}
