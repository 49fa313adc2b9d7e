import type { Provider, ProviderChange } from '../../../api/admin-providers';
import type { Problems } from '../models/problems';
import { parseJsonObject, toJsonText } from './parse-json-object';

/** Settings as the form's text values. */
export interface SettingsDraft {
  readonly name: string;
  readonly baseUrl: string;
  /** JSON. */
  readonly headers: string;
  readonly options: string;
}

export const fromProvider = ({ name, base_url, headers, options }: Provider): SettingsDraft => ({
  name: name ?? '',
  baseUrl: base_url ?? '',
  headers: toJsonText(headers),
  options: toJsonText(options),
});

/**
 * Returns the fields that differ from the provider's, so that a base URL of the preset stays one; undefined with the problems of
 * fields that can't be sent.
 */
export function changesOf(
  provider: Provider,
  draft: SettingsDraft,
): { changes: ProviderChange | undefined; problems: Problems } {
  const problems = new Map<string, string>();
  const object = (text: string, field: string) => {
    const value = parseJsonObject(text);
    if (typeof value !== 'string') return value;
    problems.set(field, value);
    return {};
  };
  const headers = object(draft.headers, 'headers') as Provider['headers'];
  const options = object(draft.options, 'options');
  const before = fromProvider(provider);
  const changes = {
    ...(draft.name.trim() !== before.name && { name: draft.name.trim() }),
    ...(draft.baseUrl.trim() !== before.baseUrl && { base_url: draft.baseUrl.trim() }),
    ...(!isSame(headers, provider.headers) && { headers }),
    ...(!isSame(options, provider.options) && { options }),
  };
  return { changes: problems.size === 0 ? changes : undefined, problems };
}

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);
