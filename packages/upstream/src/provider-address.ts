/** Where a provider is found, and what its settings begin with: `<PREFIX>_BASE_URL` is another address. */
export interface ProviderAddress {
  readonly env: string;
  readonly baseUrl: string;
}

export const baseUrlOf = ({ env: prefix, baseUrl }: ProviderAddress, env: NodeJS.ProcessEnv): string =>
  env[`${prefix}_BASE_URL`] || baseUrl;

/**
 * Those whose calls go to the simulator.
 * @param simulator its address; absent: there is none
 */
export function simulatedProviders(
  known: Readonly<Record<string, ProviderAddress>>,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): ReadonlySet<string> {
  if (simulator === undefined) return new Set();
  const { origin } = new URL(simulator);
  const played = Object.entries(known).filter(
    ([, address]) => URL.parse(baseUrlOf(address, env))?.origin === origin,
  );
  return new Set(['sim', 'sim-unreachable', ...played.map(([id]) => id)]);
}
