import { setTimeout as sleep } from 'node:timers/promises';

export interface FreshQuestionsOptions {
  /** Least time between the beginnings of two questions about one subject. */
  readonly gapMs: number;
  /** Subjects remembered at most; one that was dropped may be asked about sooner. */
  readonly maxSubjects: number;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

interface Asked<Answer> {
  readonly sinceMs: number;
  readonly answer: Promise<Answer>;
  isOver: boolean;
  /** Of the question after this one, which those who came since are waiting for. */
  next?: Promise<Answer>;
}

/**
 * Answers that are never older than whoever asks, without a question for everyone: about one subject one
 * question is under way at a time, the next begins no sooner than `gapMs` after it did, and all who come
 * meanwhile share that next one.
 */
export class FreshQuestions<Answer> {
  readonly #options: FreshQuestionsOptions;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #asked = new Map<string, Asked<Answer>>();

  constructor(options: FreshQuestionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#wait = options.wait ?? sleep;
  }

  ask(subject: string, question: () => Promise<Answer>): Promise<Answer> {
    const last = this.#asked.get(subject);
    if (!last || (last.isOver && this.#restMs(last) <= 0)) return this.#begin(subject, question);
    last.next ??= this.#after(last).then(() => this.#begin(subject, question));
    return last.next;
  }

  /** The next question about it need not wait. */
  forget(subject: string): void {
    this.#asked.delete(subject);
  }

  clear(): void {
    this.#asked.clear();
  }

  #begin(subject: string, question: () => Promise<Answer>): Promise<Answer> {
    const asked: Asked<Answer> = {
      sinceMs: this.#now(),
      // At once, so that whoever comes later in this turn finds it under way.
      answer: (async () => question())(),
      isOver: false,
    };
    const over = () => {
      asked.isOver = true;
    };
    asked.answer.then(over, over);
    this.#asked.delete(subject);
    this.#asked.set(subject, asked);
    if (this.#asked.size > this.#options.maxSubjects) this.#dropOldest();
    return asked.answer;
  }

  async #after(last: Asked<Answer>): Promise<void> {
    await last.answer.catch(() => undefined);
    const restMs = this.#restMs(last);
    if (restMs > 0) await this.#wait(restMs);
  }

  /** A clock that was set back does not make it longer than the gap. */
  #restMs({ sinceMs }: Asked<Answer>): number {
    const { gapMs } = this.#options;
    return Math.min(gapMs, sinceMs + gapMs - this.#now());
  }

  #dropOldest(): void {
    for (const oldest of this.#asked.keys()) {
      this.#asked.delete(oldest);
      return;
    }
  }
}
