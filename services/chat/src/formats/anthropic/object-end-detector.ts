const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Detects the end of a JSON object that arrives in pieces. Anything but an object never ends. */
export class ObjectEndDetector {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #complete = false;
  #isObject = true;

  get complete(): boolean {
    return this.#complete;
  }

  /** Whether it may be, or is, an object. */
  get isObject(): boolean {
    return this.#isObject;
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length && this.#isObject && !this.#complete; at++)
      this.#step(piece.charCodeAt(at));
  }

  #step(char: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (char === BACKSLASH) this.#escaped = true;
      else if (char === QUOTE) this.#inString = false;
    } else if (char === QUOTE && this.#depth > 0) {
      this.#inString = true;
    } else if (char === OPEN) {
      this.#depth++;
    } else if (char === CLOSE && this.#depth > 0) {
      this.#depth--;
      this.#complete = this.#depth === 0;
    } else if (this.#depth === 0) {
      this.#isObject = isSpace(char);
    }
  }
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}
