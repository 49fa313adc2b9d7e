/** What a user may do in the own account, each more than the one before. */
export const ROLES = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who may make a call: anyone, the users of an account from a role on, those who run the gateway. */
export type Access = 'public' | Role | 'operator';

export function canCall(user: { readonly role: Role; readonly operator: boolean }, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return user.operator;
  return ROLES.indexOf(user.role) >= ROLES.indexOf(access);
}
