import { Quota, quotaExhausted } from '@gateway/quota';

export interface UploadQuotaOptions {
  /** Disk space for the files of all calls. */
  readonly maxBytes: number;
  /** Largest sum of the files of one form. */
  readonly maxFormBytes: number;
  /** Queried for each form; must not throw. */
  hasFunds(accountId: string): Promise<boolean>;
}

/** The part of the space that one account may use. */
export interface AccountUploadQuota {
  /** @throws GatewayError `rate_limited` with nothing acquired */
  acquire(bytes: number): void;
  release(bytes: number): void;
}

const ACCOUNT_PART = 1 / 4;
/** Part of the space for all accounts without funds together. */
const UNPAID_PART = 1 / 8;

/**
 * Divides the disk space for uploaded files among accounts. Files arrive before their call is admitted, and accounts are
 * free to create: those without funds share a small part, so that any number of them leaves space to paying accounts.
 */
export class UploadQuota {
  readonly all: Quota;
  readonly unpaid: Quota;
  readonly #hasFunds: UploadQuotaOptions['hasFunds'];

  constructor({ maxBytes, maxFormBytes, hasFunds }: UploadQuotaOptions) {
    this.all = new Quota({ limit: maxBytes, perHolder: maxBytes * ACCOUNT_PART });
    // A complete form of such an account always fits, so that it gets the same error as any other.
    const limit = Math.max(maxBytes * UNPAID_PART, maxFormBytes);
    this.unpaid = new Quota({ limit, perHolder: Math.max(limit * ACCOUNT_PART, maxFormBytes) });
    this.#hasFunds = hasFunds;
  }

  get usedBytes(): number {
    return this.all.used;
  }

  async ofAccount(accountId: string): Promise<AccountUploadQuota> {
    const { all } = this;
    const unpaid = (await this.#hasFunds(accountId)) ? undefined : this.unpaid;
    return {
      acquire(bytes) {
        if (unpaid?.acquire(accountId, bytes)) throw quotaExhausted();
        if (!all.acquire(accountId, bytes)) return;
        unpaid?.release(accountId, bytes);
        throw quotaExhausted();
      },
      release(bytes) {
        unpaid?.release(accountId, bytes);
        all.release(accountId, bytes);
      },
    };
  }
}
