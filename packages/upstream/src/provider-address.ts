/** A provider's default address and the prefix of its settings: `<PREFIX>_BASE_URL` overrides the address. */
export interface ProviderAddress {
  readonly env: string;
  readonly baseUrl: string;
  /** Its path in the simulator. */
  readonly simulatedPath: string;
  /** Credential settings after the prefix; `API_KEY` if absent. */
  readonly credentials?: readonly string[];
}

/** A provider whose credentials all have this value is simulated. */
const SIMULATED = 'simulated';

const credentialsOf = ({ env: prefix, credentials = ['API_KEY'] }: ProviderAddress, env: NodeJS.ProcessEnv) =>
  credentials.map((name) => env[`${prefix}_${name}`]);

const isSimulated = (address: ProviderAddress, env: NodeJS.ProcessEnv): boolean =>
  credentialsOf(address, env).every((credential) => credential === SIMULATED);

/**
 * Returns the URL to which a provider's calls are sent.
 * @param simulator the simulator's URL; absent: there is none
 */
export function baseUrlOf(
  address: ProviderAddress,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): string {
  const given = env[`${address.env}_BASE_URL`];
  if (given) return given;
  const usesSimulator = simulator !== undefined && isSimulated(address, env);
  return usesSimulator ? new URL(simulator).origin + address.simulatedPath : address.baseUrl;
}

/** Returns the providers whose calls go to the simulator. */
export function simulatedProviders(
  known: Readonly<Record<string, ProviderAddress>>,
  env: NodeJS.ProcessEnv,
  simulator: string | undefined,
): ReadonlySet<string> {
  if (simulator === undefined) return new Set();
  const { origin } = new URL(simulator);
  const simulated = Object.entries(known).filter(
    ([, address]) => URL.parse(baseUrlOf(address, env, simulator))?.origin === origin,
  );
  return new Set(['sim', 'sim-unreachable', ...simulated.map(([id]) => id)]);
}

/**
 * Returns the errors in the simulator's settings: it must not replace providers in production by mistake, and must never
 * receive a real credential.
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
