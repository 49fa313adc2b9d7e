import type { Role } from '../../api/auth';

/** What each may, in the words of an owner who has to choose. */
export const ROLES: readonly { value: Role; label: string; description: string }[] = [
  { value: 'viewer', label: 'Viewer', description: 'Can view everything except the audit log' },
  { value: 'member', label: 'Member', description: 'Can also manage keys and use the playground' },
  {
    value: 'owner',
    label: 'Owner',
    description: 'Can also set account limits, manage members and read the audit log',
  },
];

export const roleLabel = (role: Role): string => ROLES.find(({ value }) => value === role)?.label ?? role;
