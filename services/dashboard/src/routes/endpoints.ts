import type { Billing } from '../clients/billing';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ConfigEditor } from '../clients/config-editor';
import type { ModelDirectory } from '../clients/model-directory';
import type { PriceList } from '../clients/price-list';
import type { ProviderEditor } from '../clients/provider-editor';
import type { ProviderInstances } from '../clients/provider-instances';
import type { ProviderProbe } from '../clients/provider-probe';
import { adminAccountListEndpoints } from './admin-account-lists';
import { adminAccountEndpoints } from './admin-accounts';
import { adminConfigEndpoints } from './admin-config';
import { adminInvitationEndpoints } from './admin-invitations';
import { adminModelEndpoints } from './admin-models';
import { adminMoneyEndpoints } from './admin-money';
import { adminOperatorEndpoints } from './admin-operators';
import { adminProviderEndpoints } from './admin-providers';
import { type AuditDependencies, auditEndpoints } from './audit';
import { type AuthDependencies, authEndpoints } from './auth';
import { billingEndpoints } from './billing';
import type { Endpoint } from './endpoint';
import { keyEndpoints } from './keys';
import { type LeakedKeyDependencies, leakedKeyEndpoints } from './leaked-keys';
import { type MemberDependencies, memberEndpoints } from './members';
import { modelEndpoints } from './models';
import { adminRequestEndpoints, requestEndpoints } from './requests';
import { settingsEndpoints } from './settings';

export interface EndpointDependencies
  extends AuthDependencies,
    MemberDependencies,
    AuditDependencies,
    LeakedKeyDependencies {
  readonly limits: AuthDependencies['limits'] & MemberDependencies['limits'] & AuditDependencies['limits'];
  readonly billing: Billing;
  readonly models: ModelDirectory;
  readonly editor: CatalogEditor;
  readonly instances: ProviderInstances;
  readonly providers: ProviderEditor;
  readonly probe: ProviderProbe;
  readonly priceList: PriceList;
  readonly config: ConfigEditor;
}

/** All endpoints of the dashboard's API. */
export function endpoints(deps: EndpointDependencies): Endpoint[] {
  return [
    ...authEndpoints(deps),
    ...modelEndpoints(deps),
    ...keyEndpoints(deps.billing, deps.models),
    ...settingsEndpoints(deps.billing),
    ...billingEndpoints(deps.billing),
    ...requestEndpoints(deps.billing),
    ...memberEndpoints(deps),
    ...auditEndpoints(deps),
    ...adminAccountEndpoints(deps),
    ...adminAccountListEndpoints(deps),
    ...adminOperatorEndpoints(deps),
    ...adminInvitationEndpoints(deps),
    ...leakedKeyEndpoints(deps),
    ...adminMoneyEndpoints(deps.billing),
    ...adminRequestEndpoints(deps.billing),
    ...adminModelEndpoints(deps),
    ...adminProviderEndpoints(deps),
    ...adminConfigEndpoints(deps),
  ];
}
