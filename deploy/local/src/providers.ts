/** Providers that chat speaks to: the prefix of their settings, and where the simulator plays them. */
const PROVIDERS = {
  openai: { prefix: 'OPENAI', path: '/openai/v1' },
  anthropic: { prefix: 'ANTHROPIC', path: '/anthropic' },
  google: { prefix: 'GEMINI', path: '/gemini' },
  deepseek: { prefix: 'DEEPSEEK', path: '/openai/v1' },
  mistral: { prefix: 'MISTRAL', path: '/mistral/v1' },
  xai: { prefix: 'XAI', path: '/xai/v1' },
} as const;

export interface SimulatedProvider {
  readonly name: string;
  /** What to set to call it for real. */
  readonly keySetting: string;
}

export interface ProviderPlan {
  /** For chat. */
  readonly settings: Readonly<Record<string, string>>;
  readonly simulated: readonly SimulatedProvider[];
}

/** A provider without a key is played by the simulator. @param simulatorUrl its origin */
export function planProviders(env: NodeJS.ProcessEnv, simulatorUrl: string): ProviderPlan {
  const settings: Record<string, string> = { CHAT_PROVIDERS: Object.keys(PROVIDERS).join(',') };
  const simulated: SimulatedProvider[] = [];
  for (const [provider, { prefix, path }] of Object.entries(PROVIDERS)) {
    const key = env[`${prefix}_API_KEY`];
    const baseUrl = env[`${prefix}_BASE_URL`];
    if (!key) simulated.push({ name: provider, keySetting: `${prefix}_API_KEY` });
    settings[`${prefix}_API_KEY`] = key || 'simulated';
    if (!key) settings[`${prefix}_BASE_URL`] = simulatorUrl + path;
    else if (baseUrl) settings[`${prefix}_BASE_URL`] = baseUrl;
  }
  return { settings, simulated };
}
