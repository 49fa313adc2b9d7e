/** How calls are spread over targets of one priority; packages/upstream/src/strategy.ts implements them. */
export const STRATEGIES = ['weighted', 'priority', 'least-busy', 'lowest-latency', 'lowest-price'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const DEFAULT_STRATEGY: Strategy = 'weighted';
