/** The services that serve RPCs. */
export type ServiceName = 'billing' | 'catalog' | 'chat' | 'dashboard' | 'media' | 'storage';

/** The services that call others. */
export type Caller = ServiceName | 'edge';

/**
 * The callers of each RPC. An RPC without a row can't be served: `startGrpcServer` throws. The pairs of services that need a
 * secret follow from it (`callersOf`).
 */
export const CALLERS = {
  billing: {
    ResolveKey: ['edge'],
    WatchKeys: ['edge'],
    LeaseThrottle: ['edge'],
    AppendAccessLog: ['edge'],
    ReportRefusals: ['edge', 'chat', 'media', 'storage'],
    // Storage reserves for free calls only.
    Reserve: ['chat', 'media', 'storage'],
    Deliver: ['chat', 'media'],
    Heartbeat: ['chat', 'media'],
    ListOpenHolds: ['chat', 'media'],
    GetKeyContext: ['chat', 'media', 'storage', 'dashboard'],
    CloseCall: ['storage'],
    GetAccount: ['chat', 'media', 'dashboard'],
    GetKey: ['chat', 'dashboard'],
    GetKeyUse: ['chat', 'dashboard'],
    FindCell: ['media', 'storage', 'dashboard'],
    AssignCell: ['dashboard'],
    AddKeyValue: ['dashboard'],
    CreateAccount: ['dashboard'],
    GetAccountUse: ['dashboard'],
    CreateKey: ['dashboard'],
    ListKeys: ['dashboard'],
    DeleteKey: ['dashboard'],
    UpdateKey: ['dashboard'],
    SetKeyEnabled: ['dashboard'],
    RotateKey: ['dashboard'],
    RegenerateKey: ['dashboard'],
    RevokeKey: ['dashboard'],
    RevokeLeakedValue: ['dashboard'],
    FindKey: ['dashboard'],
    ListAccounts: ['dashboard'],
    SetAccountSuspended: ['dashboard'],
    UpdateAccountLimits: ['dashboard'],
    OptIn: ['dashboard'],
    CreateAdjustment: ['dashboard'],
    SetThrottle: ['dashboard'],
    GetThrottle: ['dashboard'],
    CreateTopup: ['dashboard'],
    ClearTopup: ['dashboard'],
    VoidTopup: ['dashboard'],
    ListTopups: ['dashboard'],
    ListTopupsByStatus: ['dashboard'],
    ListLedger: ['dashboard'],
    ListOperatorLosses: ['dashboard'],
    GetAbandonedCost: ['dashboard'],
    ListRequests: ['dashboard'],
    GetRequest: ['dashboard'],
    ListAllRequests: ['dashboard'],
    FindRequest: ['dashboard'],
    GetUsage: ['dashboard'],
  },
  catalog: {
    Watch: ['chat', 'media', 'dashboard'],
    WatchProviders: ['chat', 'media'],
    SyncCredentialCosts: ['chat'],
    ListCredentialCosts: ['dashboard'],
    CreateModel: ['dashboard'],
    UpdateModel: ['dashboard'],
    SetModelStatus: ['dashboard'],
    SetPricing: ['dashboard'],
    ListProviders: ['dashboard'],
    CreateProvider: ['dashboard'],
    UpdateProvider: ['dashboard'],
    DeleteProvider: ['dashboard'],
    CreateCredential: ['dashboard'],
    UpdateCredential: ['dashboard'],
    DeleteCredential: ['dashboard'],
    FindPrices: ['dashboard'],
    ApplyConfig: ['dashboard'],
  },
  chat: {
    Relay: ['edge', 'storage'],
    ListProviders: ['dashboard'],
    ProbeProvider: ['dashboard'],
  },
  media: {
    Relay: ['edge'],
    ListProviders: ['chat', 'dashboard'],
    ProbeProvider: ['dashboard'],
  },
  storage: {
    Relay: ['edge'],
    SaveResponse: ['chat'],
    QueueResponse: ['chat'],
    FindResponses: ['chat'],
    LoadResponses: ['chat'],
  },
  // Edge also proxies HTTP to the dashboard, as the same caller.
  dashboard: {
    GetSigningKeys: ['edge'],
    AuthorizePlaygroundCall: ['edge'],
  },
} as const satisfies Record<ServiceName, Record<string, readonly Caller[]>>;

export const SERVICES = Object.keys(CALLERS) as ServiceName[];

export const ALL_CALLERS: readonly Caller[] = [...SERVICES, 'edge'];

/** Returns the services that may call at least one RPC of the service. */
export function callersOf(service: ServiceName): Caller[] {
  return [...new Set<Caller>(Object.values<readonly Caller[]>(CALLERS[service]).flat())];
}

/** Returns the services that the caller may call. */
export function calleesOf(caller: Caller): ServiceName[] {
  return SERVICES.filter((service) => callersOf(service).includes(caller));
}

/** Returns the callers of an RPC; undefined without a row. @param path such as `/gateway.billing.v1.BillingService/Deliver` */
export function callersOfPath(path: string): readonly Caller[] | undefined {
  const [, service = '', method = ''] = /^\/gateway\.([a-z]+)\.v1\.[A-Za-z]+\/([A-Za-z]+)$/.exec(path) ?? [];
  const rows: Readonly<Record<string, Readonly<Record<string, readonly Caller[]>>>> = CALLERS;
  return Object.hasOwn(rows, service) && Object.hasOwn(rows[service]!, method)
    ? rows[service]![method]
    : undefined;
}
