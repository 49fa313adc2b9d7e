import { resolveSecret, type SecretSources } from '@gateway/catalog-client';
import { every, type Logger, type Repeated } from '@gateway/process';
import type { CredentialLimits__Output } from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { StoredSecret__Output } from '@gateway/proto/generated/gateway/catalog/v1/StoredSecret';
import { defaultBaseUrl, isProviderKind } from '@gateway/providers';
import type { Quota } from '@gateway/quota';
import { type Account, environmentAccount } from '@gateway/upstream';
import type { ChatProvider } from '../domain/chat-provider';
import { type ConnectProvider, KINDS } from './connect-provider';

export interface ProviderDirectoryOptions {
  /** Providers that settings configure. A provider of the catalog with the same id replaces them. */
  readonly environment: ReadonlyMap<string, ChatProvider>;
  readonly secrets: SecretSources;
  readonly bufferQuota: Quota;
  readonly log: Logger;
  /** The credential has another secret than before. */
  onSecretChanged(provider: string, credentialId: string): void;
}

type Accounts = readonly Account<ChatProvider>[];

/** How soon a changed file of CREDENTIALS_DIR is used. */
const REFRESH_MS = 5_000;

/** Returns undefined if no limit is set. */
function limitsOf({ requestsPerMinute, tokensPerMinute, concurrency }: CredentialLimits__Output) {
  const limits = {
    requestsPerMinute: requestsPerMinute || undefined,
    tokensPerMinute: tokensPerMinute || undefined,
    concurrency: concurrency || undefined,
  };
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

/** For a provider without credentials, such as a local server. */
const NO_CREDENTIAL = { id: 'none', name: 'none', weight: 1 };

/**
 * The chat providers: those of the settings and those of the catalog, which change while calls are in flight. A call keeps the
 * accounts with which it was admitted.
 */
export class ProviderDirectory {
  readonly #options: ProviderDirectoryOptions;
  readonly #environment: ReadonlyMap<string, Accounts>;
  readonly #refreshing: Repeated;
  #catalog: readonly Provider__Output[] = [];
  #secrets: Readonly<Record<string, StoredSecret__Output>> = {};
  /** In clear, by the id of the credential. */
  #resolved = new Map<string, string>();
  #accounts: ReadonlyMap<string, Accounts>;
  #loaded = false;

  constructor(options: ProviderDirectoryOptions) {
    this.#options = options;
    this.#environment = new Map(
      [...options.environment].map(([id, provider]) => [id, [environmentAccount(provider)]]),
    );
    this.#accounts = this.#environment;
    this.#refreshing = every(REFRESH_MS, 'credential files', options.log, async () => this.#refreshFiles());
  }

  /** Whether the catalog's providers have been received. */
  get loaded(): boolean {
    return this.#loaded;
  }

  has(id: string): boolean {
    return this.accountsOf(id).length > 0;
  }

  ids(): Iterable<string> {
    return [...this.#accounts].flatMap(([id, accounts]) => (accounts.length > 0 ? [id] : []));
  }

  /** Returns the accounts at a provider; none if it is unknown, disabled or has no usable credential. */
  readonly accountsOf = (id: string): Accounts => this.#accounts.get(id) ?? [];

  /** Takes over the providers of the catalog. */
  readonly replace = (
    providers: readonly Provider__Output[],
    secrets: Readonly<Record<string, StoredSecret__Output>>,
  ): void => {
    this.#catalog = providers;
    this.#secrets = secrets;
    this.#connect();
    this.#loaded = true;
  };

  close(): Promise<void> {
    return this.#refreshing.stop();
  }

  #refreshFiles(): void {
    const isChanged = Object.entries(this.#secrets).some(
      ([id, { reference }]) => reference.startsWith('file:') && this.#secretOf(id) !== this.#resolved.get(id),
    );
    if (isChanged) this.#connect();
  }

  #connect(): void {
    const before = this.#resolved;
    this.#resolved = new Map();
    const accounts = new Map(this.#environment);
    for (const provider of this.#catalog) accounts.set(provider.id, this.#connectProvider(provider));
    for (const { id, credentials } of this.#catalog) {
      for (const credential of credentials) {
        const isChanged = this.#resolved.get(credential.id) !== before.get(credential.id);
        if (isChanged && before.has(credential.id)) this.#options.onSecretChanged(id, credential.id);
      }
    }
    this.#accounts = accounts;
  }

  #connectProvider({ id, kind, enabled, credentials, ...rest }: Provider__Output): Accounts {
    // Other kinds are served by media, or known only to a newer version of the catalog.
    if (!enabled || !isProviderKind(kind)) return [];
    const options = JSON.parse(rest.optionsJson || '{}');
    const baseUrl = rest.baseUrl || (defaultBaseUrl(kind, options) ?? '');
    const access = { id, baseUrl, headers: rest.headers, options };
    const connect: ConnectProvider = KINDS[kind];
    const { bufferQuota, log } = this.#options;
    const all =
      credentials.length === 0 && kind === 'openai'
        ? [{ credential: NO_CREDENTIAL, apiKey: '' }]
        : credentials.map(({ id: credentialId, name, weight, limits, enabled: isEnabled }) => ({
            credential: { id: credentialId, name, weight, limits: limits ? limitsOf(limits) : undefined },
            apiKey: isEnabled ? this.#resolve(id, credentialId) : undefined,
          }));
    return all.flatMap(({ credential, apiKey }) => {
      if (apiKey === undefined) return [];
      try {
        return [{ provider: connect({ ...access, apiKey }, bufferQuota), credential }];
      } catch (error) {
        // Such as a secret that is not of the form that its kind needs. The error does not contain it.
        log.error({ provider: id, credential: credential.id, err: error }, 'credential not usable');
        return [];
      }
    });
  }

  /** Returns undefined for a secret that can't be resolved: its credential is not used. */
  #resolve(provider: string, credentialId: string): string | undefined {
    const secret = this.#secretOf(credentialId, (err) =>
      this.#options.log.error({ provider, credential: credentialId, err }, 'credential not usable'),
    );
    if (secret !== undefined) this.#resolved.set(credentialId, secret);
    return secret;
  }

  #secretOf(credentialId: string, onError: (error: unknown) => void = () => {}): string | undefined {
    try {
      return resolveSecret(this.#options.secrets, this.#secrets[credentialId] ?? {}, credentialId);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
}
