import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a server knows of the account whose requests it verifies. */
export interface SigningAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service: string;
}

export interface SignedRequest {
  readonly method: string;
  /** As on the wire, without a query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** AWS refuses a request whose time differs more. */
const MAX_SKEW_MS = 5 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

/**
 * Returns what is wrong with a request's signature; undefined if nothing. Written from the published algorithm (IAM User Guide,
 * "Create a signed AWS API request"), without the library that signs.
 */
export function signatureProblem(
  request: SignedRequest,
  account: SigningAccount,
  nowMs: number,
): string | undefined {
  const { headers, body } = request;
  const match = AUTHORIZATION.exec(headers.authorization ?? '');
  if (!match) return 'no signature';
  const [, accessKeyId, day, region, service, names, signature] = match as unknown as string[];
  const time = String(headers['x-amz-date']);
  if (accessKeyId !== account.accessKeyId) return 'unknown access key';
  if (region !== account.region || service !== account.service) return 'wrong scope';
  if (!time.startsWith(day!)) return 'scope of another day';
  if (!(Math.abs(millisecondsOf(time) - nowMs) <= MAX_SKEW_MS)) return 'signature expired, or not yet valid';
  if (headers['x-amz-security-token'] !== account.sessionToken) return 'wrong session token';
  const signed = names!.split(';');
  const unsigned = Object.keys(headers).filter((name) => mustBeSigned(name) && !signed.includes(name));
  if (unsigned.length > 0) return `not signed: ${unsigned.join(', ')}`;
  if (signed.join() !== signed.toSorted().join()) return 'signed headers are not sorted';
  const payloadHash = sha256(body);
  const { 'x-amz-content-sha256': declared = payloadHash } = headers;
  if (declared !== payloadHash) return 'wrong hash of the body';
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalRequest(request, signed, payloadHash))].join(
    '\n',
  );
  const key = [day!, region, service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part!),
    Buffer.from(`AWS4${account.secretAccessKey}`),
  );
  return timingSafeEqual(hmac(key, text), Buffer.from(signature!, 'hex')) ? undefined : 'wrong signature';
}

function canonicalRequest(
  { method, path, headers }: SignedRequest,
  signed: readonly string[],
  payloadHash: string,
): string {
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  return [method, canonicalPath(path), '', lines.join(''), signed.join(';'), payloadHash].join('\n');
}

/** Each segment is escaped once more than on the wire. */
const canonicalPath = (path: string): string => path.split('/').map(escaped).join('/');

const escaped = (segment: string): string =>
  [...Buffer.from(segment)]
    .map((byte) => String.fromCharCode(byte))
    .map((char) =>
      /[A-Za-z0-9._~-]/.test(char)
        ? char
        : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

const mustBeSigned = (name: string): boolean =>
  name === 'host' || name === 'content-type' || name.startsWith('x-amz-');

function millisecondsOf(time: string): number {
  const [, year, month, day, hour, minute, second] = TIME.exec(time)?.map(Number) ?? [];
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
