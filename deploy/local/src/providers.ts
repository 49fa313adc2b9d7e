/** Providers that chat speaks to, with the prefix of their settings. */
const PROVIDERS = { openai: 'OPENAI', deepseek: 'DEEPSEEK', mistral: 'MISTRAL', xai: 'XAI' } as const;

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

/** A provider without a key is played by the simulator. */
export function planProviders(env: NodeJS.ProcessEnv, simulatorUrl: string): ProviderPlan {
  const settings: Record<string, string> = { CHAT_PROVIDERS: Object.keys(PROVIDERS).join(',') };
  const simulated: SimulatedProvider[] = [];
  for (const [provider, prefix] of Object.entries(PROVIDERS)) {
    const key = env[`${prefix}_API_KEY`];
    const baseUrl = env[`${prefix}_BASE_URL`];
    if (!key) simulated.push({ name: provider, keySetting: `${prefix}_API_KEY` });
    settings[`${prefix}_API_KEY`] = key || 'simulated';
    if (!key) settings[`${prefix}_BASE_URL`] = simulatorUrl;
    else if (baseUrl) settings[`${prefix}_BASE_URL`] = baseUrl;
  }
  return { settings, simulated };
}
