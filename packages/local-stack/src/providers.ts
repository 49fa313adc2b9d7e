type ProviderService = 'chat' | 'media';

interface KnownProvider {
  /** Prefix of its settings: one for each credential, and `<PREFIX>_BASE_URL`. */
  readonly prefix: string;
  /** Its path in the simulator. */
  readonly path: string;
  readonly serves: readonly ProviderService[];
  /** Names of its credentials; by default one API key. */
  readonly credentials?: readonly string[];
}

const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: { prefix: 'OPENAI', path: '/openai/v1', serves: ['chat', 'media'] },
  anthropic: { prefix: 'ANTHROPIC', path: '/anthropic', serves: ['chat'] },
  google: { prefix: 'GEMINI', path: '/gemini', serves: ['chat', 'media'] },
  deepseek: { prefix: 'DEEPSEEK', path: '/openai/v1', serves: ['chat'] },
  mistral: { prefix: 'MISTRAL', path: '/mistral/v1', serves: ['chat', 'media'] },
  xai: { prefix: 'XAI', path: '/xai/v1', serves: ['chat'] },
  bfl: { prefix: 'BFL', path: '/bfl', serves: ['media'] },
  minimax: { prefix: 'MINIMAX', path: '/minimax', serves: ['media'] },
  kling: {
    prefix: 'KLING',
    path: '/kling',
    serves: ['media'],
    credentials: ['ACCESS_KEY', 'SECRET_KEY'],
  },
  alibaba: { prefix: 'DASHSCOPE', path: '/dashscope', serves: ['media'] },
};

/** What the credentials of the catalog's providers refer to. */
const CREDENTIAL_SETTING = /^(CREDENTIAL_.*|CREDENTIALS_DIR)$/;

const LISTED: Readonly<Record<ProviderService, string>> = {
  chat: 'CHAT_PROVIDERS',
  media: 'MEDIA_PROVIDERS',
};

export interface SimulatedProvider {
  readonly name: string;
  /** Settings required to call the real provider. */
  readonly keySettings: readonly string[];
}

export interface ProviderPlan {
  /** Settings for each service that calls providers. */
  readonly settings: Readonly<Record<ProviderService, Readonly<Record<string, string>>>>;
  readonly simulated: readonly SimulatedProvider[];
}

/**
 * Returns the provider settings of each service. Providers without complete credentials are simulated.
 * @param simulatorUrl origin of the simulator
 */
export function planProviders(env: NodeJS.ProcessEnv, simulatorUrl: string): ProviderPlan {
  const settings: Record<ProviderService, Record<string, string>> = { chat: {}, media: {} };
  const simulated: SimulatedProvider[] = [];
  for (const [name, provider] of Object.entries(PROVIDERS)) {
    const { prefix, serves, credentials = ['API_KEY'] } = provider;
    const keySettings = credentials.map((credential) => `${prefix}_${credential}`);
    const isSimulated = keySettings.some((setting) => !env[setting]);
    if (isSimulated) simulated.push({ name, keySettings });
    const baseUrl = isSimulated ? simulatorUrl + provider.path : env[`${prefix}_BASE_URL`];
    for (const service of serves) {
      const own = settings[service];
      own[LISTED[service]] = [own[LISTED[service]], name].filter(Boolean).join(',');
      for (const setting of keySettings) own[setting] = isSimulated ? 'simulated' : env[setting]!;
      if (baseUrl) own[`${prefix}_BASE_URL`] = baseUrl;
    }
  }
  for (const [name, value] of Object.entries(env)) {
    if (!value || !CREDENTIAL_SETTING.test(name)) continue;
    settings.chat[name] = value;
    settings.media[name] = value;
  }
  return { settings, simulated };
}
