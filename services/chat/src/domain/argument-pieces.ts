/** What some models write for no arguments. */
const NO_ARGUMENTS = 'null';

/** Returns the arguments of a call; an empty string for `null`, which callers can't read as an object. */
export const withoutNull = (text: string): string => (text.trim() === NO_ARGUMENTS ? '' : text);

/** Arguments of a call that arrive in pieces. They are held back while they may be `null`. */
export class ArgumentPieces {
  #held = '';
  #isText = false;

  /** Whether there are arguments. */
  get isText(): boolean {
    return this.#isText;
  }

  /** Returns what may be passed on with this piece. */
  add(piece: string): string {
    if (this.#isText) return piece;
    this.#held += piece;
    if (NO_ARGUMENTS.startsWith(this.#held.trim())) return '';
    this.#isText = true;
    return this.#held;
  }

  /** Returns what is left after the last piece. */
  end(): string {
    return this.#isText || this.#held.trim() === '' ? '' : withoutNull(this.#held);
  }
}
