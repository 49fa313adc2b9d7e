import { SettingsError } from '@gateway/process';
import type { Quota } from '@gateway/quota';
import { baseUrlOf, type ProviderAddress, simulatorProblems } from '@gateway/upstream';
import type { ChatProvider } from '../domain/chat-provider';
import { type ConnectProvider, connectAsOpenAi, connectSimulator, KINDS } from './connect-provider';

interface KnownProvider extends ProviderAddress {
  readonly connect: ConnectProvider;
}

/** The chat providers that the environment can configure. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: {
    env: 'OPENAI',
    baseUrl: 'https://api.openai.com/v1',
    simulatedPath: '/openai/v1',
    connect: connectAsOpenAi,
  },
  anthropic: {
    env: 'ANTHROPIC',
    baseUrl: 'https://api.anthropic.com',
    simulatedPath: '/anthropic',
    connect: KINDS.anthropic,
  },
  google: {
    env: 'GEMINI',
    baseUrl: 'https://generativelanguage.googleapis.com',
    simulatedPath: '/gemini',
    connect: KINDS.gemini,
  },
  deepseek: {
    env: 'DEEPSEEK',
    baseUrl: 'https://api.deepseek.com/v1',
    simulatedPath: '/openai/v1',
    connect: KINDS.deepseek,
  },
  mistral: {
    env: 'MISTRAL',
    baseUrl: 'https://api.mistral.ai/v1',
    simulatedPath: '/mistral/v1',
    connect: KINDS.mistral,
  },
  xai: {
    env: 'XAI',
    baseUrl: 'https://api.x.ai/v1',
    simulatedPath: '/xai/v1',
    connect: KINDS.xai,
  },
};

export interface ProviderSettings {
  /** Comma-separated ids; an unlisted provider is not served. */
  readonly CHAT_PROVIDERS: string;
  /** URL of the simulator; refused in production unless `ALLOW_SIMULATOR=1`. */
  readonly SIM_BASE_URL?: string | undefined;
}

/** @throws SettingsError for an unknown provider or one without its key */
export function createProviders(
  settings: ProviderSettings,
  env: NodeJS.ProcessEnv,
  bufferQuota: Quota,
): ReadonlyMap<string, ChatProvider> {
  const providers = new Map<string, ChatProvider>();
  const offered = settings.CHAT_PROVIDERS.split(',').filter(Boolean);
  const addresses = offered.flatMap((id) => PROVIDERS[id] ?? []);
  const problems = simulatorProblems(addresses, env, settings.SIM_BASE_URL);
  for (const id of offered) {
    const known = PROVIDERS[id];
    const apiKey = known && env[`${known.env}_API_KEY`];
    const baseUrl = known && baseUrlOf(known, env, settings.SIM_BASE_URL);
    if (!known) problems.push(`CHAT_PROVIDERS: unknown provider ${id}`);
    else if (!apiKey) problems.push(`${known.env}_API_KEY: required for provider ${id}`);
    else if (!baseUrl || !URL.canParse(baseUrl)) problems.push(`${known.env}_BASE_URL: not a URL`);
    else providers.set(id, known.connect({ id, baseUrl, apiKey }, bufferQuota));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  if (settings.SIM_BASE_URL) {
    const apiKey = 'sim';
    providers.set(
      'sim',
      connectSimulator({ id: 'sim', baseUrl: settings.SIM_BASE_URL, apiKey }, bufferQuota),
    );
    // For testing `upstream_unavailable`: a port on which nothing can listen.
    const unreachable = { id: 'sim-unreachable', baseUrl: 'http://127.0.0.1:1/v1', apiKey };
    providers.set(unreachable.id, connectSimulator(unreachable, bufferQuota));
  }
  return providers;
}
