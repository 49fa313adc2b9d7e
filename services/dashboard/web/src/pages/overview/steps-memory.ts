const keyOf = (accountId: string) => `gateway-first-steps-done:${accountId}`;

/** Whether this browser has seen the account past its first steps: then no room is kept for them. */
export function areStepsKnownDone(accountId: string): boolean {
  try {
    return localStorage.getItem(keyOf(accountId)) !== null;
  } catch {
    return false;
  }
}

export function rememberStepsDone(accountId: string): void {
  try {
    localStorage.setItem(keyOf(accountId), 'yes');
  } catch {
    // Then it is asked again.
  }
}
