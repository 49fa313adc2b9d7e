import { GatewayError } from '@gateway/errors';

/** The user who changes a key. */
export interface KeyChanger {
  /** Empty: unknown. */
  readonly userId: string;
  /** The user is no owner of the account. */
  readonly isMember: boolean;
}

/** The field of a key that an owner has disabled. */
export const STATUS = 'status';

/** A field of a key that limits what it may do. */
export interface LimitChange {
  /** As the dashboard's API calls it. */
  readonly field: string;
  /** The field has another value now. */
  readonly changes: boolean;
  /** The new value limits the key. */
  readonly limits: boolean;
}

/**
 * Returns the fields that an owner has limited after a change: what an owner limits becomes the owner's, what an owner lifts is nobody's.
 * @throws GatewayError `invalid_request` if a member changes a field that an owner has limited
 */
export function ownerLimitsAfter(
  ownerLimits: readonly string[],
  changes: readonly LimitChange[],
  { isMember }: KeyChanger,
): string[] {
  if (isMember) {
    const refused = changes.find(({ field, changes: isChange }) => isChange && ownerLimits.includes(field));
    if (refused)
      throw new GatewayError('invalid_request', {
        detail: `${refused.field}: an owner of the account has limited it, and only owners may change it`,
      });
    return [...ownerLimits];
  }
  const touched = new Set(changes.map(({ field }) => field));
  return [
    ...ownerLimits.filter((field) => !touched.has(field)),
    ...changes.filter(({ limits }) => limits).map(({ field }) => field),
  ];
}

/** The holders of a new key, or of one whose earlier values end. */
export const onlyHolder = ({ userId }: KeyChanger): string[] => (userId === '' ? [] : [userId]);
