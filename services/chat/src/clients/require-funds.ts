import type { CellBilling, Cells } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { callUnary } from '@gateway/rpc';

const TIMEOUT_MS = 5_000;

/** @throws GatewayError `insufficient_balance` if the balance of the key's account is not above zero */
export async function requireFunds(cells: Cells<CellBilling>, key: KeyContext__Output): Promise<void> {
  const { client } = cells.of(key.cell);
  const request = { id: key.accountId };
  const { balanceNano } = await callUnary(client, client.GetAccount, request, { timeoutMs: TIMEOUT_MS });
  if (BigInt(balanceNano) <= 0n) throw new GatewayError('insufficient_balance');
}
