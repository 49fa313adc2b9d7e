import type { Role } from '../../api/auth';

/** Describes each role to the owner who chooses it. */
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
