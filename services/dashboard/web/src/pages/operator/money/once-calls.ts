interface Wish {
  readonly key: string;
  /** In flight or succeeded. */
  answer?: Promise<unknown> | undefined;
  isDone: boolean;
  /** The call failed, but may have been executed. */
  isUnknown?: boolean;
}

/**
 * Calls of a dialog that must be executed once. A second click, also on a dialog that is closing, gets the result of
 * the first. A retry after a failure has the same idempotency key, even if the dialog was closed in between: the call
 * may have been executed and its response lost.
 */
export class OnceCalls {
  readonly #wishes = new Map<string, Wish>();
  readonly #newKey: () => string;
  readonly #mayBeDone: (error: unknown) => boolean;

  constructor(newKey: () => string, mayBeDone: (error: unknown) => boolean) {
    this.#newKey = newKey;
    this.#mayBeDone = mayBeDone;
  }

  /** Forgets completed calls when the dialog opens again: the same call may be wanted again. */
  begin(): void {
    for (const [name, { isDone }] of this.#wishes) if (isDone) this.#wishes.delete(name);
  }

  /** True if the next call repeats an earlier one whose outcome is unknown. */
  isRepeat(wish: unknown): boolean {
    return this.#wishes.get(JSON.stringify(wish))?.isUnknown ?? false;
  }

  /** Makes the next call a new one, whatever the outcome of the earlier one. */
  forget(wish: unknown): void {
    this.#wishes.delete(JSON.stringify(wish));
  }

  /** @param wish identifies a call; without parts that may be reworded, such as a reason */
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
        // Once unknown, the outcome stays unknown: the refusal of a retry says nothing about the first attempt.
        own.isUnknown ||= this.#mayBeDone(error);
        throw error;
      },
    );
    return own.answer as Promise<T>;
  }
}
