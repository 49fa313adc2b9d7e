import type { CallerRequest } from '../domain/caller-request';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';

/**
 * What a route's provider gets: the caller's bytes where it speaks the caller's format, a translation elsewhere.
 * @param loweredMaxTokens output per choice that funds pay for, when that is less than what was asked for
 * @throws GatewayError `invalid_request` for what the provider cannot do
 */
export function upstreamBody(
  request: CallerRequest,
  model: Model,
  { provider, target }: Route,
  loweredMaxTokens: number | undefined,
): Buffer {
  const { upstreamModel } = target;
  if (provider.wire === request.wire) {
    const { maxTokensField, passedMembers } = provider;
    const overrides =
      passedMembers && ((body: Readonly<Record<string, unknown>>) => passedMembers(body, model.capabilities));
    return request.passedBody({ upstreamModel, maxTokens: loweredMaxTokens, maxTokensField, overrides });
  }
  const asked = request.size.maxOutputTokens ?? model.maxOutputTokens;
  const maxOutputTokens = loweredMaxTokens ?? Math.min(asked, model.maxOutputTokens);
  return provider.writeRequest(request.conversation(), upstreamModel, maxOutputTokens, model.capabilities);
}
