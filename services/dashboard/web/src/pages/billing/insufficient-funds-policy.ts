import type { Limits } from '../../api/billing';

/** What happens to a request whose maximum cost exceeds the balance or a limit. */
export const WHEN_SHORT: Readonly<
  Record<Limits['when_short'], { label: string; description: string; inWords: string }>
> = {
  lower: {
    label: 'Shorten the reply',
    description: 'Lower the maximum output to what the remaining funds cover.',
    inWords: 'the reply is shortened to what the remaining funds cover.',
  },
  refuse: {
    label: 'Reject the request',
    description: 'Reject requests whose maximum output the funds don’t cover.',
    inWords: 'the request is rejected.',
  },
};
