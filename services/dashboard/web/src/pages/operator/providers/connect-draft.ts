import type { ProviderInput } from '../../../api/admin-providers';
import type { Problems } from '../models/problems';
import { type Choice, placeholdersIn } from './connect-choices';
import { parseJsonObject } from './parse-json-object';

/** The settings of a new provider as the form's text values. */
export interface ConnectDraft {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  /** JSON, in addition to the options of the choice. */
  readonly options: string;
}

/** Segments of the addresses of other pages. */
const RESERVED_IDS = ['new'];

/**
 * Returns the provider without its credentials; undefined with the problems of fields that can't be sent. A base URL that is the
 * preset's or the kind's is not sent, so that it follows the gateway's releases.
 */
export function toProviderInput(
  choice: Choice,
  draft: ConnectDraft,
): { input: Omit<ProviderInput, 'credentials'> | undefined; problems: Problems } {
  const problems = new Map<string, string>();
  const id = draft.id.trim();
  const name = draft.name.trim();
  const baseUrl = draft.baseUrl.trim();
  const placeholders = placeholdersIn(baseUrl);
  if (RESERVED_IDS.includes(id)) problems.set('id', 'This ID is reserved.');
  if (placeholders.length > 0) problems.set('base_url', `Replace ${placeholders.join(' and ')}.`);
  const options = parseJsonObject(draft.options);
  if (typeof options === 'string') problems.set('options', options);
  if (problems.size > 0 || typeof options === 'string') return { input: undefined, problems };
  return {
    input: {
      id,
      kind: choice.kind,
      ...(name !== '' && { name }),
      ...(baseUrl !== choice.baseUrl && { base_url: baseUrl }),
      options: { ...choice.options, ...options },
    },
    problems,
  };
}
