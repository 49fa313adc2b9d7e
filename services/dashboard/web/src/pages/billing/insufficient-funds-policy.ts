import type { Limits } from '../../api/billing';

/** What becomes of a call whose whole bound does not fit into balance and limits. */
export const WHEN_SHORT: Readonly<
  Record<Limits['when_short'], { label: string; description: string; inWords: string }>
> = {
  lower: {
    label: 'Shorten it',
    description: 'The call may use what is left, with a shorter answer.',
    inWords: 'it may use what is left, with a shorter answer.',
  },
  refuse: {
    label: 'Refuse it',
    description: 'The call is refused unless its longest answer could be paid.',
    inWords: 'it is refused.',
  },
};
