import Long from 'long';

/** Divides by ten again and again, as its base does, only where a number of JavaScript would not be exact. */
export class QuickLong extends Long {
  override toString(radix?: number): string {
    const number = this.toNumber();
    return radix === undefined && Number.isSafeInteger(number) ? String(number) : super.toString(radix);
  }
}
