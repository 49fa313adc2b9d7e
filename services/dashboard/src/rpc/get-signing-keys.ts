import type { GetSigningKeysResponse } from '@gateway/proto/generated/gateway/dashboard/v1/GetSigningKeysResponse';
import type { SigningKeys } from '../security/signing-keys';

export const getSigningKeys = (keys: SigningKeys) => async (): Promise<GetSigningKeysResponse> => ({
  jwksJson: JSON.stringify(keys.toJwks()),
});
