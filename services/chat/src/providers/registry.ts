import { ConfigError } from '@gateway/runtime';
import type { Provider } from '../domain/provider';
import type { UsageMode } from '../domain/usage';

/** In what providers of this format differ. */
type Dialect = Pick<Provider, 'usage' | 'countsByO200k' | 'maxTokensField'>;

interface KnownProvider extends Dialect {
  /** Prefix of its settings: `<PREFIX>_API_KEY`, `<PREFIX>_BASE_URL`. */
  readonly env: string;
  readonly baseUrl: string;
}

const INCLUDED: UsageMode = { reasoning: 'included' };
const SIMULATED: Dialect = { usage: INCLUDED, countsByO200k: true, maxTokensField: 'max_tokens' };
const COMMON: Dialect = { usage: INCLUDED, countsByO200k: false, maxTokensField: 'max_tokens' };

/** Adding a provider of this format is one line. */
const KNOWN: Readonly<Record<string, KnownProvider>> = {
  openai: {
    ...COMMON,
    env: 'OPENAI',
    baseUrl: 'https://api.openai.com/v1',
    countsByO200k: true,
    maxTokensField: 'max_completion_tokens',
  },
  deepseek: { ...COMMON, env: 'DEEPSEEK', baseUrl: 'https://api.deepseek.com/v1' },
  mistral: { ...COMMON, env: 'MISTRAL', baseUrl: 'https://api.mistral.ai/v1' },
  xai: { ...COMMON, env: 'XAI', baseUrl: 'https://api.x.ai/v1', usage: { reasoning: 'apart' } },
};

export interface ProviderSettings {
  /** Comma-separated ids; a provider that is not named is not offered. */
  readonly CHAT_PROVIDERS: string;
  /** Where the simulator is; absent in production. */
  readonly SIM_BASE_URL?: string | undefined;
}

/** @throws ConfigError for an unknown provider or one without its key */
export function createProviders(
  settings: ProviderSettings,
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, Provider> {
  const providers = new Map<string, Provider>();
  const problems: string[] = [];
  for (const id of settings.CHAT_PROVIDERS.split(',').filter(Boolean)) {
    const known = KNOWN[id];
    const key = known && env[`${known.env}_API_KEY`];
    const baseUrl = known && (env[`${known.env}_BASE_URL`] || known.baseUrl);
    if (!known) problems.push(`CHAT_PROVIDERS: unknown provider ${id}`);
    else if (!key) problems.push(`${known.env}_API_KEY: required for provider ${id}`);
    else if (!URL.canParse(`${baseUrl}`)) problems.push(`${known.env}_BASE_URL: not a URL`);
    else providers.set(id, provider(id, `${baseUrl}`, key, known));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  if (settings.SIM_BASE_URL) {
    providers.set('sim', provider('sim', settings.SIM_BASE_URL, 'sim', SIMULATED));
    // For trying `upstream_unavailable`: a port that nothing can listen on.
    providers.set('sim-unreachable', provider('sim-unreachable', 'http://127.0.0.1:1/v1', 'sim', SIMULATED));
  }
  return providers;
}

function provider(id: string, baseUrl: string, key: string, dialect: Dialect): Provider {
  return {
    id,
    chatUrl: new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    usage: dialect.usage,
    countsByO200k: dialect.countsByO200k,
    maxTokensField: dialect.maxTokensField,
  };
}
