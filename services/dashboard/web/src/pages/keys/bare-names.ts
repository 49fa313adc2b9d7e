/** Labels of a key's setting for bare model names. */
export const BARE_NAMES = { account: 'Account setting', on: 'Allowed', off: 'Not allowed' } as const;

export type BareNames = keyof typeof BARE_NAMES;

export const bareNamesOf = (setting: boolean | null): BareNames =>
  setting === null ? 'account' : setting ? 'on' : 'off';

export const toSetting = (choice: BareNames): boolean | null =>
  choice === 'account' ? null : choice === 'on';
