import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { type AnswerAudioDeps, answerAudio } from '../audio/answer-audio';
import { speechSizes } from '../audio/rules/audio-price';
import { gatherBody } from '../calls/gather-body';
import { parseSpeech } from '../formats/speech-request';

const MAX_BODY_BYTES = 256 * 1024;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Handles `POST /v1/audio/speech`. */
export function createSpeech(deps: AnswerAudioDeps): LinkHandler {
  return async (context, call) => {
    if (!JSON_TYPE.test(call.headers['content-type'] ?? ''))
      throw new GatewayError('invalid_request', { detail: 'Content-Type must be application/json' });
    const { model, ...order } = parseSpeech(await gatherBody(call, MAX_BODY_BYTES));
    return answerAudio(deps, context, call, {
      output: 'speech',
      model,
      streamed: order.asEvents,
      sizes: async (offer) => speechSizes(order, offer),
      send:
        ({ rate }) =>
        ({ provider, target }, providerCall) =>
          provider.speak(
            { ...order, upstreamModel: target.upstreamModel, needsTokens: rate.by === 'token' },
            providerCall,
          ),
      close: async () => {},
    });
  };
}
