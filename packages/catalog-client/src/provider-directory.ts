import { every, type Logger, type Repeated } from '@gateway/process';
import type { CredentialLimits__Output } from '@gateway/proto/generated/gateway/catalog/v1/CredentialLimits';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import type { StoredSecret__Output } from '@gateway/proto/generated/gateway/catalog/v1/StoredSecret';
import {
  type ConnectionOptions,
  defaultBaseUrl,
  isProviderKind,
  type ProviderKind,
  splitOptions,
} from '@gateway/providers';
import { type Account, environmentAccount, isPublicHost, type ProviderConnection } from '@gateway/upstream';
import { resolveSecret, type SecretSources } from './resolve-secret';

/** A provider's endpoint and one of its credentials in clear. */
export interface ProviderAccess {
  readonly id: string;
  readonly baseUrl: string;
  /** Empty: the provider needs none. */
  readonly apiKey: string;
  /** Of its kind, as the catalog has checked them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Sent with every request, in addition to those of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  /** How it is reached; absent: as every provider. */
  readonly connection?: ProviderConnection;
}

/** @throws Error, without the secret, for options or a secret that the kind cannot use */
export type Connect<Provider> = (access: ProviderAccess) => Provider;

export interface ProviderDirectoryOptions<Provider> {
  /** Providers that settings configure. A provider of the catalog with the same id replaces them, if the service serves its kind. */
  readonly environment: ReadonlyMap<string, Provider>;
  readonly secrets: SecretSources;
  readonly log: Logger;
  /** Returns how providers of a kind are connected; undefined: the service does not serve it. */
  connectorOf(kind: ProviderKind): Connect<Provider> | undefined;
  /** The credential has another secret than before, or is no longer used. */
  onCredentialChanged(provider: string, credentialId: string): void;
}

interface Connected<Provider> {
  readonly providerId: string;
  /** What it was connected with, as text. */
  readonly settings: string;
  readonly provider: Provider;
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
 * The providers of a service: those of the settings and those of the catalog, which change while calls are in flight. A call keeps
 * the accounts with which it was admitted.
 */
export class ProviderDirectory<Provider extends { readonly id: string }> {
  readonly #options: ProviderDirectoryOptions<Provider>;
  readonly #environment: ReadonlyMap<string, readonly Account<Provider>[]>;
  readonly #refreshing: Repeated;
  #catalog: readonly Provider__Output[] = [];
  #secrets: Readonly<Record<string, StoredSecret__Output>> = {};
  /** In clear, by the id of the credential. */
  #resolved = new Map<string, string>();
  /** Enabled credentials whose secret could not be resolved. */
  #unresolved = new Set<string>();
  /** By the id of the credential. */
  #connected = new Map<string, Connected<Provider>>();
  #accounts: ReadonlyMap<string, readonly Account<Provider>[]>;
  #loaded = false;

  constructor(options: ProviderDirectoryOptions<Provider>) {
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

  /** Whether the provider is that of the settings: the catalog has none with its id that the service serves. */
  isOfEnvironment(id: string): boolean {
    return this.#environment.has(id) && this.#accounts.get(id) === this.#environment.get(id);
  }

  ids(): Iterable<string> {
    return [...this.#accounts].flatMap(([id, accounts]) => (accounts.length > 0 ? [id] : []));
  }

  /** Returns the accounts at a provider; none if it is unknown, disabled or has no usable credential. */
  readonly accountsOf = (id: string): readonly Account<Provider>[] => this.#accounts.get(id) ?? [];

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
      // Other kinds are served by another service, or known only to a newer version of the catalog.
      const { id, kind } = provider;
      if (!isProviderKind(kind)) continue;
      const connector = this.#options.connectorOf(kind);
      if (!connector) continue;
      const connect = (apiKey: string) => connector(accessOf(provider, kind, apiKey));
      accounts.set(id, this.#connectProvider(provider, connect, before.connected));
    }
    this.#accounts = accounts;
    for (const [credential, { providerId }] of before.connected) {
      const secret = before.resolved.get(credential);
      if (this.#resolved.get(credential) !== secret)
        this.#options.onCredentialChanged(providerId, credential);
    }
  }

  /** Keeps what is connected with the same settings and secret, with the tokens that it has. */
  #connectProvider(
    provider: Provider__Output,
    connect: (apiKey: string) => Provider,
    before: ReadonlyMap<string, Connected<Provider>>,
  ): readonly Account<Provider>[] {
    const { id, kind, enabled, credentials, headers, optionsJson } = provider;
    if (!enabled) return [];
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
        const connected = known?.settings === settings ? known.provider : connect(apiKey);
        this.#connected.set(key, { providerId: id, settings, provider: connected });
        return [{ provider: connected, credential }];
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

/** @throws Error for options that are no JSON or not those of every kind */
function accessOf(
  { id, baseUrl, headers, optionsJson }: Provider__Output,
  kind: ProviderKind,
  apiKey: string,
): ProviderAccess {
  const { connection, ofKind: options } = splitOptions(JSON.parse(optionsJson || '{}'));
  const url = baseUrl || (defaultBaseUrl(kind, options) ?? '');
  const access = { id, baseUrl: url, headers, options, apiKey };
  const { timeouts, proxy } = connection;
  const links = linksOf(connection, url);
  if (!timeouts && proxy === undefined && links === undefined) return access;
  const { connect_ms: connectMs, first_byte_ms: firstByteMs, idle_ms: idleMs } = timeouts ?? {};
  return { ...access, connection: { connectMs, firstByteMs, idleMs, proxy, links } };
}

/** A provider in a private network would fetch from there. */
function linksOf({ links }: ConnectionOptions, baseUrl: string): ProviderConnection['links'] {
  if (links !== undefined) return links === 'pass' ? undefined : links;
  const host = URL.parse(baseUrl)?.hostname;
  return host === undefined || isPublicHost(host) ? undefined : 'resolve';
}
