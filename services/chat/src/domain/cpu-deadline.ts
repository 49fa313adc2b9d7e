import { threadCpuMs } from '@gateway/quota';

/** Work between two reads of the clock: well below a millisecond. */
const WORK_PER_CHECK = 16_384;

/** Bounds the CPU time spent on a caller's bytes, whatever they contain. */
export class CpuDeadline {
  readonly #deadlineMs: number;
  #uncheckedWork = 0;

  constructor(budgetMs: number) {
    this.#deadlineMs = threadCpuMs() + budgetMs;
  }

  /**
   * @param work in characters read; a step that allocates, such as a match, costs about 16
   * @throws Error when the time is up
   */
  spend(work = 16): void {
    this.#uncheckedWork += work;
    if (this.#uncheckedWork < WORK_PER_CHECK) return;
    this.#uncheckedWork = 0;
    if (threadCpuMs() > this.#deadlineMs) throw new Error('out of CPU time');
  }

  /** Returns the matches of a global pattern. */
  *matches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
    this.spend(text.length);
    for (const match of text.matchAll(pattern)) {
      this.spend();
      yield match;
    }
  }
}
