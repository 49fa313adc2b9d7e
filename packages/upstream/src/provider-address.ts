/** Where a provider is found, and what its settings begin with: `<PREFIX>_BASE_URL` is another address. */
export interface ProviderAddress {
  readonly env: string;
  readonly baseUrl: string;
  /** Path at the simulator. */
  readonly simulatedPath: string;
  /** Settings that follow the prefix; `API_KEY` if absent. */
  readonly credentials?: readonly string[];
}

/** A credential that is this word has the simulator play the provider. */
const SIMULATED = 'simulated';

const credentialsOf = ({ env: prefix, credentials = ['API_KEY'] }: ProviderAddress, env: NodeJS.ProcessEnv) =>
  credentials.map((name) => env[`${prefix}_${name}`]);

const isSimulated = (address: ProviderAddress, env: NodeJS.ProcessEnv): boolean =>
  credentialsOf(address, env).every((credential) => credential === SIMULATED);

/** @param simulator a URL of the simulator; absent: there is none */
export function baseUrlOf(
  address: ProviderAddress,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): string {
  const given = env[`${address.env}_BASE_URL`];
  if (given) return given;
  const isPlayed = simulator !== undefined && isSimulated(address, env);
  return isPlayed ? new URL(simulator).origin + address.simulatedPath : address.baseUrl;
}

/** Those whose calls go to the simulator. */
export function simulatedProviders(
  known: Readonly<Record<string, ProviderAddress>>,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): ReadonlySet<string> {
  if (simulator === undefined) return new Set();
  const { origin } = new URL(simulator);
  const played = Object.entries(known).filter(
    ([, address]) => URL.parse(baseUrlOf(address, env, simulator))?.origin === origin,
  );
  return new Set(['sim', 'sim-unreachable', ...played.map(([id]) => id)]);
}

/**
 * What is wrong with the settings of the simulator: it must not stand in for providers in production unnoticed, and
 * must never be shown a real credential.
 */
export function simulatorProblems(
  offered: readonly ProviderAddress[],
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): string[] {
  const problems: string[] = [];
  const isForbidden = env.NODE_ENV === 'production' && env.ALLOW_SIMULATOR !== '1';
  if (isForbidden && simulator !== undefined) {
    problems.push('SIM_BASE_URL: the simulator is refused in production, unless ALLOW_SIMULATOR=1');
  }
  for (const address of offered) {
    const baseUrl = URL.parse(baseUrlOf(address, env, simulator));
    const hasReal = credentialsOf(address, env).some((value) => value && value !== SIMULATED);
    if (isForbidden && isSimulated(address, env)) {
      problems.push(
        `${address.env}: a simulated provider is refused in production, unless ALLOW_SIMULATOR=1`,
      );
    }
    if (simulator !== undefined && hasReal && baseUrl?.origin === new URL(simulator).origin) {
      problems.push(`${address.env}_BASE_URL: a real credential would be sent to the simulator`);
    }
  }
  return problems;
}
