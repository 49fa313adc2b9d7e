/** By the call's path, or the name of a security event. */
const ACTIONS: Readonly<Record<string, string>> = {
  'login.succeeded': 'Logged in',
  'login.failed': 'Login failed: wrong password',
  'login.locked_out': 'Login blocked: too many attempts',
  'token.reused': 'Session ended: its token was used twice',
  'operator.lookup': 'Viewed by an operator',
  'key.revoked_as_leaked': 'Key revoked: its value leaked',
  'key.replaced_value_leaked': 'Replaced key value leaked',
  'auth/password': 'Password changed',
  keys: 'Key created',
  'keys/:id/update': 'Key changed',
  'keys/:id/rotate': 'Key rotated',
  'keys/:id/regenerate': 'Key regenerated',
  'keys/:id/enable': 'Key enabled',
  'keys/:id/disable': 'Key disabled',
  'keys/:id/delete': 'Key deleted',
  'billing/limits': 'Account limits changed',
  'account/settings': 'Account settings changed',
  'models/*slug/opt-in': 'Opted in to a preview model',
  members: 'Member added',
  'members/:id/update': 'Member changed',
  'members/:id/password': 'New password for a member',
  'members/:id/delete': 'Member removed',
  'admin/accounts': 'Account created',
  'admin/accounts/:id/suspend': 'Account suspended or resumed',
  'admin/accounts/:id/topups': 'Top-up created',
  'admin/accounts/:id/adjustments': 'Balance adjusted',
  'admin/accounts/:id/members': 'Member added',
  'admin/accounts/:id/members/:member/password': 'New password for a member',
  'admin/topups/:id/clear': 'Top-up cleared',
  'admin/topups/:id/void': 'Top-up voided',
  'admin/keys/:id/revoke': 'Key revoked',
  'admin/keys/revoke-leaked': 'Leaked keys revoked',
  'admin/throttle': 'Throttle changed',
  'admin/providers': 'Provider connected',
  'admin/providers/:id/update': 'Provider changed',
  'admin/providers/:id/delete': 'Provider deleted',
  'admin/providers/:id/credentials': 'Credential added',
  'admin/providers/:id/credentials/:credential/update': 'Credential changed',
  'admin/providers/:id/credentials/:credential/delete': 'Credential deleted',
  'admin/providers/:id/models/import': 'Models imported',
  'admin/models': 'Model created',
  'admin/models/*slug/update': 'Model changed',
  'admin/models/*slug/status': 'Model enabled or disabled',
  'admin/models/*slug/delist': 'Model delisted',
  'admin/models/*slug/prices': 'Prices changed',
};

/** Describes an entry of the audit log; an unknown action is shown by its path. */
export function describeAction(action: string, changes?: unknown): string {
  const { suspended, status } = (changes ?? {}) as Readonly<Record<string, unknown>>;
  if (action === 'admin/accounts/:id/suspend') {
    return suspended === false ? 'Account resumed' : 'Account suspended';
  }
  if (action === 'admin/models/*slug/status' && status !== undefined) {
    return status === 'active' ? 'Model enabled' : 'Model disabled';
  }
  return ACTIONS[action] ?? action;
}
