import {
  type AccountFigures,
  admitCall,
  type CallToAdmit,
  freeNano,
  type KeyFigures,
} from '../reserve/rules/admission';
import {
  expireHold,
  type Hold,
  type HoldEnd,
  settleExpiredHold,
  settleOpenHold,
} from '../settle/rules/charge-hold';
import { parseUsageEvent } from '../settle/rules/usage-event';
import { ACCOUNT_DAILY, KEY_LIMITS } from './money-model';
import type { MoneyCore, MoneyFigures } from './money-run';

/** The domain rules for one account, with figures in variables instead of rows. */
export class PureMoney implements MoneyCore {
  readonly #keyIds: readonly string[];
  readonly #holds = new Map<string, Hold>();
  /** Settled and held money by window. */
  readonly #usedNano = new Map<string, bigint>();
  #atMs = 0;
  #balanceNano = 0n;
  #heldNano = 0n;
  #lossNano = 0n;

  constructor(keyIds: readonly string[]) {
    this.#keyIds = keyIds;
  }

  setClock(atMs: number): void {
    this.#atMs = atMs;
  }

  topup(amountNano: bigint): void {
    this.#balanceNano += amountNano;
  }

  reserve(calls: readonly CallToAdmit[]): string[] {
    const day = new Date(this.#atMs).toISOString().slice(0, 10);
    const account = this.#account(day);
    const keys = new Map(this.#keyIds.map((id) => [id, this.#key(id, day)]));
    const answers = calls.map((call) => {
      const earlier = this.#holds.get(call.requestId);
      if (earlier) return earlier.state === 'open' ? `granted ${earlier.amountNano}` : 'internal_error';
      const decision = admitCall(call, account, keys.get(call.keyId), this.#atMs);
      if (!decision.granted) return decision.error.code;
      const { requestId, accountId, keyId } = call;
      const hold: Hold = { requestId, accountId, keyId, state: 'open', amountNano: decision.holdNano, day };
      this.#holds.set(requestId, hold);
      return `granted ${decision.holdNano}`;
    });
    this.#heldNano = account.heldNano;
    this.#usedNano.set(day, account.today.usedNano);
    for (const [id, key] of keys) {
      this.#usedNano.set(`${id} ${day}`, key.today.usedNano);
      this.#usedNano.set(`${id} ${day.slice(0, 7)}`, key.thisMonth.usedNano);
    }
    return answers;
  }

  expire(requestId: string): void {
    this.#end(expireHold(this.#holds.get(requestId)!));
  }

  deliver(messages: readonly { readonly requestId: string }[]): string[] {
    return messages.map((message) => {
      const event = parseUsageEvent(message);
      const hold = this.#holds.get(event.requestId)!;
      if (hold.state === 'open') this.#end(settleOpenHold(hold, event));
      else if (hold.state === 'expired') {
        const free = freeNano(this.#account(hold.day), this.#key(hold.keyId, hold.day));
        this.#end(settleExpiredHold(hold, event, free));
      } else return 'duplicate';
      return 'applied';
    });
  }

  figures(): MoneyFigures {
    return { balanceNano: this.#balanceNano, heldNano: this.#heldNano, lossNano: this.#lossNano };
  }

  #end({ hold, state, freedNano, chargedNano, lossNano }: HoldEnd): void {
    this.#holds.set(hold.requestId, { ...hold, state });
    this.#balanceNano -= chargedNano;
    this.#heldNano -= freedNano;
    this.#lossNano += lossNano;
    const { day, keyId } = hold;
    for (const window of [day, `${keyId} ${day}`, `${keyId} ${day.slice(0, 7)}`]) {
      this.#usedNano.set(window, this.#used(window) + chargedNano - freedNano);
    }
  }

  #used(window: string): bigint {
    return this.#usedNano.get(window) ?? 0n;
  }

  #account(day: string): AccountFigures {
    return {
      id: '',
      active: true,
      balanceNano: this.#balanceNano,
      heldNano: this.#heldNano,
      dailyLimitNano: ACCOUNT_DAILY,
      today: { usedNano: this.#used(day), heldNano: 0n },
      insufficientFundsPolicy: 'lower',
      limitedUntilMs: 0,
      bareModelNames: false,
    };
  }

  #key(id: string, day: string): KeyFigures {
    const { daily, monthly } = KEY_LIMITS[this.#keyIds.indexOf(id)]!;
    return {
      id,
      accountId: '',
      enabled: true,
      expiresAtMs: null,
      allowedModels: [],
      dailyLimitNano: daily,
      monthlyLimitNano: monthly,
      requestCostLimitNano: null,
      bareModelNames: null,
      scopes: [],
      allowedIps: [],
      liveValueIds: [],
      retiredValueIds: [],
      rates: { rpm: null, tpm: null, generation: 0n },
      today: { usedNano: this.#used(`${id} ${day}`), heldNano: 0n },
      thisMonth: { usedNano: this.#used(`${id} ${day.slice(0, 7)}`), heldNano: 0n },
    };
  }
}
