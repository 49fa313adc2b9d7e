import { createHash, verify } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { z } from 'zod';
import { type LeakedValue, type RevokedValue, revokeLeakedValues } from '../actions/revoke-leaked-values';
import type { SecurityEvents } from '../actions/security-events';
import {
  type LeakedValue as LeakedValueJson,
  leakedValuesResponse,
  revokeLeakedBody,
  scannedSecretsBody,
  scannedSecretsResponse,
} from '../api/keys';
import type { Billing } from '../clients/billing';
import type { SecretScanningKeys } from '../clients/secret-scanning-keys';
import { type Call, type Endpoint, endpoint } from './endpoint';

export interface LeakedKeyDependencies {
  readonly billing: Billing;
  readonly events: SecurityEvents;
  readonly scanningKeys: Pick<SecretScanningKeys, 'find'>;
}

const MAX_URL = 300;
const KEY_VALUE = /sk-gw-[\w-]+/;

export const leakedKeyEndpoints = (deps: LeakedKeyDependencies): Endpoint[] => [
  endpoint('operator', 'POST /admin/keys/revoke-leaked', {
    summary: 'Revoke leaked keys by their values',
    body: revokeLeakedBody,
    response: leakedValuesResponse,
    async handle({ context, user, clientIp, body: { values, reason = 'Leaked: reported by an operator' } }) {
      const leaked = values.map((value) => ({ value: value.trim(), reason }));
      const revoked = await revokeLeakedValues(deps, context, leaked, {
        reporter: { id: user.id, name: user.email, isOperator: true },
        origin: { requestId: context.requestId, clientIp },
      });
      return { data: revoked.map(toRevokedJson) };
    },
  }),
  {
    method: 'POST',
    path: '/secret-scanning/github',
    access: 'public',
    takesRawBody: true,
    handle: (call) => revokeScanned(deps, call),
    doc: {
      summary: "Receive leaked keys from GitHub's secret scanning and revoke them",
      rawBody: scannedSecretsBody,
      response: scannedSecretsResponse,
      codes: ['invalid_api_key'],
    },
  },
];

const toRevokedJson = (revoked: RevokedValue | undefined): LeakedValueJson => ({
  key_id: revoked?.keyId ?? null,
  account_id: revoked?.accountId ?? null,
  hint: revoked?.hint ?? null,
  outcome: revoked?.outcome ?? 'unknown',
});

/**
 * GitHub posts an array of secrets, signed with ECDSA on P-256 and SHA-256, and reads which of them were real; a response names
 * a secret only by its hash. Source: docs.github.com, "Secret scanning partner program".
 */
async function revokeScanned(deps: LeakedKeyDependencies, call: Call) {
  const { context, clientIp, raw } = call;
  await verifySignature(deps, raw);
  const secrets = parseSecrets(raw!.bytes);
  const leaked: LeakedValue[] = secrets.map(({ token, url, source }) => ({
    value: KEY_VALUE.exec(token)?.[0] ?? token,
    reason: reasonOf(url, source),
  }));
  const revoked = await revokeLeakedValues(deps, context, leaked, {
    reporter: { id: 'github-secret-scanning', name: 'GitHub secret scanning', isOperator: false },
    origin: { requestId: context.requestId, clientIp },
  });
  return secrets.map(({ token, type }, index) => ({
    token_hash: createHash('sha256').update(token).digest('hex'),
    token_type: type,
    label: revoked[index] ? 'true_positive' : 'false_positive',
  }));
}

async function verifySignature({ scanningKeys }: LeakedKeyDependencies, raw: Call['raw']): Promise<void> {
  const id = raw?.header('github-public-key-identifier');
  const signature = raw?.header('github-public-key-signature');
  if (!raw || !id || !signature) throw unsigned('the signature headers are missing');
  const key = await scanningKeys.find(id);
  if (!key) throw unsigned('unknown public key identifier');
  if (!verify('sha256', raw.bytes, key, Buffer.from(signature, 'base64'))) {
    throw unsigned('the signature does not match the body');
  }
}

const unsigned = (detail: string) => new GatewayError('invalid_api_key', { detail });

function parseSecrets(bytes: Buffer): z.output<typeof scannedSecretsBody> {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new GatewayError('invalid_request', { detail: 'the body is not JSON' });
  }
  const parsed = scannedSecretsBody.safeParse(body);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new GatewayError('invalid_request', { detail: `${path.join('.') || 'body'}: ${message}` });
}

/** The link is signed by GitHub, but its text comes from third parties: it is shortened, and omitted if it is not a link. */
function reasonOf(url: string | null | undefined, source: string | null | undefined): string {
  const where = source ? ` (${source.replace(/[^\w .-]/g, '')})` : '';
  // Percent-encoding may make it several times as long.
  const href = url && URL.canParse(url) ? new URL(url).href : '';
  const link = href !== '' && href.length <= MAX_URL ? `: ${href}` : '';
  return `Leaked: found by GitHub secret scanning${where}${link}`;
}
