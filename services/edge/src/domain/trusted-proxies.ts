import { BlockList, isIPv4 } from 'node:net';
import { canonicalAddress } from '@gateway/public-http';
import type { IpNetwork } from './ip-network';

/** Longer chains of proxies are followed no further. */
const MAX_HOPS = 16;

/** The proxies before the edge, whose word on who calls is taken. */
export class TrustedProxies {
  readonly #networks = new BlockList();

  constructor(networks: readonly IpNetwork[]) {
    for (const { address, prefixBits, family } of networks) {
      this.#networks.addSubnet(address, prefixBits, family);
    }
  }

  /**
   * The nearest address that is no trusted proxy: the peer's, or the last such one that the proxies noted. Each
   * appends whom it saw, so what stands before that address is the caller's own word. Where an entry can't be
   * read, the proxy that noted it is all that is known.
   *
   * @param forwardedFor value of `X-Forwarded-For`
   */
  callerOf(peer: string, forwardedFor: string): string {
    let caller = canonicalAddress(peer) ?? peer;
    let end = forwardedFor.length;
    for (let hops = 0; hops < MAX_HOPS && end > 0 && this.#trusts(caller); hops += 1) {
      const comma = forwardedFor.lastIndexOf(',', end - 1);
      const noted = canonicalAddress(forwardedFor.slice(comma + 1, end).trim());
      if (noted === undefined) break;
      caller = noted;
      end = comma;
    }
    return caller;
  }

  #trusts(address: string): boolean {
    return this.#networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}
