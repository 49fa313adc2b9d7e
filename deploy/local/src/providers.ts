/** Providers that chat speaks to, with the prefix of their settings. */
const PROVIDERS = { openai: 'OPENAI', deepseek: 'DEEPSEEK', mistral: 'MISTRAL', xai: 'XAI' } as const;

export interface ProviderPlan {
  /** For chat. */
  readonly settings: Readonly<Record<string, string>>;
  readonly real: readonly string[];
  readonly simulated: readonly string[];
}

/** A provider without a key is played by the simulator. */
export function planProviders(env: NodeJS.ProcessEnv, simulatorUrl: string): ProviderPlan {
  const settings: Record<string, string> = { CHAT_PROVIDERS: Object.keys(PROVIDERS).join(',') };
  const real: string[] = [];
  const simulated: string[] = [];
  for (const [provider, prefix] of Object.entries(PROVIDERS)) {
    const key = env[`${prefix}_API_KEY`];
    const baseUrl = env[`${prefix}_BASE_URL`];
    (key ? real : simulated).push(provider);
    settings[`${prefix}_API_KEY`] = key || 'simulated';
    if (!key) settings[`${prefix}_BASE_URL`] = simulatorUrl;
    else if (baseUrl) settings[`${prefix}_BASE_URL`] = baseUrl;
  }
  return { settings, real, simulated };
}
