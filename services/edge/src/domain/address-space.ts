/** The two public address spaces. */
export type AddressSpace = 'api' | 'dashboard';

/** Returns the address space of a request by its `Host` header; undefined: neither. */
export type SpaceOf = (host: string | undefined) => AddressSpace | undefined;

/** Assigns every request of a port to one space. */
export const spaceOfPort =
  (space: AddressSpace): SpaceOf =>
  () =>
    space;

/** Separates both spaces on one port by host name; a port in the header is ignored. */
export function spaceByHost(apiHosts: readonly string[], dashboardHosts: readonly string[]): SpaceOf {
  const spaces = new Map<string, AddressSpace>();
  for (const host of apiHosts) spaces.set(host.toLowerCase(), 'api');
  for (const host of dashboardHosts) spaces.set(host.toLowerCase(), 'dashboard');
  return (host) => spaces.get((host ?? '').toLowerCase().replace(/:\d+$/, ''));
}
