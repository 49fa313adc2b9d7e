interface Call {
  readonly key: string;
  /** In flight or succeeded. */
  answer?: Promise<unknown> | undefined;
  isCompleted: boolean;
  /** The call failed, but may have been executed. */
  isOutcomeUnknown?: boolean;
}

/**
 * Calls of a dialog that must be executed once. A second click, also on a dialog that is closing, gets the result of
 * the first. A retry after a failure has the same idempotency key, even if the dialog was closed in between: the call
 * may have been executed and its response lost.
 */
export class IdempotentCalls {
  readonly #calls = new Map<string, Call>();
  readonly #newKey: () => string;
  readonly #mayHaveSucceeded: (error: unknown) => boolean;

  constructor(newKey: () => string, mayHaveSucceeded: (error: unknown) => boolean) {
    this.#newKey = newKey;
    this.#mayHaveSucceeded = mayHaveSucceeded;
  }

  /** Forgets completed calls when the dialog opens again: the same call may be wanted again. */
  forgetCompleted(): void {
    for (const [name, { isCompleted }] of this.#calls) if (isCompleted) this.#calls.delete(name);
  }

  /** True if the next call repeats an earlier one whose outcome is unknown. */
  isRepeat(identity: unknown): boolean {
    return this.#calls.get(JSON.stringify(identity))?.isOutcomeUnknown ?? false;
  }

  /** Makes the next call a new one, whatever the outcome of the earlier one. */
  forget(identity: unknown): void {
    this.#calls.delete(JSON.stringify(identity));
  }

  /** @param identity identifies a call; without parts that may be reworded, such as a reason */
  call<T>(identity: unknown, make: (idempotencyKey: string) => Promise<T>): Promise<T> {
    const name = JSON.stringify(identity);
    const entry: Call = this.#calls.get(name) ?? { key: this.#newKey(), isCompleted: false };
    this.#calls.set(name, entry);
    entry.answer ??= make(entry.key).then(
      (answer) => {
        entry.isCompleted = true;
        entry.isOutcomeUnknown = false;
        return answer;
      },
      (error) => {
        entry.answer = undefined;
        // Once unknown, the outcome stays unknown: the refusal of a retry says nothing about the first attempt.
        entry.isOutcomeUnknown ||= this.#mayHaveSucceeded(error);
        throw error;
      },
    );
    return entry.answer as Promise<T>;
  }
}
