import { type ComponentType, lazy } from 'react';
import { Route, Routes } from 'react-router';
import type { WebArea } from '../../../src/api/web-areas';
import { EntryLayout } from './entry-layout';
import { LoginGate } from './login-gate';
import { NotFoundPage } from './not-found-page';
import { OperatorGate } from './operator-gate';
import { Shell } from './shell';

/** A page in a separate script, loaded when the page is first opened. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

const LoginPage = page(() => import('../pages/login/login-page'), 'LoginPage');
const SignUpPage = page(() => import('../pages/sign-up/sign-up-page'), 'SignUpPage');
const loadOverview = () => import('../pages/overview/overview-page');
const OverviewPage = page(loadOverview, 'OverviewPage');
const KeysPage = page(() => import('../pages/keys/keys-page'), 'KeysPage');
const KeyPage = page(() => import('../pages/keys/key-page'), 'KeyPage');
const ModelsPage = page(() => import('../pages/models/models-page'), 'ModelsPage');
const ModelPage = page(() => import('../pages/models/model-page'), 'ModelPage');
const PlaygroundPage = page(() => import('../pages/playground/playground-page'), 'PlaygroundPage');
const UsagePage = page(() => import('../pages/usage/usage-page'), 'UsagePage');
const RequestsPage = page(() => import('../pages/requests/requests-page'), 'RequestsPage');
const RequestPage = page(() => import('../pages/requests/request-page'), 'RequestPage');
const BillingPage = page(() => import('../pages/billing/billing-page'), 'BillingPage');
const MembersPage = page(() => import('../pages/members/members-page'), 'MembersPage');
const AuditPage = page(() => import('../pages/audit/audit-page'), 'AuditPage');
const AccountPage = page(() => import('../pages/account/account-page'), 'AccountPage');
const OperatorAccountsPage = page(
  () => import('../pages/operator/accounts/operator-accounts-page'),
  'OperatorAccountsPage',
);
const OperatorAccountPage = page(
  () => import('../pages/operator/accounts/operator-account-page'),
  'OperatorAccountPage',
);
const OperatorModelsPage = page(
  () => import('../pages/operator/models/operator-models-page'),
  'OperatorModelsPage',
);
const OperatorModelPage = page(
  () => import('../pages/operator/models/operator-model-page'),
  'OperatorModelPage',
);
const ThrottlePage = page(() => import('../pages/operator/throttle-page'), 'ThrottlePage');
const ProvidersPage = page(() => import('../pages/operator/providers/providers-page'), 'ProvidersPage');
const ConnectPage = page(() => import('../pages/operator/providers/connect-page'), 'ConnectPage');
const ProviderPage = page(() => import('../pages/operator/providers/provider-page'), 'ProviderPage');
const ImportPage = page(() => import('../pages/operator/providers/import-page'), 'ImportPage');
const OperatorRequestsPage = page(
  () => import('../pages/operator/requests/operator-requests-page'),
  'OperatorRequestsPage',
);
const OperatorRequestPage = page(
  () => import('../pages/operator/requests/operator-request-page'),
  'OperatorRequestPage',
);
const AccessPage = page(() => import('../pages/operator/access/access-page'), 'AccessPage');
const OperatorAuditPage = page(
  () => import('../pages/operator/audit/operator-audit-page'),
  'OperatorAuditPage',
);

/** Loads the most visited page in parallel with the login check. If that fails, the page loads it again. */
export function preloadFirstPage(): void {
  if (window.location.pathname === '/') void loadOverview().catch(() => {});
}

/** Returns the path of a route; the dashboard service answers paths outside of the areas with `not_found`. */
const at = (path: WebArea | `${WebArea}/${string}`): string => path;

export function AppRoutes() {
  return (
    <Routes>
      <Route element={<EntryLayout />}>
        <Route path={at('login')} element={<LoginPage />} />
        <Route path={at('sign-up')} element={<SignUpPage />} />
      </Route>
      <Route
        element={
          <LoginGate>
            <Shell />
          </LoginGate>
        }
      >
        <Route index element={<OverviewPage />} />
        <Route path={at('keys')} element={<KeysPage />} />
        <Route path={at('keys/:id')} element={<KeyPage />} />
        <Route path={at('models')} element={<ModelsPage />} />
        <Route path={at('models/*')} element={<ModelPage />} />
        <Route path={at('playground/*')} element={<PlaygroundPage />} />
        <Route path={at('usage')} element={<UsagePage />} />
        <Route path={at('requests')} element={<RequestsPage />} />
        <Route path={at('requests/:id')} element={<RequestPage />} />
        <Route path={at('billing')} element={<BillingPage />} />
        <Route path={at('members')} element={<MembersPage />} />
        <Route path={at('audit')} element={<AuditPage />} />
        <Route path={at('account')} element={<AccountPage />} />
        <Route path={at('operator')} element={<OperatorGate />}>
          <Route path="accounts" element={<OperatorAccountsPage />} />
          <Route path="accounts/:id" element={<OperatorAccountPage />} />
          <Route path="requests" element={<OperatorRequestsPage />} />
          <Route path="requests/:id" element={<OperatorRequestPage />} />
          <Route path="models" element={<OperatorModelsPage />} />
          <Route path="models/*" element={<OperatorModelPage />} />
          <Route path="throttle" element={<ThrottlePage />} />
          <Route path="providers" element={<ProvidersPage />} />
          <Route path="providers/new" element={<ConnectPage />} />
          <Route path="providers/:id" element={<ProviderPage />} />
          <Route path="providers/:id/models" element={<ImportPage />} />
          <Route path="access" element={<AccessPage />} />
          <Route path="audit" element={<OperatorAuditPage />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}
