import { annotateFailure } from '@gateway/call-billing';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName, modelNameForRecord } from '@gateway/models';
import type { RequestContext } from '@gateway/rpc';
import type { EmbeddingRequest, WriteEmbeddings } from '../domain/embedding';
import { catalogNotReceived, type ModelLookup, resolveEmbeddingModel } from '../domain/model';
import type { AdmittedEmbeddings, EmbeddingRunner } from './embedding-runner';
import type { PlanDeps } from './plan-call';
import { planEmbeddings } from './plan-embeddings';
import type { Admission } from './reserve-call';

export interface AnswerEmbeddingsDeps extends Pick<PlanDeps, 'providers' | 'health'> {
  readonly models: ModelLookup;
  readonly admission: Pick<Admission, 'admit'>;
  readonly runner: Pick<EmbeddingRunner, 'send'>;
}

export type AnswerEmbeddings = (
  context: RequestContext,
  call: LinkCall,
  request: EmbeddingRequest,
  write: WriteEmbeddings,
) => Promise<LinkReply>;

/** Answers a call for embeddings: finds the model, reserves money, sends the call and returns the reply. */
export function answerEmbeddings(deps: AnswerEmbeddingsDeps): AnswerEmbeddings {
  return async (context, call, request, write) => {
    let hasHold = false;
    try {
      const admitted = await admitEmbeddings(deps, context, call, request);
      hasHold = true;
      return await deps.runner.send(context, { ...admitted, write });
    } catch (thrown) {
      annotateFailure(thrown, { model: modelNameForRecord(deps.models, request.model, thrown), hasHold });
      throw thrown;
    }
  };
}

async function admitEmbeddings(
  deps: AnswerEmbeddingsDeps,
  context: RequestContext,
  { key, path }: LinkCall,
  request: EmbeddingRequest,
): Promise<Omit<AdmittedEmbeddings, 'write'>> {
  const model = resolveEmbeddingModel(deps.models, request.model, key);
  if (!deps.providers.loaded) throw catalogNotReceived();
  const planned = planEmbeddings(deps, model, request);
  const admitted = await deps.admission.admit(context, {
    ...planned,
    key,
    bareModelName: isBareName(request.model),
    provider: planned.routes[0]!.provider.id,
    endpoint: path,
    streamed: false,
    standardPrice: undefined,
    promptTokens: planned.estimatedTokens,
    choices: 1,
    predictionBytes: 0,
    // There is no output that could be lowered.
    callerNamedMaximum: true,
    waitsForSettlements: true,
    usageIsHidden: false,
  });
  return { ...planned, ...admitted, accountId: key.accountId };
}
