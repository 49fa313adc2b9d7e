import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Plus, Scale } from 'lucide-react';
import { useParams, useSearchParams } from 'react-router';
import { type Account, getAccount } from '../../../api/admin-accounts';
import { useMe } from '../../../api/use-me';
import { AuditExport } from '../../../ui/audit-export';
import { CopyButton } from '../../../ui/copy-button';
import { ErrorState } from '../../../ui/error-state';
import { PageHeader } from '../../../ui/page-header';
import { Time } from '../../../ui/time';
import { AuditList } from '../audit/audit-list';
import { AdjustmentDialog } from '../money/adjustment-dialog';
import { TopupDialog } from '../money/topup-dialog';
import { AccountFigures } from './account-figures';
import { AccountKeys } from './account-keys';
import { AccountLedger } from './account-ledger';
import { AccountLosses } from './account-losses';
import { AccountMembers } from './account-members';
import { AccountTopups } from './account-topups';
import { SuspendAccount } from './suspend-account';

const REFETCH_INTERVAL_MS = 15_000;
const TABS = [
  { value: 'keys', label: 'Keys', Panel: AccountKeys },
  { value: 'topups', label: 'Top-ups', Panel: AccountTopups },
  { value: 'ledger', label: 'Ledger', Panel: AccountLedger },
  { value: 'losses', label: 'Losses', Panel: AccountLosses },
  { value: 'members', label: 'Members', Panel: AccountMembers },
  { value: 'changes', label: 'Audit log', Panel: AccountAudit },
] as const;

/** One account, for operators. */
export function OperatorAccountPage() {
  const { id = '' } = useParams();
  const account = useQuery({
    queryKey: ['admin', 'account', id],
    queryFn: () => getAccount(id),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  if (account.error && !account.data) {
    return (
      <>
        <PageHeader title="Account" />
        <ErrorState error={account.error} onRetry={() => void account.refetch()} />
      </>
    );
  }
  if (!account.data) return <Loading />;
  return (
    <>
      <PageHeader
        title={account.data.name}
        description={<Description account={account.data} />}
        actions={<Actions account={account.data} />}
      />
      <AccountFigures account={account.data} />
      <Lists accountId={id} />
    </>
  );
}

/** Waits for all data: the number of lines in the header is not known before. */
function Loading() {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <Skeleton h={34} w={220} />
      <Skeleton h={28} maw={480} />
      <Skeleton h={36} maw={440} />
      <Skeleton h={105} />
      <Skeleton h={280} mt="md" />
    </Stack>
  );
}

function Description({ account: { id, owner_email, created_at, cell } }: { account: Account }) {
  const hasCells = useMe().cells.length > 1;
  return (
    <Group component="span" gap={4}>
      <Text span size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
      <CopyButton value={id} label="Copy account ID" />
      <Text span size="sm">
        {owner_email ? `Owner: ${owner_email}` : 'No owner'} · Created <Time at={created_at} relative />
        {hasCells && ` · Cell ${cell}`}
      </Text>
    </Group>
  );
}

function Actions({ account }: { account: Account }) {
  const [topsUp, topup] = useDisclosure();
  const [adjusts, adjustment] = useDisclosure();
  return (
    <>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={topup.open}>
        Top up
      </Button>
      <Button variant="default" leftSection={<Scale size={16} aria-hidden />} onClick={adjustment.open}>
        Adjust balance
      </Button>
      <SuspendAccount account={account} />
      <TopupDialog account={account} opened={topsUp} onClose={topup.close} />
      <AdjustmentDialog account={account} opened={adjusts} onClose={adjustment.close} />
    </>
  );
}

function AccountAudit({ accountId }: { accountId: string }) {
  return (
    <Stack gap="sm">
      <Group justify="flex-end">
        <AuditExport path="admin/audit" accountId={accountId} />
      </Group>
      <AuditList accountId={accountId} />
    </Stack>
  );
}

function Lists({ accountId }: { accountId: string }) {
  const [search, setSearch] = useSearchParams();
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? 'keys';
  return (
    <Tabs
      mt="xl"
      value={tab}
      onChange={(next) => setSearch({ tab: next ?? 'keys' }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {TABS.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map(({ value, Panel }) => (
        <Tabs.Panel key={value} value={value}>
          <Panel accountId={accountId} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
