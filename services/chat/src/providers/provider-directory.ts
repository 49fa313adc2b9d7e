import { resolveSecret, type SecretSources } from '@gateway/catalog-client';
import { every, type Logger, type Repeated } from '@gateway/process';
import type { CredentialLimits__Output } from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { StoredSecret__Output } from '@gateway/proto/generated/gateway/catalog/v1/StoredSecret';
import { defaultBaseUrl, isProviderKind, type ProviderKind, splitOptions } from '@gateway/providers';
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
  /** The credential has another secret than before, or is no longer used. */
  onCredentialChanged(provider: string, credentialId: string): void;
}

type Accounts = readonly Account<ChatProvider>[];

interface Connected {
  readonly providerId: string;
  /** What it was connected with, as text. */
  readonly settings: string;
  readonly provider: ChatProvider;
}

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
  /** Enabled credentials whose secret could not be resolved. */
  #unresolved = new Set<string>();
  /** By the id of the credential. */
  #connected = new Map<string, Connected>();
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
    const isChanged = [...this.#resolved].some(([id, secret]) => {
      const { reference } = this.#secrets[id] ?? {};
      return reference?.startsWith('file:') && this.#secretOf(id) !== secret;
    });
    // A file that was missing may be there now.
    const isFound = [...this.#unresolved].some((id) => this.#secretOf(id) !== undefined);
    if (isChanged || isFound) this.#connect();
  }

  #connect(): void {
    const before = { resolved: this.#resolved, connected: this.#connected };
    this.#resolved = new Map();
    this.#unresolved = new Set();
    this.#connected = new Map();
    const accounts = new Map(this.#environment);
    for (const provider of this.#catalog) {
      accounts.set(provider.id, this.#connectProvider(provider, before.connected));
    }
    this.#accounts = accounts;
    for (const [credential, { providerId }] of before.connected) {
      const secret = before.resolved.get(credential);
      if (this.#resolved.get(credential) !== secret)
        this.#options.onCredentialChanged(providerId, credential);
    }
  }

  /** Keeps what is connected with the same settings and secret, with the tokens that it has. */
  #connectProvider(provider: Provider__Output, before: ReadonlyMap<string, Connected>): Accounts {
    const { id, kind, enabled, credentials, headers, optionsJson } = provider;
    // Other kinds are served by media, or known only to a newer version of the catalog.
    if (!enabled || !isProviderKind(kind)) return [];
    const all =
      credentials.length === 0 && kind === 'openai'
        ? [{ credential: NO_CREDENTIAL, apiKey: '' }]
        : credentials.map(({ id: credentialId, name, weight, limits, enabled: isEnabled }) => ({
            credential: { id: credentialId, name, weight, limits: limits ? limitsOf(limits) : undefined },
            apiKey: isEnabled ? this.#resolve(id, credentialId) : undefined,
          }));
    return all.flatMap(({ credential, apiKey }) => {
      if (apiKey === undefined) return [];
      const settings = JSON.stringify([kind, provider.baseUrl, headers, optionsJson, apiKey]);
      const key = credential === NO_CREDENTIAL ? `${id} none` : credential.id;
      const known = before.get(key);
      try {
        const chatProvider =
          known?.settings === settings ? known.provider : this.#connectAccount(provider, kind, apiKey);
        this.#connected.set(key, { providerId: id, settings, provider: chatProvider });
        return [{ provider: chatProvider, credential }];
      } catch (error) {
        // Such as a secret that is not of the form that its kind needs. The error does not contain it.
        this.#options.log.error(
          { provider: id, credential: credential.id, err: error },
          'credential not usable',
        );
        return [];
      }
    });
  }

  /** @throws Error for options or a secret that its kind cannot use */
  #connectAccount(
    { id, baseUrl, headers, optionsJson }: Provider__Output,
    kind: ProviderKind,
    apiKey: string,
  ): ChatProvider {
    const { connection, ofKind: options } = splitOptions(JSON.parse(optionsJson || '{}'));
    const url = baseUrl || (defaultBaseUrl(kind, options) ?? '');
    const connect: ConnectProvider = KINDS[kind];
    const provider = connect({ id, baseUrl: url, headers, options, apiKey }, this.#options.bufferQuota);
    const { timeouts, proxy } = connection;
    if (!timeouts && proxy === undefined) return provider;
    const { connect_ms: connectMs, first_byte_ms: firstByteMs, idle_ms: idleMs } = timeouts ?? {};
    return { ...provider, connection: { connectMs, firstByteMs, idleMs, proxy } };
  }

  /** Returns undefined for a secret that can't be resolved: its credential is not used. */
  #resolve(provider: string, credentialId: string): string | undefined {
    const secret = this.#secretOf(credentialId, (err) =>
      this.#options.log.error({ provider, credential: credentialId, err }, 'credential not usable'),
    );
    if (secret === undefined) this.#unresolved.add(credentialId);
    else this.#resolved.set(credentialId, secret);
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
