import type { Target } from './target';

/** A credential at a provider, without its secret. */
export interface CredentialInfo {
  readonly id: string;
  readonly name: string;
  /** Part of the provider's calls, relative to its other credentials; 0: only if no other credential is available. */
  readonly weight: number;
}

/** A provider as it is called with one of its credentials. */
export interface Account<Provider extends { readonly id: string } = { readonly id: string }> {
  readonly provider: Provider;
  readonly credential: CredentialInfo;
}

/** An account that serves a model, and the model's name there. */
export interface Route<Provider extends { readonly id: string } = { readonly id: string }>
  extends Account<Provider> {
  readonly target: Target;
}

/** The credential of a provider that is configured by the environment. */
const ENVIRONMENT: CredentialInfo = { id: 'environment', name: 'environment', weight: 1 };

export const environmentAccount = <Provider extends { readonly id: string }>(
  provider: Provider,
): Account<Provider> => ({ provider, credential: ENVIRONMENT });

/** Returns a function for `routesOf` for providers with one credential each. */
export const environmentAccounts =
  <Provider extends { readonly id: string }>(providers: ReadonlyMap<string, Provider>) =>
  (id: string): readonly Account<Provider>[] => {
    const provider = providers.get(id);
    return provider ? [environmentAccount(provider)] : [];
  };

/**
 * Returns a model's routes in the order in which they are tried: lower priorities first, equal ones drawn by weight. The weight
 * of a target is divided among the credentials of its provider.
 * @param accountsOf the accounts at a provider; none if it is not configured
 * @param random uniform in [0, 1)
 */
export function routesOf<Provider extends { readonly id: string }>(
  { targets }: { readonly targets: readonly Target[] },
  accountsOf: (provider: string) => readonly Account<Provider>[],
  random: () => number,
): Route<Provider>[] {
  const weighted = targets.flatMap((target) => {
    const accounts = accountsOf(target.provider);
    const sum = accounts.reduce((total, { credential }) => total + credential.weight, 0);
    return accounts.map(({ provider, credential }) => ({
      route: { provider, credential, target },
      weight: sum === 0 ? target.weight / accounts.length : (target.weight * credential.weight) / sum,
    }));
  });
  if (weighted.length < 2) return weighted.map(({ route }) => route);
  // The minimum of exponential variates with these rates is route i with probability weight_i / sum.
  const keyed = weighted.map(({ route, weight }) => ({
    route,
    key: -Math.log(1 - random()) / Math.max(weight, Number.MIN_VALUE),
  }));
  keyed.sort((a, b) => a.route.target.priority - b.route.target.priority || a.key - b.key);
  return keyed.map(({ route }) => route);
}
