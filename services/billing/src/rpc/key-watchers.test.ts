import { describe, expect, test } from '@jest/globals';
import { KeyWatchers } from './key-watchers';

const changed = (...keyIds: string[]) => ({ keyIds, accountIds: [] });

/** Starts a change and records whether it has returned. */
function begin(watchers: KeyWatchers) {
  const state = { answered: false };
  const answer = watchers.afterNotifying('key_1', async () => 'done');
  void answer.then(() => {
    state.answered = true;
  });
  return { state, answer };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a key change returns', () => {
  test('once its own notification was published', async () => {
    const watchers = new KeyWatchers(() => true);
    const changes = [begin(watchers), begin(watchers)];
    await turn();
    watchers.publish(changed('key_2'));
    await turn();
    expect(changes.map(({ state }) => state.answered)).toEqual([false, false]);
    watchers.publish(changed('key_3', 'key_1'));
    expect(await Promise.all(changes.map(({ answer }) => answer))).toEqual(['done', 'done']);
  });

  test('once the watch streams were ended', async () => {
    const watchers = new KeyWatchers(() => true);
    const { answer } = begin(watchers);
    watchers.endAll();
    expect(await answer).toBe('done');
  });

  test('after a timeout without a notification, and at once while the listener is down', async () => {
    expect(await begin(new KeyWatchers(() => true)).answer).toBe('done');
    expect(await begin(new KeyWatchers(() => false)).answer).toBe('done');
  });

  test('with the error of the change', async () => {
    const watchers = new KeyWatchers(() => true);
    const failing = watchers.afterNotifying('key_1', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
  });
});
