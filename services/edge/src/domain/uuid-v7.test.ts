import { describe, expect, test } from '@jest/globals';
import { createUuidV7Generator } from './uuid-v7';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe('ids', () => {
  test('have the form, carry the time, differ and ascend', () => {
    const generate = createUuidV7Generator();
    const beforeMs = Date.now();
    const ids = Array.from({ length: 20_000 }, generate);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    expect(timeOf(ids[0]!)).toBeGreaterThanOrEqual(beforeMs);
  });

  test('ascend through more than a counter holds in one millisecond, and when the clock steps back', () => {
    let nowMs = 1_700_000_000_000;
    const generate = createUuidV7Generator(() => nowMs);
    const ids = Array.from({ length: 10_000 }, generate);
    nowMs -= 5_000;
    ids.push(generate(), generate());
    expect([...ids].sort()).toEqual(ids);
    expect(timeOf(ids.at(-1)!) - 1_700_000_000_000).toBeLessThan(10);
  });

  test('follow a clock that was set back far', () => {
    let nowMs = 1_800_000_000_000;
    const generate = createUuidV7Generator(() => nowMs);
    generate();
    nowMs = 1_700_000_000_000;
    expect(timeOf(generate())).toBe(nowMs);
  });

  test('put version and variant over whatever is drawn', () => {
    const generate = createUuidV7Generator(
      () => 0xabcdef,
      (buffer) => buffer.fill(0xff),
    );
    expect(generate()).toBe('000000ab-cdef-77ff-bfff-ffffffffffff');
    expect(generate()).toBe('000000ab-cdef-7800-bfff-ffffffffffff');
  });
});
