import { arrivedAccount } from '@gateway/catalog-client';
import type { ProbeFailure } from '@gateway/proto/generated/gateway/media/v1/ProbeFailure';
import type { ProbeProviderRequest__Output } from '@gateway/proto/generated/gateway/media/v1/ProbeProviderRequest';
import type { ProbeProviderResponse } from '@gateway/proto/generated/gateway/media/v1/ProbeProviderResponse';
import type { RequestContext } from '@gateway/rpc';
import { type Account, PROBE_TIMEOUTS, probeFailureOf } from '@gateway/upstream';
import type { CredentialProbe, ImageProvider } from '../images/rules/image-provider';
import type { VideoProvider } from '../videos/rules/video-provider';

type MediaAccount = Account<ImageProvider | VideoProvider>;

export interface ProbeProviderDeps {
  /** Returns the accounts at a provider of images or videos. */
  accountsOf(provider: string): readonly MediaAccount[];
}

const NO_CREDENTIAL = 'the provider has no usable credential for images or videos';
const NO_PROBE = 'credentials of this kind of provider cannot be tested without ordering an image or a video';

/** Handles `ProbeProvider`. A failure of the provider is a result, not an error. */
export function probeProvider({ accountsOf }: ProbeProviderDeps) {
  return async (
    context: RequestContext,
    { provider: id, credentialId }: ProbeProviderRequest__Output,
  ): Promise<ProbeProviderResponse> => {
    const { provider, credential } = await arrivedAccount(accountsOf, id, credentialId, NO_CREDENTIAL);
    const startMs = performance.now();
    const failure = provider.probe
      ? await failureOfProbe(provider.probe, context)
      : { status: 0, message: NO_PROBE };
    const latencyMs = Math.round(performance.now() - startMs);
    return {
      credentialId: credential.id,
      credentialName: credential.name,
      latencyMs,
      ...(failure && { failure }),
    };
  };
}

/** Returns undefined if the provider accepts the credential. */
async function failureOfProbe(
  probe: CredentialProbe,
  { requestId, signal }: RequestContext,
): Promise<ProbeFailure | undefined> {
  try {
    await probe({ requestId, signal, timeouts: PROBE_TIMEOUTS });
    return undefined;
  } catch (error) {
    return probeFailureOf(error);
  }
}
