import type { CallToAdmit } from '../domain/admission';

interface Entry {
  readonly second: number;
  tokens: number;
  requests: number;
}

const WINDOW = 61;

/** The limiter in the plainest way: a list of all that was taken, summed up anew for every call. */
export class NaiveRates {
  readonly entries: Entry[] = [];

  window(now: number): { requests: number; tokens: number } {
    let requests = 0;
    let tokens = 0;
    for (const entry of this.entries) {
      if (entry.second > now - WINDOW) {
        requests += entry.requests;
        tokens += entry.tokens;
      }
    }
    return { requests, tokens };
  }

  /** Seconds until the window would hold none of these. */
  reset(now: number, of: 'requests' | 'tokens'): number {
    const seconds = this.entries.filter((entry) => entry[of] > 0).map(({ second }) => second + WINDOW - now);
    return Math.max(0, ...seconds);
  }

  #fits(now: number, rpm: number | null, tpm: number | null, least: number): boolean {
    const { requests, tokens } = this.window(now);
    return (rpm === null || requests < rpm) && (tpm === null || tokens + least <= tpm);
  }

  /** What the limiter is to say: tokens given, or the code and the seconds to wait, -1 for ever. */
  take(
    now: number,
    { rpm, tpm, most, least, free }: { rpm: number | null; tpm: number | null } & NaiveCall,
  ): { given: number; entry: Entry } | { code: string; wait: number } {
    const uses = !free && most > 0;
    const needs = uses ? least : 0;
    const counted = uses ? tpm : null;
    if (!this.#fits(now, rpm, counted, needs)) {
      const over = rpm !== null && this.window(now).requests >= rpm;
      let wait = 0;
      while (wait <= WINDOW && !this.#fits(now + wait, rpm, counted, needs)) wait++;
      return { code: over ? 'rpm_rate_limited' : 'tpm_rate_limited', wait: wait > WINDOW ? -1 : wait };
    }
    const room = counted === null ? most : counted - this.window(now).tokens;
    const given = uses ? Math.min(most, room) : 0;
    const entry = { second: now, tokens: given, requests: 1 };
    this.entries.push(entry);
    return { given, entry };
  }
}

interface NaiveCall {
  readonly most: number;
  readonly least: number;
  readonly free: boolean;
}

export const callToRate = (keyId: string, { most, least, free }: NaiveCall): CallToAdmit => ({
  requestId: '',
  accountId: '',
  keyId,
  valueId: '',
  model: '',
  ownerId: '',
  ownerEpoch: 0n,
  boundNano: 0n,
  floorNano: 0n,
  boundTokens: BigInt(most),
  floorTokens: BigInt(least),
  free,
  callerNamedMaximum: false,
  makesTask: false,
  isNew: true,
});
