import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@gateway/process';
import { describe, expect, test } from '@jest/globals';
import type { Join } from './grpc-client';
import { InstancePool, type PoolMember } from './instance-pool';
import { instanceAt } from './membership/membership';

class FakeMember implements PoolMember {
  usable = false;
  callsWaiting = 0;
  state: 'open' | 'retiring' | 'closed' = 'open';
  readonly onUp: () => void;
  onRetired!: () => void;

  constructor(onUp: () => void) {
    this.onUp = onUp;
  }

  up(): this {
    this.usable = true;
    this.onUp();
    return this;
  }

  retire(): Promise<void> {
    this.usable = false;
    this.state = 'retiring';
    return new Promise((resolve) => {
      this.onRetired = resolve;
    });
  }

  close(): void {
    this.state = 'closed';
  }
}

/** A repeatable sequence of numbers from 0 up to 1. */
function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

function createPool(zone?: string) {
  const clock = { ms: 0 };
  const closed: string[] = [];
  let join!: Join<{ address: string; close(): void }>;
  const members: FakeMember[] = [];
  const pool = new InstancePool<{ address: string; close(): void }, FakeMember>({
    name: 'test',
    log: createLogger('test', 'silent'),
    instances: {
      zone,
      follow(given) {
        join = given;
        return () => {};
      },
    },
    connect(_client, onUp) {
      members.push(new FakeMember(onUp));
      return members.at(-1)!;
    },
    nowMs: () => clock.ms,
    random: seededRandom(),
  });
  /** Lists an instance that is not up yet. */
  const add = (address: string, inZone?: string) => {
    const leave = join({ address, close: () => closed.push(address) }, instanceAt(address, 1, inZone));
    return { member: members.at(-1)!, leave };
  };
  return { pool, clock, closed, add };
}

/** Returns the calls of each member after `calls` calls, of which the last `waiting` wait for their answers at any time. */
function spread(pool: Pick<InstancePool<never, FakeMember>, 'pick'>, calls: number, waiting: number) {
  const counts = new Map<FakeMember | undefined, number>();
  const open: FakeMember[] = [];
  for (let call = 0; call < calls; call++) {
    const member = pool.pick()!;
    counts.set(member, (counts.get(member) ?? 0) + 1);
    member.callsWaiting += 1;
    open.push(member);
    if (open.length > waiting) open.shift()!.callsWaiting -= 1;
  }
  for (const member of open) member.callsWaiting -= 1;
  return (member: FakeMember) => (counts.get(member) ?? 0) / calls;
}

describe('calls', () => {
  test.each([0, 2, 64])('are spread evenly over instances with %i calls waiting', (waiting) => {
    const { pool, clock, add } = createPool();
    const members = ['a', 'b', 'c', 'd', 'e'].map((address) => add(address).member.up());
    clock.ms = 5_000;
    const shareOf = spread(pool, 1_000, waiting);
    for (const member of members) {
      expect(shareOf(member)).toBeGreaterThan(0.2 * 0.8);
      expect(shareOf(member)).toBeLessThan(0.2 * 1.2);
    }
  });

  test('avoid an instance that has far more calls waiting, as one that does not answer', () => {
    const { pool, clock, add } = createPool();
    const [frozen, ...others] = ['a', 'b', 'c'].map((address) => add(address).member.up());
    clock.ms = 5_000;
    frozen!.callsWaiting = 100;
    const shareOf = spread(pool, 1_000, 32);
    expect(shareOf(frozen!)).toBe(0);
    for (const member of others) expect(shareOf(member)).toBeCloseTo(0.5, 1);
  });

  test('go only to usable instances', () => {
    const { pool, add } = createPool();
    const [a, b, c] = ['a', 'b', 'c'].map((address) => add(address).member);
    expect([pool.pick(), pool.usableCount]).toEqual([undefined, 0]);
    b!.up();
    expect(Array.from({ length: 10 }, () => pool.pick())).toEqual(Array(10).fill(b));
    c!.up();
    const shareOf = spread(pool, 100, 4);
    expect([shareOf(a!), pool.usableCount]).toEqual([0, 2]);
    expect(shareOf(b!)).toBeCloseTo(0.5, 1);
  });

  test('rush neither to a fresh instance nor past it: its part rises within 5 s', () => {
    const { pool, clock, add } = createPool();
    for (const address of ['a', 'b', 'c']) add(address).member.up();
    clock.ms = 10_000;
    const fresh = add('d').member.up();
    const shares = [0, 2_500, 5_000].map((afterMs) => {
      clock.ms = 10_000 + afterMs;
      return spread(pool, 4_000, 120)(fresh);
    });
    expect(shares[0]).toBeGreaterThan(0.01);
    expect(shares[0]).toBeLessThan(0.08);
    expect(shares[1]).toBeGreaterThan(0.1);
    expect(shares[1]).toBeLessThan(0.2);
    expect(shares[2]).toBeCloseTo(0.25, 1);
  });
});

describe('calls of a process whose zone is known', () => {
  const inZones = () => {
    const { pool, clock, add } = createPool('here');
    const near = [add('a', 'here').member.up(), add('b', 'here').member.up()];
    const far = [add('c', 'there').member.up(), add('d').member.up()];
    clock.ms = 5_000;
    return { pool, near, far };
  };

  test('stay in the zone while its instances are not overloaded', () => {
    const { pool, near } = inZones();
    const shareOf = spread(pool, 1_000, 32);
    for (const member of near) expect(shareOf(member)).toBeCloseTo(0.5, 1);
  });

  test('leave the zone when its instances have far more calls in flight than all have on average', () => {
    const { pool, near, far } = inZones();
    for (const member of near) member.callsWaiting = 10;
    expect(near).toContain(pool.pick());
    for (const member of near) member.callsWaiting = 100;
    for (const member of far) member.callsWaiting = 1;
    expect(near).toContain(pool.pick());
    for (const member of far) member.callsWaiting = 0;
    near[1]!.usable = false;
    expect(far).toContain(pool.pick());
  });

  test('go to other zones when no instance of the zone is usable', () => {
    const { pool, near, far } = inZones();
    for (const member of near) member.usable = false;
    expect(far).toContain(pool.pick());
  });
});

describe('an instance that is no longer listed', () => {
  test('gets no new calls, and its client is closed after its last one', async () => {
    const { pool, closed, add } = createPool();
    const { member: gone, leave } = add('a');
    gone.up();
    const other = add('b').member.up();
    leave();
    expect([gone.state, closed]).toEqual(['retiring', []]);
    expect(Array.from({ length: 10 }, () => pool.pick())).toEqual(Array(10).fill(other));
    gone.onRetired();
    await setImmediate();
    expect(closed).toEqual(['a']);
    pool.close();
    expect([gone.state, other.state, closed]).toEqual(['retiring', 'closed', ['a', 'b']]);
  });

  test('gets calls until a listed one is usable', () => {
    const { pool, add } = createPool();
    const { member: last, leave } = add('a');
    last.up();
    const { member: next } = add('b');
    leave();
    expect([pool.pick(), pool.usableCount, last.state]).toEqual([last, 1, 'open']);
    next.up();
    expect([pool.pick(), last.state]).toEqual([next, 'retiring']);
  });

  test('is closed with the pool while it still finishes its calls', () => {
    const { pool, closed, add } = createPool();
    const { member: gone, leave } = add('a');
    gone.up();
    add('b').member.up();
    leave();
    pool.close();
    expect([gone.state, closed]).toEqual(['closed', ['b', 'a']]);
  });
});
