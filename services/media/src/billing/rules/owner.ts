import type { Owner } from '@gateway/call-billing/owner';

/** All instances are one owner of holds, because each can end the calls of another. */
export const MEDIA_OWNER: Owner = { id: 'media', epoch: 1n };
