import type { Logger } from '@gateway/process';
import type { PeerInstances } from './grpc-client';
import type { Instance } from './membership/membership';

/** A connection to one instance that carries calls. */
export interface PoolMember {
  /** Whether it accepts a call now. */
  readonly usable: boolean;
  /**
   * Calls whose answer has not begun. Streams being received don't count: a new instance has none, and would get all new calls
   * until it had as many.
   */
  readonly callsWaiting: number;
  /** Finishes the calls in flight and then ends the connection. Resolves when it has ended. */
  retire(): Promise<void>;
  close(): void;
}

export interface InstancePoolOptions<C, Member> {
  /** For the log. */
  readonly name: string;
  readonly log: Logger;
  readonly instances: PeerInstances<C>;
  /** Connects to an instance; calls `onUp` each time the connection becomes usable. */
  connect(client: C, onUp: () => void): Member;
  readonly nowMs?: () => number;
  /** Returns a number from 0 up to 1. */
  readonly random?: () => number;
}

interface Slot<Member> {
  readonly member: Member;
  readonly client: { close(): void };
  readonly zone: string | undefined;
  upSinceMs: number;
  /** Its slow start is over. */
  isWarm: boolean;
  lastPick: number;
}

/** A process that has just started is slow and has no calls waiting: without a slow start all calls would rush to it. */
const SLOW_START_MS = 5_000;
const MIN_WEIGHT = 0.1;
/**
 * The mean of calls waiting in the own zone may be twice the mean of all, and eight more. A process knows its own calls only: a
 * closer bound would spread them over all zones however balanced the zones are.
 */
const MAX_ZONE_LOAD_RATIO = 2;
const MAX_ZONE_EXTRA_CALLS = 8;

/**
 * Connections to the instances of a peer. A call takes the better of two random ones: the one with fewer calls waiting for
 * its weight, which rises from 0.1 to 1 within 5 s after the connection became usable. If zones are known, both are of the own zone
 * as long as that is not overloaded.
 */
export class InstancePool<C extends { close(): void }, Member extends PoolMember> {
  readonly #options: InstancePoolOptions<C, Member>;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  readonly #slots: Slot<Member>[] = [];
  /** No longer listed, and used only while no listed instance is usable: a directory must not cut what works. */
  readonly #unlisted = new Set<Slot<Member>>();
  readonly #retiring = new Set<Slot<Member>>();
  readonly #stopFollowing: () => void;
  #picks = 0;

  constructor(options: InstancePoolOptions<C, Member>) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#stopFollowing = options.instances.follow((client, instance) => this.#join(client, instance));
  }

  /** The number of instances among which calls are spread. */
  get usableCount(): number {
    return usableOf(this.#slots).length || usableOf([...this.#unlisted]).length;
  }

  /** Returns undefined if no instance is usable. */
  pick(): Member | undefined {
    const [one, other] = this.#two(this.#nearby() ?? this.#slots);
    // All being usable is the usual case, which needs no list.
    const best = one?.member.usable && other?.member.usable ? this.#better(one, other) : this.#pickUsable();
    if (!best) return undefined;
    best.lastPick = ++this.#picks;
    return best.member;
  }

  close(): void {
    this.#stopFollowing();
    for (const { member, client } of [...this.#slots, ...this.#unlisted, ...this.#retiring]) {
      member.close();
      client.close();
    }
  }

  #join(client: C, { address, zone }: Instance): () => void {
    const { name, log, connect } = this.#options;
    log.info({ peer: name, instance: address }, 'instance added');
    const onUp = () => {
      slot.upSinceMs = this.#nowMs();
      slot.isWarm = false;
      this.#retireUnlisted();
    };
    const member = connect(client, onUp);
    const slot: Slot<Member> = { member, client, zone, upSinceMs: 0, isWarm: false, lastPick: 0 };
    this.#slots.push(slot);
    return () => {
      log.info({ peer: name, instance: address }, 'instance removed');
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      this.#unlisted.add(slot);
      this.#retireUnlisted();
    };
  }

  #retireUnlisted(): void {
    if (usableOf(this.#slots).length === 0) return;
    for (const slot of this.#unlisted) {
      this.#retiring.add(slot);
      // Not earlier: grpc-js takes the next keepalive of a closed channel for failed, and cuts its open streams.
      void slot.member.retire().then(() => {
        if (this.#retiring.delete(slot)) slot.client.close();
      });
    }
    this.#unlisted.clear();
  }

  /** Returns the usable instances of the own zone, if zones are to be regarded now. */
  #nearby(): Slot<Member>[] | undefined {
    const { zone } = this.#options.instances;
    if (zone === undefined) return undefined;
    const usable = usableOf(this.#slots);
    const near = usable.filter((slot) => slot.zone === zone);
    if (near.length === 0) return undefined;
    const maxMean = MAX_ZONE_LOAD_RATIO * meanCallsOf(usable) + MAX_ZONE_EXTRA_CALLS;
    return meanCallsOf(near) <= maxMean ? near : undefined;
  }

  #pickUsable(): Slot<Member> | undefined {
    const listed = usableOf(this.#slots);
    const [one, other] = this.#two(listed.length > 0 ? listed : usableOf([...this.#unlisted]));
    return one && other && this.#better(one, other);
  }

  /** Returns two random slots, which are the same if there is only one. */
  #two(slots: readonly Slot<Member>[]): [Slot<Member> | undefined, Slot<Member> | undefined] {
    const count = slots.length;
    const at = Math.floor(this.#random() * count);
    const distance = 1 + Math.floor(this.#random() * (count - 1));
    return [slots[at], slots[(at + distance) % count]];
  }

  #better(one: Slot<Member>, other: Slot<Member>): Slot<Member> {
    const difference = this.#load(one) - this.#load(other);
    if (difference !== 0) return difference < 0 ? one : other;
    // In turn, because few calls would be spread unevenly at random.
    return one.lastPick < other.lastPick ? one : other;
  }

  #load(slot: Slot<Member>): number {
    const { callsWaiting } = slot.member;
    if (slot.isWarm) return callsWaiting;
    const weight = (this.#nowMs() - slot.upSinceMs) / SLOW_START_MS;
    slot.isWarm = weight >= 1;
    return callsWaiting / Math.min(1, Math.max(MIN_WEIGHT, weight));
  }
}

const usableOf = <Member extends PoolMember>(slots: readonly Slot<Member>[]): Slot<Member>[] =>
  slots.filter(({ member }) => member.usable);

const meanCallsOf = <Member extends PoolMember>(slots: readonly Slot<Member>[]): number =>
  slots.reduce((sum, { member }) => sum + member.callsWaiting, 0) / slots.length;
