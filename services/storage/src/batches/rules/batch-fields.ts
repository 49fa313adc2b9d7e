import { GatewayError } from '@gateway/errors';
import { parseJsonObject, requireFields } from '@gateway/json-body';
import { isLifetime, MAX_LIFETIME_SECONDS, MIN_LIFETIME_SECONDS } from '../../files/rules/file-fields';

export interface BatchFields {
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Of the files with the results; absent: the retention. */
  readonly outputSeconds?: number;
}

/** Paths of calls that a batch may contain. */
export const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/moderations',
] as const;

const BOUNDS = { maxBytes: 64 * 1024, maxValues: 100 };
const FIELDS: ReadonlySet<string> = new Set([
  'input_file_id',
  'endpoint',
  'completion_window',
  'metadata',
  'output_expires_after',
]);
const MAX_ID = 100;
const MAX_METADATA = 16;
const MAX_METADATA_KEY = 64;
const MAX_METADATA_VALUE = 512;

/** Parses the body of `POST /v1/batches`. @throws GatewayError `invalid_request`, `missing_parameter` */
export function parseBatchFields(bytes: Buffer): BatchFields {
  const { value } = parseJsonObject(bytes, BOUNDS);
  for (const name of Object.keys(value))
    if (!FIELDS.has(name)) throw invalid(`${name.slice(0, MAX_ID)}: unknown field`, name);
  requireFields(value, ['input_file_id', 'endpoint', 'completion_window']);
  const { input_file_id: inputFileId, endpoint, completion_window: window, metadata = null } = value;
  if (typeof inputFileId !== 'string' || inputFileId.length > MAX_ID || inputFileId.includes('\0'))
    throw invalid('input_file_id: not the id of a file', 'input_file_id');
  const known = BATCH_ENDPOINTS.find((path) => path === endpoint);
  if (!known) throw invalid(`endpoint: not one of ${BATCH_ENDPOINTS.join(', ')}`, 'endpoint');
  if (window !== '24h') throw invalid('completion_window: not 24h', 'completion_window');
  if (!isMetadata(metadata))
    throw invalid(
      `metadata: not up to ${MAX_METADATA} texts of ${MAX_METADATA_VALUE} characters, with names of ${MAX_METADATA_KEY}`,
      'metadata',
    );
  const outputSeconds = outputLifetime(value.output_expires_after);
  return { inputFileId, endpoint: known, metadata, ...(outputSeconds && { outputSeconds }) };
}

function outputLifetime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const { anchor, seconds, ...others } = value as Record<string, unknown>;
  const isValid = anchor === 'created_at' && isLifetime(seconds) && Object.keys(others).length === 0;
  if (isValid) return seconds;
  throw invalid(
    `output_expires_after: not an anchor created_at and ${MIN_LIFETIME_SECONDS} to ${MAX_LIFETIME_SECONDS} seconds`,
    'output_expires_after',
  );
}

function isMetadata(value: unknown): value is Record<string, string> | null {
  if (value === null) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_METADATA &&
    entries.every(
      ([name, text]) =>
        name.length <= MAX_METADATA_KEY && typeof text === 'string' && text.length <= MAX_METADATA_VALUE,
    )
  );
}

const invalid = (detail: string, param: string) => new GatewayError('invalid_request', { detail, param });
