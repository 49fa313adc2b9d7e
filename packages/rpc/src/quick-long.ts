import Long from 'long';

/** A Long with a fast `toString`: it divides repeatedly, as the base class does, only if a JavaScript number is not exact. */
export class QuickLong extends Long {
  override toString(radix?: number): string {
    if (radix !== undefined) return super.toString(radix);
    const number = this.toNumber();
    return Number.isSafeInteger(number) ? String(number) : super.toString();
  }
}
