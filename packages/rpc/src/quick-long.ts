import Long from 'long';

/** Divides by ten again and again, as its base does, only where a number of JavaScript would not be exact. */
export class QuickLong extends Long {
  override toString(radix?: number): string {
    if (radix !== undefined) return super.toString(radix);
    const number = this.toNumber();
    return Number.isSafeInteger(number) ? String(number) : super.toString();
  }
}
