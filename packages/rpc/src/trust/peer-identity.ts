import type { Caller } from '@gateway/callers';

/** Stands for the service's name in `GRPC_TLS_IDENTITY`. */
export const SERVICE_PLACEHOLDER = '{service}';

/**
 * Returns the entry of a certificate's subject alternative names that identifies a service, as Node writes it.
 * @param template a SPIFFE id or a DNS name that contains `{service}`
 */
export function alternativeName(template: string, service: Caller): string {
  const name = template.replaceAll(SERVICE_PLACEHOLDER, service);
  return `${name.startsWith('spiffe://') ? 'URI' : 'DNS'}:${name}`;
}

/**
 * Returns whether a certificate has exactly this subject alternative name; wildcards and common names don't count.
 * @param names as Node writes them
 */
export function hasAlternativeName(names: string | undefined, name: string): boolean {
  // Node quotes names that contain a separator. No identity has one.
  return names !== undefined && !names.includes('"') && names.split(', ').includes(name);
}
