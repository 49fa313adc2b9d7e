interface Wish {
  readonly key: string;
  /** Under way, or gone well. */
  answer?: Promise<unknown> | undefined;
  isDone: boolean;
  /** It failed, and may have been done all the same. */
  isUnknown?: boolean;
}

/**
 * For calls of a dialog that must happen once. A second click, also on a dialog that is about to go, gets the answer of
 * the first. Another try after a failure has the same idempotency key, also when the dialog was closed in between:
 * the answer may have been lost, and the call not.
 */
export class OnceCalls {
  readonly #wishes = new Map<string, Wish>();
  readonly #newKey: () => string;
  readonly #mayBeDone: (error: unknown) => boolean;

  constructor(newKey: () => string, mayBeDone: (error: unknown) => boolean) {
    this.#newKey = newKey;
    this.#mayBeDone = mayBeDone;
  }

  /** The dialog is opened anew: what was done may be wished again. */
  begin(): void {
    for (const [name, { isDone }] of this.#wishes) if (isDone) this.#wishes.delete(name);
  }

  /** True when the next call is taken for one before, of which nobody knows how it ended. */
  isRepeat(wish: unknown): boolean {
    return this.#wishes.get(JSON.stringify(wish))?.isUnknown ?? false;
  }

  /** The next call is another one, whatever became of the one before. */
  forget(wish: unknown): void {
    this.#wishes.delete(JSON.stringify(wish));
  }

  /** @param wish what makes it the same call again: not what may be put in other words, such as a reason */
  call<T>(wish: unknown, make: (idempotencyKey: string) => Promise<T>): Promise<T> {
    const name = JSON.stringify(wish);
    const own: Wish = this.#wishes.get(name) ?? { key: this.#newKey(), isDone: false };
    this.#wishes.set(name, own);
    own.answer ??= make(own.key).then(
      (answer) => {
        own.isDone = true;
        own.isUnknown = false;
        return answer;
      },
      (error) => {
        own.answer = undefined;
        // Once in doubt it stays so: that a later try was refused says nothing of the first.
        own.isUnknown ||= this.#mayBeDone(error);
        throw error;
      },
    );
    return own.answer as Promise<T>;
  }
}
