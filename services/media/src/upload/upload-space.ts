import { giveAll, SpoolBudget, takeAll } from '../domain/spool-budget';

export interface UploadSpaceOptions {
  /** Of all files together; one account's are a part of it. */
  readonly maxBytes: number;
  /** Of the files of one form. */
  readonly maxFormBytes: number;
  /** Asked anew for each form; must not throw. */
  hasFunds(accountId: string): Promise<boolean>;
}

/** Room for the files of one account. */
export interface UploadShare {
  /** @throws Busy with nothing taken */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** Of all the space, what accounts without money have together. */
const UNPAID_PART = 1 / 8;

/**
 * The room for files of calls under way. Files come before it is decided about their call, and accounts are to be had for
 * nothing: those without money share a small part of it, so that any number of them leaves room to those that pay.
 * What their calls are answered is not decided here.
 */
export class UploadSpace {
  readonly #all: SpoolBudget;
  readonly #unpaid: SpoolBudget;
  readonly #hasFunds: UploadSpaceOptions['hasFunds'];

  constructor({ maxBytes, maxFormBytes, hasFunds }: UploadSpaceOptions) {
    this.#all = new SpoolBudget({ room: 'uploads', maxBytes });
    // A whole form of one of them always fits: it is told what is wrong with it, as anybody's is.
    const maxUnpaidBytes = Math.max(maxBytes * UNPAID_PART, maxFormBytes);
    this.#unpaid = new SpoolBudget({
      room: 'unpaid_uploads',
      maxBytes: maxUnpaidBytes,
      maxShareBytes: Math.max(maxUnpaidBytes / 4, maxFormBytes),
    });
    this.#hasFunds = hasFunds;
  }

  get usedBytes(): number {
    return this.#all.usedBytes;
  }

  async shareOf(accountId: string): Promise<UploadShare> {
    const budgets = (await this.#hasFunds(accountId)) ? [this.#all] : [this.#unpaid, this.#all];
    const wanted = (bytes: number) => budgets.map((budget) => [budget, accountId, bytes] as const);
    return { take: (bytes) => takeAll(wanted(bytes)), give: (bytes) => giveAll(wanted(bytes)) };
  }
}
