import type { Owner } from '@gateway/call-billing/owner';

/** All instances hold money as one, because any of them can end what another has begun. */
export const MEDIA_OWNER: Owner = { id: 'media', epoch: 1n };
