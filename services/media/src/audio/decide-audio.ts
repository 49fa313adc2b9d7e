import { GatewayError } from '@gateway/errors';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { type Account, placementOf, type Route, routesOf, type TargetHealth } from '@gateway/upstream';
import type { AudioOutput, Model, ModelLookup } from '../domain/model';
import { type AudioModel, resolveAudioModel } from './rules/audio-model';
import { type AudioRate, rateOf } from './rules/audio-price';
import type { AudioProvider } from './rules/audio-provider';

export interface DecideAudioDeps {
  readonly models: ModelLookup & { readonly loaded: boolean };
  readonly providers: { accountsOf(provider: string): readonly Account<AudioProvider>[] };
  readonly health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>;
}

/** A call that may be admitted. */
export interface DecidedAudio extends AudioModel {
  readonly rate: AudioRate;
  readonly routes: readonly Route<AudioProvider>[];
}

/** Validates the call before money is reserved. @throws GatewayError */
export function decideAudio(
  { models, providers, health }: DecideAudioDeps,
  output: AudioOutput,
  name: string,
  key: KeyContext__Output,
): DecidedAudio {
  const { model, offer } = resolveAudioModel(models, output, name, key);
  const routes = routesOf(model, providers.accountsOf, () =>
    placementOf(model.strategy, model.targets, health, undefined),
  );
  if (routes.length > 0) return { model, offer, rate: rateOf(offer), routes };
  throw notConfigured(model);
}

const notConfigured = ({ slug }: Model) =>
  new GatewayError('upstream_unavailable', { cause: new Error(`no provider of ${slug} is configured`) });
