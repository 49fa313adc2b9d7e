import type { Pool } from '@gateway/postgres';
import type { ListCredentialCostsResponse } from '@gateway/proto/generated/gateway/catalog/v1/ListCredentialCostsResponse';
import type { SyncCredentialCostsRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/SyncCredentialCostsRequest';
import type { SyncCredentialCostsResponse } from '@gateway/proto/generated/gateway/catalog/v1/SyncCredentialCostsResponse';
import type { RequestContext } from '@gateway/rpc';
import { invalid, UUID } from '../domain/provider';
import { utcDay } from '../domain/utc-day';
import {
  type CredentialCosts,
  type InstanceCosts,
  loadCredentialCosts,
  syncCredentialCosts,
} from '../store/credential-costs';

const MAX_COSTS = 1_000;
/** 10 million USD: sums of a thousand instances fit into a bigint column's range. */
const MAX_COST_NANO = 10n ** 16n;

/** Handles `SyncCredentialCosts`. */
export const syncCosts =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    request: SyncCredentialCostsRequest__Output,
  ): Promise<SyncCredentialCostsResponse> => ({
    totals: toProtoCosts(await syncCredentialCosts(pool, checkCosts(request, Date.now()))),
  });

/** Handles `ListCredentialCosts`. */
export const listCosts = (pool: Pool) => async (): Promise<ListCredentialCostsResponse> => {
  const day = utcDay(Date.now());
  return { day, costs: toProtoCosts(await loadCredentialCosts(pool, day)) };
};

/** @throws GatewayError `invalid_request` */
function checkCosts(
  { instanceId, day, costs }: SyncCredentialCostsRequest__Output,
  nowMs: number,
): InstanceCosts {
  if (!UUID.test(instanceId)) throw invalid('instance_id: is not a UUID');
  // Clocks differ around midnight. Rows of a later day would not be deleted.
  if (![-1, 0, 1].some((offset) => utcDay(nowMs, offset) === day)) {
    throw invalid('day: is neither the current UTC day nor one next to it');
  }
  if (costs.length > MAX_COSTS) throw invalid(`costs: at most ${MAX_COSTS}`);
  const byCredential = new Map<string, bigint>();
  for (const { credentialId, costNano } of costs) {
    const nano = BigInt(costNano);
    if (!UUID.test(credentialId)) throw invalid('costs: credential_id is not a UUID');
    if (nano < 0n || nano > MAX_COST_NANO)
      throw invalid(`costs: cost_nano is not between 0 and ${MAX_COST_NANO}`);
    byCredential.set(credentialId, nano);
  }
  return { instanceId, day, costs: byCredential };
}

const toProtoCosts = (costs: CredentialCosts) =>
  [...costs].map(([credentialId, costNano]) => ({ credentialId, costNano: costNano.toString() }));
