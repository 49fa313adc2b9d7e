import { GatewayError } from '@gateway/errors';

/** What is known of a file when its upload has ended. */
export interface UploadedFile {
  readonly filename: string;
  readonly purpose: string;
  /** Absent, or longer than the retention: the retention. */
  readonly lifetimeSeconds?: number;
}

/** Files for other purposes would be kept for APIs that the gateway does not have. */
export const FILE_PURPOSES = ['batch', 'user_data'] as const;

const FIELDS: ReadonlySet<string> = new Set(['purpose', 'expires_after[anchor]', 'expires_after[seconds]']);
export const MIN_LIFETIME_SECONDS = 3_600;
export const MAX_LIFETIME_SECONDS = 2_592_000;

export const isLifetime = (seconds: unknown): seconds is number =>
  Number.isSafeInteger(seconds) &&
  Number(seconds) >= MIN_LIFETIME_SECONDS &&
  Number(seconds) <= MAX_LIFETIME_SECONDS;

/** Parses the fields beside the file. @throws GatewayError `invalid_request` */
export function parseFileFields(fields: ReadonlyMap<string, string>): Omit<UploadedFile, 'filename'> {
  for (const name of fields.keys()) if (!FIELDS.has(name)) throw invalid(`${name}: unknown field`);
  const purpose = fields.get('purpose');
  const seconds = fields.get('expires_after[seconds]');
  const anchor = fields.get('expires_after[anchor]');
  if (purpose === undefined) throw invalid('purpose: missing');
  if (!FILE_PURPOSES.some((known) => known === purpose))
    throw invalid(`purpose: not one of ${FILE_PURPOSES.join(', ')}`);
  if (seconds === undefined && anchor === undefined) return { purpose };
  if (anchor !== 'created_at') throw invalid('expires_after[anchor]: not created_at');
  const lifetimeSeconds = Number(seconds);
  if (!/^\d+$/.test(seconds ?? '') || !isLifetime(lifetimeSeconds))
    throw invalid(
      `expires_after[seconds]: not a number from ${MIN_LIFETIME_SECONDS} to ${MAX_LIFETIME_SECONDS}`,
    );
  return { purpose, lifetimeSeconds };
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
