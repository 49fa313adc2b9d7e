import { describe, expect, test } from '@jest/globals';
import { KeyWatchers } from './key-watchers';

const told = (...keyIds: string[]) => ({ keyIds, accountIds: [] });

/** A change under way, and whether it has been answered. */
function begin(watchers: KeyWatchers) {
  const state = { answered: false };
  const answer = watchers.afterNotifying('key_1', async () => 'done');
  void answer.then(() => {
    state.answered = true;
  });
  return { state, answer };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a change is answered', () => {
  test('when its watchers have been told of it, not of another', async () => {
    const watchers = new KeyWatchers(() => true);
    const changes = [begin(watchers), begin(watchers)];
    await turn();
    watchers.publish(told('key_2'));
    await turn();
    expect(changes.map(({ state }) => state.answered)).toEqual([false, false]);
    watchers.publish(told('key_3', 'key_1'));
    expect(await Promise.all(changes.map(({ answer }) => answer))).toEqual(['done', 'done']);
  });

  test('when they have been sent away', async () => {
    const watchers = new KeyWatchers(() => true);
    const { answer } = begin(watchers);
    watchers.endAll();
    expect(await answer).toBe('done');
  });

  test('after a while when nothing is heard of it, and at once when nothing can be', async () => {
    expect(await begin(new KeyWatchers(() => true)).answer).toBe('done');
    expect(await begin(new KeyWatchers(() => false)).answer).toBe('done');
  });

  test('with its failure, whoever was told', async () => {
    const watchers = new KeyWatchers(() => true);
    const failing = watchers.afterNotifying('key_1', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
  });
});
