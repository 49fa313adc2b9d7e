import type { Target } from './target';

/** A credential at a provider, without its secret. */
export interface CredentialInfo {
  readonly id: string;
  readonly name: string;
  /** Part of the provider's calls, relative to its other credentials; 0: only if no other credential is available. */
  readonly weight: number;
  /** Of this process; absent: none. */
  readonly limits?: CredentialLimits | undefined;
}

/** An absent limit is none. */
export interface CredentialLimits {
  readonly requestsPerMinute?: number | undefined;
  /** Input and output tokens. */
  readonly tokensPerMinute?: number | undefined;
  /** Calls in flight. */
  readonly concurrency?: number | undefined;
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

/** How the routes of one call are ordered. */
export interface Placement {
  /** Uniform in [0, 1): random, or the same for all calls of a session. */
  draw(route: Route): number;
  /** Decides among routes of one priority before their weights do; lower is tried first. Absent: the weights alone decide. */
  rank?(route: Route): number;
}

/**
 * Returns a model's routes in the order in which they are tried: by priority, then by rank, then drawn by weight. The weight of a
 * target is divided among the credentials of its provider.
 * @param accountsOf the accounts at a provider; none if it is not configured
 * @param placement called only if there are several routes
 */
export function routesOf<Provider extends { readonly id: string }>(
  { targets }: { readonly targets: readonly Target[] },
  accountsOf: (provider: string) => readonly Account<Provider>[],
  placement: () => Placement,
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
  const { draw, rank } = placement();
  const placed = weighted.map(({ route, weight }) => ({
    route,
    rank: rank?.(route) ?? 0,
    // The minimum of exponential variates with these rates is route i with probability weight_i / sum.
    variate: -Math.log(1 - draw(route)) / Math.max(weight, Number.MIN_VALUE),
  }));
  placed.sort(
    (a, b) => a.route.target.priority - b.route.target.priority || a.rank - b.rank || a.variate - b.variate,
  );
  return placed.map(({ route }) => route);
}

/** Names a credential among those of all providers. */
export const credentialName = (providerId: string, credentialId: string): string =>
  `${providerId}\n${credentialId}`;

/** Names a route among those of all models. */
export const routeName = ({ provider, credential, target }: Route): string =>
  `${credentialName(provider.id, credential.id)}\n${target.upstreamModel}`;
