import { type Caller, pairSetting, pairsOf } from '@gateway/callers';
import { secrets, z } from '@gateway/process';
import { SERVICE_PLACEHOLDER } from './peer-identity';

const shared = {
  /** Of the release before: the secret of each pair that has none. */
  SERVICE_SECRET: secrets().optional(),
  /** All three or none: TLS between services, with a certificate on both sides. */
  GRPC_TLS_CERT_FILE: z.string().min(1).optional(),
  GRPC_TLS_KEY_FILE: z.string().min(1).optional(),
  GRPC_TLS_CA_FILE: z.string().min(1).optional(),
  /** Subject alternative name of a service's certificate: a SPIFFE id or a DNS name. */
  GRPC_TLS_IDENTITY: z
    .string()
    .refine((value) => value.includes(SERVICE_PLACEHOLDER), `must contain ${SERVICE_PLACEHOLDER}`)
    .default(`spiffe://model-gateway/${SERVICE_PLACEHOLDER}`),
};

/** `SERVICE_SECRET_<CALLER>_TO_<CALLEE>` are read by name. */
export type TrustSettings = z.output<z.ZodObject<typeof shared>>;

/** Settings of a service that calls others, or is called by them. */
export function trustSettings(service: Caller): typeof shared {
  const pairs = pairsOf(service).map(([caller, callee]) => [
    pairSetting(caller, callee),
    secrets().optional(),
  ]);
  return { ...shared, ...Object.fromEntries(pairs) };
}
