import { annotateFailure, type CurrentKeys } from '@gateway/call-billing';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName } from '@gateway/models';
import { leaseAll, type Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { type Admission, admitConnected } from '../billing/admission';
import { recordedModel } from '../billing/rules/recorded-model';
import { decideByCurrentKey } from '../calls/decide-by-current-key';
import type { AudioOffer, AudioOutput } from '../domain/model';
import type { AudioCall, AudioCalls } from './audio-calls';
import { type DecideAudioDeps, type DecidedAudio, decideAudio } from './decide-audio';
import { type AudioSize, costOf } from './rules/audio-price';

export interface AnswerAudioDeps extends DecideAudioDeps {
  readonly keys: CurrentKeys;
  readonly admission: Pick<Admission, 'admit' | 'hasHold'>;
  /** Calls in flight, by account and by provider. */
  readonly accountCalls: Quota;
  readonly providerCalls: Quota;
  readonly calls: Pick<AudioCalls, 'begin'>;
}

/** A request that has been read. */
export interface AudioRequest {
  readonly output: AudioOutput;
  /** The model as the caller wrote it. */
  readonly model: string;
  readonly streamed: boolean;
  sizes(offer: AudioOffer): Promise<{ readonly maximum: AudioSize; readonly expected: AudioSize }>;
  send(decided: DecidedAudio): AudioCall['send'];
  /** Deletes its files. */
  close(): Promise<void>;
}

/** Decides, reserves and carries out a call. @throws GatewayError */
export async function answerAudio(
  deps: AnswerAudioDeps,
  context: RequestContext,
  call: LinkCall,
  request: AudioRequest,
): Promise<LinkReply> {
  let admitted: AudioCall;
  try {
    admitted = await admit(deps, context, call, request);
  } catch (thrown) {
    await request.close();
    annotate(deps, context, request, thrown);
    throw thrown;
  }
  try {
    return await deps.calls.begin(context, admitted);
  } catch (thrown) {
    annotate(deps, context, request, thrown);
    throw thrown;
  }
}

async function admit(
  deps: AnswerAudioDeps,
  context: RequestContext,
  call: LinkCall,
  request: AudioRequest,
): Promise<AudioCall> {
  const { accountId, detailedMessages } = call.key;
  const decided = await decideByCurrentKey(deps.keys, call.key, (key) =>
    decideAudio(deps, request.output, request.model, key),
  );
  const { model, offer, rate, routes } = decided;
  const { maximum, expected } = await request.sizes(offer);
  const provider = routes[0]!.provider.id;
  const release = leaseAll([
    [deps.accountCalls, accountId, 1],
    [deps.providerCalls, provider, 1],
  ]);
  try {
    const bill = await admitConnected(deps.admission, context, {
      key: call.key,
      model,
      bareModelName: isBareName(request.model),
      provider,
      endpoint: call.path,
      streamed: request.streamed,
      boundNano: costOf(rate, maximum),
      ...(rate.by === 'token' && { tokens: tokensOf(expected) }),
    });
    const close = async () => {
      release();
      await request.close();
    };
    return { accountId, detailedMessages, routes, bill, rate, expected, send: request.send(decided), close };
  } catch (error) {
    release();
    throw error;
  }
}

const tokensOf = ({ tokens }: AudioSize) => ({
  prompt: tokens.textInput + tokens.audioInput,
  output: Math.ceil(tokens.textOutput) + tokens.audioOutput,
});

function annotate(
  { models, admission }: AnswerAudioDeps,
  context: RequestContext,
  { model }: AudioRequest,
  thrown: unknown,
): void {
  const hasHold = admission.hasHold(context);
  annotateFailure(thrown, { model: recordedModel(models, model, thrown), hasHold });
}
