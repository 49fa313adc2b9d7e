import { invalid } from '../domain/provider';
import { diffPricing } from './diff-pricing';
import { priceKey } from './find-price';
import {
  type Candidate,
  EntryRejected,
  isRecord,
  type PricedModel,
  type PriceList,
  type PriceListFormat,
  printable,
  type RejectedEntry,
} from './price-list';
import { litellmCandidates } from './read-litellm';
import { modelsDevCandidates } from './read-models-dev';

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 64;

/**
 * Returns the chat models of models.dev's `api.json` or LiteLLM's `model_prices_and_context_window.json`, and the entries that
 * are not used. An entry with a price that the catalog can't bill and calls can't avoid is rejected: an absent price is not
 * free. Of entries with the same provider and model, the first is used if all have the same prices, otherwise none.
 * @throws GatewayError `invalid_request` for any other text
 */
export function readPriceList(text: string): PriceList {
  const root = parseRoot(text);
  const format = formatOf(root);
  const candidates = format === 'litellm' ? litellmCandidates(root) : modelsDevCandidates(root);
  if (candidates.length > MAX_ENTRIES) throw invalid(`price_list: more than ${MAX_ENTRIES} entries`);
  const entries = new Map<string, { model: PricedModel; candidate: Candidate; usable: boolean }>();
  const rejected: RejectedEntry[] = [];
  const reject = ({ name, key }: Candidate, reason: string) =>
    rejected.push({ name: printable(name), key, reason: printable(reason) });
  for (const candidate of candidates) {
    const model = readOrReason(candidate.read);
    if (typeof model === 'string') {
      reject(candidate, model);
      continue;
    }
    const first = entries.get(priceKey(model));
    if (!first) entries.set(priceKey(model), { model, candidate, usable: true });
    else if (diffPricing(first.model.pricing, model.pricing).length === 0) reject(candidate, 'duplicate');
    else {
      if (first.usable) reject(first.candidate, CONFLICT);
      first.usable = false;
      reject(candidate, CONFLICT);
    }
  }
  const usable = [...entries.values()].filter((entry) => entry.usable);
  return { format, entries: usable.map(({ model }) => model), rejected };
}

const CONFLICT = 'another entry of this provider and model has other prices';

function readOrReason(read: Candidate['read']): PricedModel | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof EntryRejected) return error.reason;
    throw error;
  }
}

function parseRoot(text: string): Readonly<Record<string, unknown>> {
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalid(`price_list: larger than ${MAX_BYTES} bytes`);
  if (isTooDeep(text)) throw invalid(`price_list: nested deeper than ${MAX_DEPTH} levels`);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw invalid('price_list: is not JSON');
  }
  if (!isRecord(root)) throw invalid('price_list: is not a JSON object');
  return root;
}

/**
 * Whether brackets outside strings are nested too deep. Checked before the text is parsed, because each level costs many times
 * its byte. One pass, without a regular expression that could backtrack.
 */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '{' || char === '[')) depth += 1;
    else if (!quoted && (char === '}' || char === ']')) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function formatOf(root: Readonly<Record<string, unknown>>): PriceListFormat {
  const values = Object.values(root).filter(isRecord);
  const isLitellm = values.some(({ litellm_provider }) => typeof litellm_provider === 'string');
  const isModelsDev = values.some(({ models }) => isRecord(models));
  if (isLitellm === isModelsDev) {
    throw invalid(
      "price_list: is neither models.dev's api.json nor LiteLLM's model_prices_and_context_window.json",
    );
  }
  return isLitellm ? 'litellm' : 'models.dev';
}
