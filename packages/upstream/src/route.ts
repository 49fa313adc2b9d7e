import type { Target } from './target';

/** A provider account that serves a model, and the model's name there. */
export interface Route<Provider extends { readonly id: string } = { readonly id: string }> {
  readonly provider: Provider;
  readonly target: Target;
}

/**
 * Returns a model's routes in the order in which they are tried: lower priorities first, equal ones drawn by weight.
 * @param random uniform in [0, 1)
 */
export function routesOf<Provider extends { readonly id: string }>(
  { targets }: { readonly targets: readonly Target[] },
  providers: ReadonlyMap<string, Provider>,
  random: () => number,
): Route<Provider>[] {
  const routes = targets.flatMap((target) => {
    const provider = providers.get(target.provider);
    return provider ? [{ provider, target }] : [];
  });
  if (routes.length < 2) return routes;
  // The minimum of exponential variates with these rates is route i with probability weight_i / sum.
  const keyed = routes.map((route) => ({
    route,
    key: -Math.log(1 - random()) / Math.max(route.target.weight, Number.MIN_VALUE),
  }));
  keyed.sort((a, b) => a.route.target.priority - b.route.target.priority || a.key - b.key);
  return keyed.map(({ route }) => route);
}
