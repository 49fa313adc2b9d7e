import {
  Activity,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  CreditCard,
  Gauge,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessagesSquare,
  Plug,
  ScrollText,
  ShieldCheck,
  Tags,
  Users,
} from 'lucide-react';
import type { Me } from '../api/auth';

export interface NavigationItem {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

export interface NavigationGroup {
  readonly label: string;
  readonly items: readonly NavigationItem[];
}

const BUILD: NavigationGroup = {
  label: 'Build',
  items: [
    { path: '/', label: 'Overview', icon: LayoutDashboard },
    { path: '/keys', label: 'Keys', icon: KeyRound },
    { path: '/models', label: 'Models', icon: Boxes },
    { path: '/playground', label: 'Playground', icon: MessagesSquare },
  ],
};
const OBSERVE: NavigationGroup = {
  label: 'Observe',
  items: [
    { path: '/usage', label: 'Usage', icon: ChartNoAxesColumn },
    { path: '/requests', label: 'Requests', icon: Activity },
  ],
};
const MEMBERS = { path: '/members', label: 'Members', icon: Users };
const BILLING = { path: '/billing', label: 'Billing', icon: CreditCard };
const AUDIT = { path: '/audit', label: 'Audit log', icon: ScrollText };
const OPERATE: NavigationGroup = {
  label: 'Operator',
  items: [
    { path: '/operator/accounts', label: 'Accounts', icon: Building2 },
    { path: '/operator/requests', label: 'All requests', icon: Activity },
    { path: '/operator/models', label: 'Models and prices', icon: Tags },
    { path: '/operator/throttle', label: 'Throttle', icon: Gauge },
    { path: '/operator/providers', label: 'Providers', icon: Plug },
    { path: '/operator/access', label: 'Operators', icon: ShieldCheck },
    { path: '/operator/audit', label: 'Audit log', icon: ScrollText },
  ],
};

/** Returns the entries that the user may open. */
export function navigationOf({ role, operator }: Me): NavigationGroup[] {
  const items = role === 'owner' ? [BILLING, MEMBERS, AUDIT] : [BILLING, MEMBERS];
  return [BUILD, OBSERVE, { label: 'Account', items }, ...(operator ? [OPERATE] : [])];
}
