const keyOf = (accountId: string) => `gateway-first-steps-done:${accountId}`;

/** Remembers that the account has completed onboarding: then no space is reserved for it while the page loads. */
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
    // Storage is blocked: the API is asked each time.
  }
}
