import { lateMember, topLevelMembers, withMembers } from '@gateway/json-body';
import { decimalFromNano } from '@gateway/money';
import { OPERATORS_COSTS } from '../domain/operators-costs';

const OPEN_BRACE = '{'.charCodeAt(0);

/** Returns a copy of a complete reply with this usage in place of its own. */
export const withUsage = (reply: Buffer, usage: object, member = 'usage'): Buffer =>
  withMembers(reply, topLevelMembers(reply), new Map([[member, JSON.stringify(usage)]]));

const WITHOUT_COSTS = OPERATORS_COSTS.map((member) => [member, undefined] as const);

/** Returns a copy of a complete reply whose `usage` has the cost, and not the operator's; the reply itself if it has no usage or is nested too deeply. */
export function withCost(reply: Buffer, costNano: bigint): Buffer {
  try {
    const usage = lateMember(reply, 'usage') ?? topLevelMembers(reply).find(({ key }) => key === 'usage');
    if (!usage || reply[usage.valueStart] !== OPEN_BRACE) return reply;
    const { valueStart, valueEnd } = usage;
    const figures = reply.subarray(valueStart, valueEnd);
    const cost = new Map([...WITHOUT_COSTS, ['cost', decimalFromNano(costNano)]]);
    const billed = withMembers(figures, topLevelMembers(figures), cost);
    return Buffer.concat([reply.subarray(0, valueStart), billed, reply.subarray(valueEnd)]);
  } catch {
    return reply;
  }
}
