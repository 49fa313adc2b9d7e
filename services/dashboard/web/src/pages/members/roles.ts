import type { Role } from '../../api/auth';

/** What each may, in the words of an owner who has to choose. */
export const ROLES: readonly { value: Role; label: string; description: string }[] = [
  { value: 'viewer', label: 'Viewer', description: 'Sees everything but the audit log' },
  { value: 'member', label: 'Member', description: 'Also makes and changes keys, and uses the playground' },
  {
    value: 'owner',
    label: 'Owner',
    description: 'Also sets the account’s limits, manages members and reads the audit log',
  },
];

export const roleLabel = (role: Role): string => ROLES.find(({ value }) => value === role)?.label ?? role;
