import type { Provider, ProviderPresets } from '../../../api/admin-providers';
import { kindName } from './kind-name';

/** An endpoint that can be connected, with what its form starts from. */
export interface Choice {
  /** In the address. */
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  /** May contain placeholders; empty: to be typed. */
  readonly baseUrl: string;
  readonly apiKey: 'required' | 'optional' | 'none';
  readonly docs: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly optionNames: readonly string[];
  /** The options of its kind determine the base URL, such as by a region. */
  readonly hasUrlByOptions: boolean;
  readonly suggestedId: string;
}

/** The format that most servers have. */
const COMPATIBLE = 'openai';

/** Returns the presets and the kinds without a preset of their own, by name, and last any other compatible endpoint. */
export function choicesOf({ data: presets, kinds }: ProviderPresets): Choice[] {
  const optionNames = (kind: string) => kinds.find((one) => one.kind === kind)?.options ?? [];
  const ofPresets = presets.map(
    ({ id, name, kind, base_url, api_key, docs, options }): Choice => ({
      key: id,
      name,
      kind,
      baseUrl: base_url,
      apiKey: api_key,
      docs,
      options,
      optionNames: optionNames(kind),
      hasUrlByOptions: false,
      suggestedId: id,
    }),
  );
  const ofKind = (kind: string, baseUrl: string): Choice => ({
    key: `kind:${kind}`,
    name: kind === COMPATIBLE ? 'OpenAI' : kindName(kind),
    kind,
    baseUrl,
    apiKey: 'required',
    docs: null,
    options: {},
    optionNames: optionNames(kind),
    hasUrlByOptions: baseUrl === '' && kind !== COMPATIBLE,
    suggestedId: kind,
  });
  const known = new Set(presets.filter(({ id, kind }) => id === kind).map(({ id }) => id));
  const ofKinds = kinds
    .filter(({ kind }) => !known.has(kind))
    .map(({ kind, base_url }) => ofKind(kind, base_url ?? ''));
  return [
    ...[...ofPresets, ...ofKinds].sort((one, next) => one.name.localeCompare(next.name, 'en')),
    {
      ...ofKind(COMPATIBLE, ''),
      key: 'other',
      name: 'Other OpenAI-compatible endpoint',
      apiKey: 'optional',
      suggestedId: 'custom',
    },
  ];
}

export function matches({ key, name, baseUrl }: Choice, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [key, name, baseUrl].some((text) => text.toLowerCase().includes(wanted));
}

/** Returns an id that no provider of the catalog has: `groq`, `groq-2`. Those of the environment may be replaced. */
export function freeId(wanted: string, providers: readonly Pick<Provider, 'id' | 'source'>[]): string {
  const taken = new Set(providers.filter(({ source }) => source === 'catalog').map(({ id }) => id));
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted}-${number}`;
  return id;
}

/** Returns the placeholders that are still in a base URL: `{account}`. */
export const placeholdersIn = (url: string): string[] => url.match(/\{[^{}]*\}/g) ?? [];
