/** Groups `openai/gpt-x` under `openai`, both in alphabetical order. */
export function groupByProvider(slugs: readonly string[]): { group: string; items: string[] }[] {
  const byProvider = Map.groupBy(slugs.toSorted(), (slug) => slug.split('/')[0] ?? '');
  return [...byProvider].map(([group, items]) => ({ group, items }));
}
