import { UpstreamError } from '@gateway/upstream';
import { Compute, GoogleAuth, gaxios, JWT, UserRefreshClient } from 'google-auth-library';
import type { AccessToken } from '../cloud-auth/access-token-cache';
import { requestToken, TOKEN_TIMEOUT_MS, toAccessToken } from '../cloud-auth/request-token';

const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

export interface ServiceAccount {
  readonly client_email: string;
  /** PEM. */
  readonly private_key: string;
}

/** Sends the library's requests for tokens: its own client retries, has no bounds, and puts requests into its errors. */
class TokenTransport extends gaxios.Gaxios {
  override async request<T>({ url, data }: gaxios.GaxiosOptions): Promise<gaxios.GaxiosResponse<T>> {
    const form = new URLSearchParams(String(data));
    return { data: await requestToken(String(url), form) } as gaxios.GaxiosResponse<T>;
  }
}

/** @throws UpstreamError */
export async function serviceAccountToken(account: ServiceAccount): Promise<AccessToken> {
  const client = new JWT({
    email: account.client_email,
    key: account.private_key,
    scopes: SCOPES,
    transporter: new TokenTransport(),
  });
  const { access_token, expiry_date } = await client.authorize();
  return toAccessToken(access_token, secondsUntil(expiry_date));
}

/**
 * Returns a token of the Application Default Credentials: those of the machine, of a service account's key, or of a developer who
 * has signed in with gcloud. Those that name URLs to fetch or programs to run are refused.
 * @throws UpstreamError
 */
export async function defaultToken(): Promise<AccessToken> {
  try {
    return await withinDeadline(fetchDefaultToken());
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    // The library's errors contain its requests.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new UpstreamError({
      kind: 'unreachable',
      cause: Object.assign(new Error(message), code && { code }),
    });
  }
}

async function fetchDefaultToken(): Promise<AccessToken> {
  const auth = new GoogleAuth({
    scopes: SCOPES,
    clientOptions: { transporter: new TokenTransport() },
    // Without one, the library would run gcloud to find it.
    projectId: 'unused',
  });
  const client = await auth.getClient();
  if (!(client instanceof Compute || client instanceof JWT || client instanceof UserRefreshClient)) {
    throw new Error('these Application Default Credentials are of a kind that is not supported');
  }
  const { token } = await client.getAccessToken();
  return toAccessToken(token, secondsUntil(client.credentials.expiry_date));
}

const secondsUntil = (atMs: number | null | undefined): number => ((atMs ?? 0) - Date.now()) / 1_000;

function withinDeadline<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('Application Default Credentials took too long')),
      TOKEN_TIMEOUT_MS,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
