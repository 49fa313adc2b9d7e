/** Which of the two public address spaces a request is in. */
export type AddressSpace = 'api' | 'dashboard';

/** Tells the space of a request by its `Host` header; undefined: neither. */
export type SpaceOf = (host: string | undefined) => AddressSpace | undefined;

/** Everything on the port is in one space. */
export const spaceOfPort =
  (space: AddressSpace): SpaceOf =>
  () =>
    space;

/** One port serves both spaces, told apart by host name; a port in the header does not matter. */
export function spaceByHost(apiHosts: readonly string[], dashboardHosts: readonly string[]): SpaceOf {
  const spaces = new Map<string, AddressSpace>();
  for (const host of apiHosts) spaces.set(host.toLowerCase(), 'api');
  for (const host of dashboardHosts) spaces.set(host.toLowerCase(), 'dashboard');
  return (host) => spaces.get((host ?? '').toLowerCase().replace(/:\d+$/, ''));
}
