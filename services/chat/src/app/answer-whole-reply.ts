import { annotateFailure } from '@gateway/call-billing';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName, modelNameForRecord } from '@gateway/models';
import type { RequestContext } from '@gateway/rpc';
import { checkLinkHosts, type FindAddresses } from '@gateway/upstream';
import { catalogNotReceived, type ModelLookup, resolveModel } from '../domain/model';
import type { WholeReplyCall } from '../domain/whole-reply-call';
import type { PlanDeps } from './plan-call';
import { planWholeReply } from './plan-whole-reply';
import type { Admission } from './reserve-call';
import type { AdmittedWholeReply, WholeReplyRunner } from './whole-reply-runner';

export interface AnswerWholeReplyDeps extends Pick<PlanDeps, 'providers' | 'health'> {
  readonly models: ModelLookup;
  readonly admission: Pick<Admission, 'admit'>;
  readonly runner: Pick<WholeReplyRunner, 'send'>;
  /** Of the hosts of links. */
  readonly addressesOf: FindAddresses;
}

export type AnswerWholeReply = (
  context: RequestContext,
  call: LinkCall,
  request: WholeReplyCall,
) => Promise<LinkReply>;

/** Answers a call for vectors, a moderation or a ranking: finds the model, reserves money, sends the call and returns the reply. */
export function answerWholeReply(deps: AnswerWholeReplyDeps): AnswerWholeReply {
  return async (context, call, request) => {
    let hasHold = false;
    try {
      const admitted = await admitWholeReply(deps, context, call, request);
      hasHold = true;
      return await deps.runner.send(context, admitted);
    } catch (thrown) {
      annotateFailure(thrown, { model: modelNameForRecord(deps.models, request.model, thrown), hasHold });
      throw thrown;
    }
  };
}

async function admitWholeReply(
  deps: AnswerWholeReplyDeps,
  context: RequestContext,
  { key, path }: LinkCall,
  request: WholeReplyCall,
): Promise<AdmittedWholeReply> {
  const model = resolveModel(deps.models, request.model, request.output, key);
  if (!deps.providers.loaded) throw catalogNotReceived();
  const planned = planWholeReply(deps, model, request);
  if (request.links?.length) await checkLinkHosts(planned.routes, request.links, deps.addressesOf);
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
