/** The roles of an account's users; each includes the permissions of the previous one. */
export const ROLES = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who may make a call: anyone, the users of an account from a role on, or operators. */
export type Access = 'public' | Role | 'operator';

export function canCall(user: { readonly role: Role; readonly operator: boolean }, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return user.operator;
  return ROLES.indexOf(user.role) >= ROLES.indexOf(access);
}
