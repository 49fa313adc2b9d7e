import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Plus } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { PageHeader } from '../../../ui/page-header';
import { PendingTopups } from '../money/pending-topups';
import { AccountsList } from './accounts-list';
import { FindKey } from './find-key';
import { NewAccountDialog } from './new-account-dialog';

const TABS = ['topups', 'key'] as const;

/** All accounts, pending top-ups, and the search for a leaked key. */
export function OperatorAccountsPage() {
  const [search, setSearch] = useSearchParams();
  const [isNew, newAccount] = useDisclosure();
  const tab = TABS.find((known) => known === search.get('tab')) ?? 'accounts';
  return (
    <>
      <PageHeader
        title="Accounts"
        description="All accounts of this gateway"
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={newAccount.open}>
            New account
          </Button>
        }
      />
      <Tabs
        value={tab}
        onChange={(next) => setSearch(next && next !== 'accounts' ? { tab: next } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="accounts">All accounts</Tabs.Tab>
          <Tabs.Tab value="topups">Pending top-ups</Tabs.Tab>
          <Tabs.Tab value="key">Find a key</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="accounts">
          <AccountsList onNew={newAccount.open} />
        </Tabs.Panel>
        <Tabs.Panel value="topups">
          <PendingTopups />
        </Tabs.Panel>
        <Tabs.Panel value="key">
          <FindKey />
        </Tabs.Panel>
      </Tabs>
      <NewAccountDialog opened={isNew} onClose={newAccount.close} />
    </>
  );
}
